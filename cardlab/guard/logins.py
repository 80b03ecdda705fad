"""Makes a logout revoke the login, also for a copy of the cookie.

oTree's login is a constant in a signed cookie, valid until the password changes. Here each login has an id
and expires after MAX_AGE_SECONDS. A file has the ids of revoked logins, so that they stay revoked after a
restart and on all servers behind one address.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from otree.common import AUTH_COOKIE_NAME
from otree.views.admin import Login, Logout
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlab import folders
from cardlab.core.patch import Patch, Wrapper

VARIABLE = "CARD_LAB_LOGOUTS"  # names the file; set by cardlab.operations.several_servers
LOGIN_ID = "cardlab_login"  # in the session cookie: the login's time in seconds, and a random text
MAX_AGE_SECONDS = 14 * 24 * 60 * 60
DEFAULT_FILE = folders.PROJECT / "secrets" / "logged_out"
LOGOUTS_KEY = "cardlab.logouts"  # the server's Logouts in a request's scope


class Logouts:
    """The ids of revoked logins, one per line in a file that several servers may share."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read_status: tuple[int, int] | None = None  # size and mtime of the file when it was read
        self._ids: frozenset[str] = frozenset()

    def add(self, login: str) -> None:
        """Stores an id; it is on disk when this returns."""
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{login}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def __contains__(self, login: str) -> bool:
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return False
        if self._read_status != (status.st_size, status.st_mtime_ns):
            self._ids = frozenset(self._file.read_text("utf-8").split())
            self._read_status = status.st_size, status.st_mtime_ns
        return login in self._ids


def logouts_from_environment() -> Logouts:
    """Returns the revoked logins in the file that the environment names."""
    return Logouts(Path(os.environ.get(VARIABLE) or DEFAULT_FILE))


def new_id() -> str:
    """Returns an id for a login that begins now."""
    return f"{int(time.time())}-{secrets.token_urlsafe(16)}"


def drop_if_revoked(session: dict[str, Any], logouts: Logouts) -> bool:
    """Removes a revoked or expired login from a session; returns whether it did."""
    if AUTH_COOKIE_NAME not in session:
        return False
    login = str(session.get(LOGIN_ID, ""))
    start = login.partition("-")[0]
    if start.isdecimal() and int(start) >= time.time() - MAX_AGE_SECONDS and login not in logouts:
        return False
    del session[AUTH_COOKIE_NAME]
    session.pop(LOGIN_ID, None)
    return True


def _log_in_with_id(log_in: Callable[[Login, Any], Any], self: Login, form: Any) -> Any:
    self.request.session[LOGIN_ID] = new_id()
    return log_in(self, form)


def _log_out(self: Logout, request: Request) -> Response:
    if LOGIN_ID in request.session:  # not if the cookie holds no login any more
        request.scope[LOGOUTS_KEY].add(request.session.pop(LOGIN_ID))
    request.session.pop(AUTH_COOKIE_NAME, None)
    return RedirectResponse(request.url_for("Login"), status_code=302)


PATCHES = (
    Wrapper(
        *(Login, "form_valid", _log_in_with_id, "security", "7402208d1accd934"),
        "Each login has an id by which it can be ended.",
    ),
    Patch(
        *(Logout, "get", _log_out, "security", "fa0cc41bcda038e5"),
        "Logging out also ends copies of the cookie.",
    ),
)
