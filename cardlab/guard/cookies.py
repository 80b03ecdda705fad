"""The session cookie. One that cannot be read is none: the browser gets a fresh session, not an error.

A login that has been logged out is taken out of the session (:mod:`cardlab.guard.logins`).
"""

from __future__ import annotations

import json
from base64 import b64decode

import otree.middleware
from itsdangerous import BadSignature, TimestampSigner
from itsdangerous.exc import BadTimeSignature
from otree import settings
from otree.common import _SECRET, AUTH_COOKIE_NAME
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection

from cardlab.core.patch import Patch
from cardlab.guard import logins

COOKIE = "session"  # as starlette names it
SECONDS = 14 * 24 * 60 * 60  # for which the cookie holds after each page, as in starlette


class Signer(TimestampSigner):
    """Says of every unreadable value what starlette expects of one whose time is unreadable."""

    def unsign(self, value, max_age=None, return_timestamp=False):
        try:
            return super().unsign(value, max_age, return_timestamp)
        except BadSignature as bad:
            raise BadTimeSignature(str(bad)) from bad


class Sessions(SessionMiddleware):
    def __init__(self, app, secret_key, **options) -> None:
        async def with_valid_login(scope, receive, send) -> None:
            logins.drop_if_revoked(scope.get("session", {}))
            await app(scope, receive, send)

        super().__init__(with_valid_login, secret_key, **options)
        self.signer = Signer(str(secret_key))

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "lifespan":
            scope["headers"] = [_without_backslashes(*each) for each in scope["headers"]]
        await super().__call__(scope, receive, send)


def _without_backslashes(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Cookies with a backslash left out: none is ours, and Python reads them in a time that grows with the
    square of their length."""
    if name != b"cookie" or b"\\" not in value:
        return name, value
    return name, b";".join(each for each in value.split(b";") if b"\\" not in each)


def is_admin(scope) -> bool:
    """Whether the browser is logged in, or no login is needed; for what is decided before oTree's views."""
    if not settings.AUTH_LEVEL:
        return True
    cookie = HTTPConnection(scope).cookies.get(COOKIE, "")
    try:
        session = json.loads(b64decode(Signer(_SECRET).unsign(cookie, max_age=SECONDS)))
    except BadSignature:
        return False
    logins.drop_if_revoked(session)
    return AUTH_COOKIE_NAME in session


PATCHES = (
    Patch(
        *(otree.middleware, "SessionMiddleware", Sessions, "security"),
        "A session cookie that cannot be read is none, and one whose login was ended holds no login.",
        source="b273c09df5d5a997",
    ),
)
