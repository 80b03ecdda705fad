"""A request's body is read before oTree takes its lock, and then handed on in one piece.

oTree takes the lock first: half a form, sent by anybody, stopped every participant, and so did a form of a
million fields. Its form parser has expressions that a few dozen backslashes keep busy for hours, so what they
would read is looked at first.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import re
from gettext import gettext as _

from multipart.multipart import parse_options_header
from otree.views.cbv import REST_KEY_HEADER, REST_KEY_NAME

from experiment.guard.refused import Refused

SECONDS = 10  # for a whole body
PAGES = 100_000  # bytes of a form; the longest that a page here sends has some hundred
REST = 1_000_000  # for who has the REST key: a session with all its fields
FIELDS = 1_000
READ_ON = 8_000_000  # bytes of a refused body that are still read, so that its sender gets to the answer
PART_HEAD = 500  # bytes of the headers of one part of a form
NOT_IN_HEAD = re.compile(rb"[\\\x00-\x08\x0a-\x1f\x7f]")  # line ends are taken out before


class Left(Exception):
    """The browser went away before its request was whole."""


async def whole(scope, receive):
    """A ``receive`` that gives the whole body at once. Raises Refused and Left."""
    asked = dict(scope["headers"])
    if asked.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in asked:
        return receive
    try:
        content = await asyncio.wait_for(_read(receive, _limit(scope, asked)), SECONDS)
    except asyncio.TimeoutError:
        raise Refused(
            408, _("The page did not reach the server as a whole. Please send it again, or call for help.")
        ) from None
    _check_form(asked.get(b"content-type", b""), content)
    given = False

    async def replay():
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": content, "more_body": False}

    return replay


def _limit(scope, asked) -> int:
    key = os.environ.get(REST_KEY_NAME, "").encode()
    shown = asked.get(REST_KEY_HEADER.encode(), b"")
    rest = scope["path"].startswith("/api/") and key and hmac.compare_digest(shown, key)
    return REST if rest else PAGES


async def _read(receive, limit: int) -> bytes:
    pieces, size, more = [], 0, True
    while more and size < max(limit, READ_ON):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        size += len(message.get("body", b""))
        if size <= limit:
            pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    if size > limit:
        raise Refused(413, _("What was sent is too long for this page."))
    return b"".join(pieces)


def _check_form(content_type: bytes, content: bytes) -> None:
    kind, options = parse_options_header(content_type)
    if kind == b"application/x-www-form-urlencoded":
        fields = content.count(b"&") + content.count(b";") + 1  # both part fields, says the parser
    elif kind == b"multipart/form-data":
        if not options.get(b"boundary"):
            raise Refused(400, "A form in parts must name its boundary.")
        _before, *parts = content.split(b"--" + options[b"boundary"])
        for part in parts:
            head = part.partition(b"\r\n\r\n")[0]
            if len(head) > PART_HEAD or NOT_IN_HEAD.search(head.replace(b"\r\n", b"")):
                raise Refused(400, "A part of the form has a header that no browser would send.")
        fields = len(parts)
    else:
        return
    if fields > FIELDS:
        raise Refused(413, _("What was sent is too long for this page."))
