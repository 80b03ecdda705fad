"""Rejects cross-site requests.

Browsers send the origin of a request in ``Origin`` and ``Sec-Fetch-Site``. A client that sends neither is not
a browser, so no foreign page can misuse it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from starlette.types import Scope

from cardlab.guard import hosts
from cardlab.guard.errors import Refused

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}  # methods that change nothing
DEFAULT_PORTS = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}

# Admin pages whose GET has side effects: logout, and demo sessions.
PAGES_WITH_EFFECTS = re.compile(r"/logout/?|/demo/[^/]+/?")


def check_origin(scope: Scope, added_hosts: Collection[str]) -> None:
    """Raises Refused for a request from another site's page, unless the user followed a link."""
    headers = dict(scope["headers"])
    cross_site = headers.get(b"sec-fetch-site") == b"cross-site"
    if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
        foreign = cross_site and (
            PAGES_WITH_EFFECTS.fullmatch(scope["path"]) or not _is_followed_link(headers)
        )
    else:
        origin, own_hosts = headers.get(b"origin"), {hosts.host_of(scope), *added_hosts}
        foreign = cross_site or (origin is not None and not _is_own(origin, own_hosts))
    if foreign:
        raise Refused(
            403,
            "This request was rejected because it came from a page of another server. Open the "
            "page on this server and try again.",
        )


def _is_followed_link(headers: Mapping[bytes, bytes]) -> bool:
    """Returns whether the request loads a page into a window, not a picture, a frame or a script's data."""
    return headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"


def _is_own(origin: bytes, own_hosts: Collection[str]) -> bool:
    """Returns whether ``origin`` is one of this server's hosts: that of the request, or an added one.

    The schemes may differ, because a proxy may terminate HTTPS. A proxy that does not forward Host needs
    added hosts.
    """
    scheme, separator, netloc = origin.decode("latin-1").lower().partition("://")
    if not separator or not netloc:  # "null"
        return False
    port = DEFAULT_PORTS.get(scheme, "")
    return netloc.removesuffix(port) in {host.removesuffix(port) for host in own_hosts}
