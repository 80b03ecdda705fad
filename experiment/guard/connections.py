"""Connections that only stand open: how many there may be, and for how long without a request.

uvicorn waits without end for the first byte of a request, and asyncio stops accepting when the files are
used up that a process may open; a thousand connections, each of them silent, locked everybody out.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
from functools import lru_cache

import uvicorn.protocols.http.auto
from uvicorn.protocols.http.auto import AutoHTTPProtocol

try:
    import resource
except ImportError:  # Windows has no such limit, but waits on 512 sockets at most
    resource = None

logger = logging.getLogger("cardlab.guard")

SECONDS = 10  # until a request, with all its headers, must be there
OPEN_FILES = 10_240  # asked of the system, and as many as macOS gives; a connection is one of them
KEPT_BACK = 200  # of these for everything that is no connection

# Connections of one address; a participant's browser has about five, for a moment ten.
an_address = 300


def raise_open_files() -> None:
    """Let this process open as many files as the system allows, up to OPEN_FILES."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _most() -> int:
    """How many connections there may be in all."""
    if resource is None:
        return 512 - 64
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (OPEN_FILES if soft == resource.RLIM_INFINITY else soft) - KEPT_BACK


def network(client) -> str:
    """Whose a connection is: an IPv4 address, or the part of an IPv6 address that one household has."""
    return _network(client[0]) if client else ""


@lru_cache
def _network(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # whatever a proxy wrote
        return host[:100]
    mapped = getattr(address, "ipv4_mapped", None)
    if address.version == 6 and mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(mapped or address)


def _is_own(client) -> bool:
    """From this very machine: the researcher's, or those of a proxy, which brings everybody's."""
    return not client or network(client).startswith("127.") or client[0] == "::1"


def refusal(client, connections) -> str | None:
    """Why this connection, which stands in ``connections`` already, is one too many; None if it is not."""
    if len(connections) > _most():
        return f"more than {_most()} connections in all"
    if _is_own(client):
        return None
    mine, most = network(client), an_address
    if len(connections) > most and sum(network(each.client) == mine for each in connections) > most:
        return f"more than {most} connections from {mine}"
    return None


class GuardedConnection(AutoHTTPProtocol):
    """uvicorn's HTTP connection, hung up on if it is one too many, or if it asks for nothing."""

    _timer = None

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        too_many = refusal(self.client, self.connections)
        if too_many:
            logger.warning("A connection was refused: %s.", too_many)
            transport.write(
                b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n"
                b"content-type: text/plain; charset=utf-8\r\n\r\nToo many connections. Please try again.\n"
            )
            transport.close()
        else:
            self._wait_for_a_request()

    def data_received(self, data) -> None:
        super().data_received(data)
        if self._timer and (self._answering() or self.transport.get_protocol() is not self):
            self._timer.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._answering():
            self._wait_for_a_request()

    def connection_lost(self, exc) -> None:
        super().connection_lost(exc)
        if self._timer:
            self._timer.cancel()
        # It refers to this connection: both would stay, with what was sent, until Python looks for garbage.
        self._unset_keepalive_if_required()

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_a_request(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_later(SECONDS, self.transport.close)


def install() -> None:
    global an_address
    asked = os.environ.get("CARD_LAB_CONNECTIONS", "").strip() or str(an_address)
    if not (asked.isdecimal() and int(asked)):
        sys.exit(f"CARD_LAB_CONNECTIONS must be a whole number from 1 on, not {asked!r}.")
    an_address = int(asked)
    uvicorn.protocols.http.auto.AutoHTTPProtocol = GuardedConnection
