"""Cleans the session cookie of a request before oTree reads it.

Removes an unreadable cookie, so that the browser gets a new session instead of an error, and revoked logins
(:mod:`cardlab.guard.logins`).
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

from itsdangerous import BadSignature, TimestampSigner
from otree import settings
from otree.common import _SECRET, AUTH_COOKIE_NAME
from starlette.requests import HTTPConnection
from starlette.types import Scope

from cardlab.guard.logins import LOGOUTS_KEY, Logouts, drop_if_revoked

COOKIE = "session"  # starlette's name
MAX_AGE_SECONDS = 14 * 24 * 60 * 60  # of the cookie, renewed by each page; starlette's default

_signer = TimestampSigner(str(_SECRET))


def clean_cookies(scope: Scope, logouts: Logouts) -> None:
    """Rewrites a request's cookies without an unreadable session and without a revoked login.

    Also removes cookies with a backslash. None is ours, and Python needs quadratic time to parse them.
    """
    scope[LOGOUTS_KEY] = logouts
    headers = [_without_backslashes(*header) for header in scope["headers"]]
    scope["headers"] = headers
    if not any(name == b"cookie" for name, _value in headers):
        return
    value = HTTPConnection(scope).cookies.get(COOKIE)
    if value is None:
        return
    session = _session_in(value)
    if session is None:
        scope["headers"] = [_with_session(*header, "") for header in headers]
    elif drop_if_revoked(session, logouts):
        signed = _signer.sign(b64encode(json.dumps(session).encode())).decode()
        scope["headers"] = [_with_session(*header, signed) for header in headers]


def is_admin(scope: Scope) -> bool:
    """Returns whether the browser is logged in or needs no login. Call :func:`clean_cookies` first."""
    if not settings.AUTH_LEVEL:
        return True
    session = _session_in(HTTPConnection(scope).cookies.get(COOKIE, ""))
    return session is not None and AUTH_COOKIE_NAME in session


def _session_in(cookie: str) -> dict[str, Any] | None:
    """Returns the session of a cookie; None if it was not signed by this server, or too long ago."""
    try:
        session: dict[str, Any] = json.loads(b64decode(_signer.unsign(cookie, max_age=MAX_AGE_SECONDS)))
    except BadSignature:
        return None
    return session


def _without_backslashes(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    if name != b"cookie" or b"\\" not in value:
        return name, value
    return name, b";".join(cookie for cookie in value.split(b";") if b"\\" not in cookie)


def _with_session(name: bytes, value: bytes, session: str) -> tuple[bytes, bytes]:
    """Returns a header; in one with cookies, ``session`` replaces all session cookies ("" removes them)."""
    if name != b"cookie":
        return name, value
    others = [cookie for cookie in value.split(b";") if cookie.partition(b"=")[0].strip() != COOKIE.encode()]
    return name, b";".join([*others, f"{COOKIE}={session}".encode()] if session else others)
