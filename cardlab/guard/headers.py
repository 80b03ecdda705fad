"""Validates a request's address and headers, and adds security headers to each response."""

from __future__ import annotations

import re

from starlette.types import Scope

from cardlab.guard.errors import Refused

RawHeaders = list[tuple[bytes, bytes]]  # as in ASGI

MAX_TARGET_BYTES = 4_000  # of path and query; the longest link, with a label of 100 letters, has about 1,500
MAX_HEADER_BYTES = 2_000
MAX_COOKIE_BYTES = 8_000  # of all cookies, including those of other programs on the same host
MAX_CONTENT_TYPE_BYTES = 200
MAX_TOTAL_BYTES = 16_000
HOST_PATTERN = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", re.ASCII)
OWN_ADDRESS = re.compile(rb"https?://([^/?#\\]*)(.*)", re.DOTALL)
CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")

# oTree uses inline scripts and styles, and frames in its split screen.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'self'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
SECURITY_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)

# Pages and links of participants. The next person at the same computer must not find them in the browser's
# cache or through its Back button.
PARTICIPANT_PAGES = re.compile(r"/(p|InitializeParticipant|OutOfRangeNotification|MTurkStart|join|room)/")
NO_STORE = (b"cache-control", b"no-store")


def check_headers(scope: Scope) -> None:
    """Raises Refused for an address or header that no browser sends."""
    raw = scope.get("raw_path") or scope["path"].encode()
    if len(raw) + len(scope["query_string"]) > MAX_TARGET_BYTES:
        raise Refused(414, "The address of the request is too long.")
    if scope["type"] == "http" and CONTROL_CHARACTER.search(scope["path"]):
        raise Refused(404, "Not Found")
    total_bytes = content_types = 0
    for name, value in scope["headers"]:
        total_bytes += len(name) + len(value)
        if (
            len(value) > (MAX_COOKIE_BYTES if name == b"cookie" else MAX_HEADER_BYTES)
            or total_bytes > MAX_TOTAL_BYTES
        ):
            raise Refused(431, f"The request's header {name[:50].decode('latin-1')!r} is too long.")
        if name == b"content-type":
            content_types += 1
            if content_types > 1 or len(value) > MAX_CONTENT_TYPE_BYTES or b"\\" in value:
                raise Refused(
                    400,
                    "The request has two Content-Type headers, or one that is too long or contains a "
                    "backslash.",
                )
        if name == b"host" and value and not HOST_PATTERN.fullmatch(value):
            raise Refused(400, "The Host header of the request is not a valid host name.")


def with_security_headers(headers: RawHeaders, path: str, host: bytes) -> RawHeaders:
    """Returns a response's headers with the missing security headers, and its redirects without ``host``.

    oTree copies the request's Host into redirects. A path alone never leads to another server.
    """
    names = {name.lower() for name, _value in headers}
    added = (*SECURITY_HEADERS, NO_STORE) if PARTICIPANT_PAGES.match(path) else SECURITY_HEADERS
    response_headers = [
        (name, _path(value, host) if name.lower() == b"location" else value) for name, value in headers
    ]
    return [*response_headers, *(header for header in added if header[0] not in names)]


def _path(location: bytes, host: bytes) -> bytes:
    """Returns the path of an address of this server; another address unchanged."""
    match = OWN_ADDRESS.fullmatch(location)
    if not match or match[1].lower() != host.lower():
        return location
    return b"/" + match[2].lstrip(b"/\\")
