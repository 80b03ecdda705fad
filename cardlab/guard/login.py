"""Slows down attempts to guess the admin's password, and always accepts the right one.

After MAX_WRONG wrong passwords within WINDOW_SECONDS from one address, its passwords are checked one at a
time. A wrong one takes DELAY_SECONDS and is answered with 429. The right one waits its turn and is accepted,
so one PC cannot lock out the researcher behind the same router.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections import deque

import wtforms
from otree import settings
from otree.views.admin import LoginForm
from starlette.types import Receive, Scope

from cardlab.core.patch import Patch
from cardlab.guard import body
from cardlab.guard.connections import network_of
from cardlab.guard.errors import Refused

logger = logging.getLogger("cardlab.guard")

MAX_WRONG = 10
WINDOW_SECONDS = 60
DELAY_SECONDS = 0.2


class Address:
    """The recent wrong passwords of one address."""

    def __init__(self) -> None:
        self.wrong_times: deque[float] = deque(maxlen=MAX_WRONG)  # of wrong passwords, monotonic seconds
        self.turn = asyncio.Lock()  # first come, first served
        self.is_reported = False

    def is_over(self, now: float) -> bool:
        """Returns whether the address has sent too many wrong passwords."""
        return len(self.wrong_times) == MAX_WRONG and self.wrong_times[0] > now - WINDOW_SECONDS

    def is_idle(self, now: float) -> bool:
        """Returns whether the address can be dropped."""
        return not self.turn.locked() and (
            not self.wrong_times or self.wrong_times[-1] < now - WINDOW_SECONDS
        )


class LoginThrottle:
    """The wrong passwords of all addresses."""

    def __init__(self) -> None:
        self._addresses: dict[str, Address] = {}

    async def check(self, scope: Scope, receive: Receive) -> None:
        """Raises Refused for a wrong password after too many others. Call it after the form is parsed."""
        if scope["method"] != "POST" or scope["path"] != "/login":
            return
        form = scope.get(body.FORM_KEY, {})
        is_right = is_right_password(form.get("username", ""), form.get("password", ""))
        name = network_of(scope["client"])
        address = self._address(name)
        if not address.is_over(time.monotonic()):
            if not is_right:
                address.wrong_times.append(time.monotonic())
            return
        async with address.turn:
            if await _has_left(receive):
                raise body.ClientDisconnected
            if is_right:
                return
            address.wrong_times.append(time.monotonic())
            if not address.is_reported:
                address.is_reported = True
                logger.warning(
                    "More than %d wrong passwords for the admin pages within a minute, from %s. "
                    "Further attempts from there are delayed.",
                    *(MAX_WRONG, name),
                )
            await asyncio.sleep(DELAY_SECONDS)
        raise Refused(
            429, "This password is wrong, like many others from this address. Check it before you try again."
        )

    def _address(self, name: str) -> Address:
        """Returns the record of an address. Drops idle addresses."""
        now = time.monotonic()
        self._addresses = {
            other: address for other, address in self._addresses.items() if not address.is_idle(now)
        }
        return self._addresses.setdefault(name, Address())


async def _has_left(receive: Receive) -> bool:
    """Returns whether the browser has disconnected, so that its password need not be checked."""
    try:
        message = await asyncio.wait_for(receive(), 0.001)
    except asyncio.TimeoutError:
        return False
    return bool(message["type"] == "http.disconnect")


def is_right_password(username: str, password: str) -> bool:
    """Returns whether these are the admin's credentials. Compares in constant time."""
    if not settings.ADMIN_PASSWORD:
        return False
    is_right_name = hmac.compare_digest(username.encode(), settings.ADMIN_USERNAME.encode())
    return hmac.compare_digest(password.encode(), settings.ADMIN_PASSWORD.encode()) and is_right_name


class RequiresLogin:
    """Makes a view require the login on every server that has one, even where oTree's own views do not."""

    def _is_unauthorized(self) -> bool:
        return bool(settings.AUTH_LEVEL) and not self._is_logged_in()  # type: ignore[attr-defined]  # a mixin


def _validate(self: LoginForm) -> bool:
    if wtforms.Form.validate(self) and is_right_password(self.username.data or "", self.password.data or ""):
        return True
    self.password.errors.append("Login failed")
    return False


PATCHES = (
    Patch(
        *(LoginForm, "validate", _validate, "security", "b2d152779df29791"),
        "Compares name and password in constant time.",
    ),
)
