"""What a request's address and headers may be, and the security headers of each answer."""

from __future__ import annotations

import re

from experiment.guard.refused import Refused

TARGET = 4_000  # bytes of path and query; the longest link, with a label of 100 letters, has about 1,500
LONGEST = 2_000  # bytes of a header
COOKIES = 8_000  # bytes of all cookies: those of other programs on the same machine come along
CONTENT_TYPE = 200
TOGETHER = 16_000
HOST = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", re.ASCII)
CONTROL = re.compile(r"[\x00-\x1f\x7f]")

# Inline scripts and styles are oTree's; nothing comes from elsewhere. Frames are those of its split screen.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'self'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
SECURITY = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)

# What participants open: their pages, and the links that lead there with a code or a label. The next person
# at the same computer must not find them in the browser's cache, nor by its Back button.
PARTICIPANTS_PAGES = re.compile(r"/(p|InitializeParticipant|OutOfRangeNotification|MTurkStart|join|room)/")
NOT_KEPT = (b"cache-control", b"no-store")

ADMIN_SOCKETS = re.compile(
    r"/(create_session|create_demo_session|delete_sessions|export"
    r"|session_monitor/.*|room_without_session/.*|browser_bots_client/.*)"
)


def check(scope) -> None:
    """Raises Refused if the address or a header is not what a browser sends."""
    raw = scope.get("raw_path") or scope["path"].encode()
    if len(raw) + len(scope["query_string"]) > TARGET:
        raise Refused(414, "The address is too long.")
    if scope["type"] == "http" and CONTROL.search(scope["path"]):
        raise Refused(404, "Not Found")
    together = kinds = 0
    for name, value in scope["headers"]:
        together += len(name) + len(value)
        if len(value) > (COOKIES if name == b"cookie" else LONGEST) or together > TOGETHER:
            raise Refused(431, f"The request's header {name[:50].decode('latin-1')!r} is too long.")
        if name == b"content-type":
            kinds += 1
            if kinds > 1 or len(value) > CONTENT_TYPE or b"\\" in value:
                raise Refused(400, "The Content-Type is doubled, too long, or has a backslash in it.")
        if name == b"host" and value and not HOST.fullmatch(value):
            raise Refused(400, "The request's Host is no name of a machine.")


def check_origin(scope) -> None:
    """Raises Refused if a page from elsewhere opens one of the admin's sockets with the admin's cookie."""
    asked = dict(scope["headers"])
    origin = asked.get(b"origin")
    if origin is None or not ADMIN_SOCKETS.fullmatch(scope["path"]):
        return  # no browser, or no admin's socket
    if origin.partition(b"://")[2].lower() != asked.get(b"host", b"").lower():
        raise Refused(403, "This socket is opened by a page of another server.")


def secured(headers, path: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with the security headers added that it has not set itself."""
    there = {name.lower() for name, _value in headers}
    added = (*SECURITY, NOT_KEPT) if PARTICIPANTS_PAGES.match(path) else SECURITY
    return [*headers, *(each for each in added if each[0] not in there)]
