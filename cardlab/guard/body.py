"""Reads and parses a request's body before oTree takes its lock.

oTree parses the body under its lock, so an incomplete form, or one with many fields, would block all
participants.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from gettext import gettext as _
from typing import Any
from urllib.parse import parse_qsl

from otree import settings
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from cardlab.core.patch import Wrapper
from cardlab.guard import cookies, rest
from cardlab.guard.errors import Refused

TIMEOUT_SECONDS = 10  # for a whole body
ADMIN_BYTES = 100_000  # of an admin's form, such as all sessions to be archived
ADMIN_FIELDS = 1_000
REST_BYTES = 1_000_000  # of a REST request with the right key, such as a session with all its fields
MAX_DISCARDED_BYTES = 8_000_000  # of a refused body, read so that its sender receives the response
PARTICIPANT_PATHS = ("/p/", "/room/")  # of participants' pages

PERCENT_ENCODED = re.compile(rb"%[0-9A-Fa-f]{2}")
FORM_KEY = "cardlab.form"  # the parsed form in a request's scope


class ClientDisconnected(Exception):
    """Raised when a client disconnects before its request is complete."""


async def read_whole_body(scope: Scope, receive: Receive) -> Receive:
    """Returns a ``receive`` with the whole body; stores its parsed form in the scope under FORM_KEY.

    Raises Refused and ClientDisconnected.
    """
    headers = dict(scope["headers"])
    if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
        return receive
    max_bytes, max_fields = body_limits(scope)
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    is_form = kind == b"application/x-www-form-urlencoded"
    try:
        # Percent-encoding makes a text in Greek or Chinese three times as long, so it does not count.
        content = await asyncio.wait_for(
            _read(receive, 3 * max_bytes if is_form else max_bytes), TIMEOUT_SECONDS
        )
    except asyncio.TimeoutError:
        raise Refused(
            408, _("The page did not arrive completely. Please send it again, or ask for help.")
        ) from None
    if kind == b"multipart/form-data":
        raise Refused(415, "The form must have the content type application/x-www-form-urlencoded.")
    if is_form:
        encoded = content.count(b"%")
        if encoded != len(PERCENT_ENCODED.findall(content)):  # Python decodes stray % signs slowly
            raise Refused(400, "The form is not percent-encoded correctly.")
        if len(content) - 2 * encoded > max_bytes or content.count(b"&") >= max_fields:
            raise Refused(413, too_long_sentence())
        fields: list[Any] = parse_qsl(content.decode("latin-1"), keep_blank_values=True)
        scope[FORM_KEY] = FormData(fields)
    rest.check_body(scope, content)
    is_replayed = False

    async def replay() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": content, "more_body": False}

    return replay


def body_limits(scope: Scope) -> tuple[int, int]:
    """Returns the maximum number of bytes and of fields in a request's body."""
    if rest.is_rest(scope):
        return REST_BYTES, ADMIN_FIELDS
    if not scope["path"].startswith(PARTICIPANT_PATHS) and cookies.is_admin(scope):
        return ADMIN_BYTES, ADMIN_FIELDS
    return settings.FORM_BYTES, settings.FORM_FIELDS


def too_long_sentence() -> str:
    """Returns the error message for a text that is too long."""
    return _("Your text is too long. Please go back and shorten it.")


async def _read(receive: Receive, limit: int) -> bytes:
    chunks, size, has_more = [], 0, True
    while has_more and size < max(limit, MAX_DISCARDED_BYTES):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        size += len(message.get("body", b""))
        if size <= limit:
            chunks.append(message.get("body", b""))
        has_more = message.get("more_body", False)
    if size > limit:
        raise Refused(413, too_long_sentence())
    return b"".join(chunks)


def check_settings() -> None:
    """Exits with an error message if the form limits in ``settings.py`` are invalid."""
    for name, minimum in (("FORM_BYTES", 1_000), ("FORM_FIELDS", 10)):
        value = getattr(settings, name)
        if type(value) is not int or value < minimum:
            sys.exit(f"{name} in settings.py must be a whole number, {minimum} or more, not {value!r}.")


async def _parsed_form(parse: Callable[[Request], Awaitable[FormData]], self: Request) -> FormData:
    if not hasattr(self, "_form") and FORM_KEY in self.scope:
        self._form = self.scope[FORM_KEY]
    return await parse(self)


PATCHES = (
    Wrapper(
        *(Request, "form", _parsed_form, "security", "5a9ef0ef106d1452"),
        "Parses forms before oTree's lock is taken.",
    ),
)
