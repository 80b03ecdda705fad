"""Limits connections: how many are open, how fast they arrive, and how long they may send nothing.

uvicorn waits without a timeout for the first byte of a request, and asyncio accepts no connection once the
process has opened all files that it may. A thousand silent connections would therefore lock everybody out.

If connections of one address arrive too fast, reading from them is delayed. WebSocket handshakes of one seat
that arrive too fast are refused here, because a refusal by the application takes several times as long.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import sys
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from cardlab.guard.headers import RawHeaders
from cardlab.guard.rate_limits import Client, RateLimits

if sys.platform != "win32":
    import resource

logger = logging.getLogger("cardlab.guard")

Peer = Sequence[Any]  # host and port of the other end of a connection

REQUEST_TIMEOUT_SECONDS = 10  # until a request, with all its headers, must be there
MAX_OPEN_FILES = 10_240  # asked of the system, and as many as macOS gives; a connection is one of them
RESERVED_FILES = 200  # of these for everything that is no connection

LOOPBACK = ("127.0.0.1", "::1")
REFUSAL = (
    b"HTTP/1.1 %b\r\nconnection: close\r\nretry-after: 3\r\n"
    b"content-type: text/plain; charset=utf-8\r\n\r\nToo many connections. Please try again.\n"
)


def raise_open_file_limit() -> None:
    """Lets this process open as many files as the system allows, up to MAX_OPEN_FILES."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _max_connections() -> int:
    if sys.platform == "win32":  # which has no such limit, but waits on 512 sockets at most
        return 512 - 64
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (MAX_OPEN_FILES if soft == resource.RLIM_INFINITY else soft) - RESERVED_FILES


def network_of(client: Peer | None) -> str:
    """Returns the IPv4 address of a connection, or the part of an IPv6 address that one household has."""
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


def client_of(client: Peer | None) -> Client:
    """Returns the client of a request, for :mod:`cardlab.guard.rate_limits`.

    This machine itself has no limit per address: its connections are the researcher's, or a proxy's, which
    forwards everybody's.
    """
    name = network_of(client)
    return Client(name, "" if not client or client[0] in LOOPBACK else name)


def client_behind_proxy(config: Config, client: Peer | None, headers: RawHeaders) -> Peer | None:
    """Returns the client that a trusted proxy names, as uvicorn does later; ``client`` without a proxy."""
    trusted = config.forwarded_allow_ips or ""
    if config.proxy_headers and client and (trusted == "*" or client[0] in trusted.split(",")):
        named = dict(headers).get(b"x-forwarded-for", b"").decode("latin-1").split(",")[-1].strip()
        return (named, 0) if named else client
    return client


def has_too_many(address: str, connections: Collection[Any], maximum: int) -> bool:
    """Returns whether more than ``maximum`` connections come from an address."""
    return (
        len(connections) > maximum and sum(network_of(one.client) == address for one in connections) > maximum
    )


class GuardedConnection(AutoHTTPProtocol):
    """uvicorn's HTTP connection, closed if there are too many connections or no request arrives."""

    def __init__(self, *arguments: Any, limits: RateLimits, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begins to wait for a request, unless there are too many connections."""
        super().connection_made(transport)
        address = client_of(self.client).limited
        delay: float | None = 0.0
        if len(self.connections) > _max_connections():
            logger.warning("A connection was refused: more than %d connections in all.", _max_connections())
            delay = None
        elif address and has_too_many(address, self.connections, self._limits.max_connections):
            self._limits.clients.note("open connections", address)
            delay = None
        elif address:
            delay = self._limits.delay(self._limits.connections, "new connections", address, address)
        if delay is None:
            self._refuse(b"503 Service Unavailable")
            return
        if delay:
            self.loop.call_soon(transport.pause_reading)  # asyncio begins to read after this method
            self.loop.call_later(delay, self._read_on)
        self._wait_for_a_request()

    def handle_upgrade(self, *event: Any) -> None:
        """Opens a WebSocket, delayed or refused if too many arrive."""
        client = client_of(client_behind_proxy(self.config, self.client, self.headers))
        delay = self._limits.delay_of_handshake(self.scope["path"], client)
        if delay is None:
            self._refuse(b"429 Too Many Requests")
        elif delay:
            self.transport.pause_reading()
            self.loop.call_later(delay, self._upgrade_later, *event)
        else:
            super().handle_upgrade(*event)

    def shutdown(self) -> None:
        """Ends the connection with the server; uvicorn would raise where a handshake waits or was refused."""
        if self.cycle is None:
            self.transport.close()
        else:
            super().shutdown()

    def _upgrade_later(self, *event: Any) -> None:
        if not self.transport.is_closing():
            self._stop_waiting()
            super().handle_upgrade(*event)
            self.transport.resume_reading()

    def _read_on(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def _refuse(self, status: bytes) -> None:
        self.transport.write(REFUSAL % status)
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Stops waiting when a request is there."""
        super().data_received(data)
        if self._is_answering() or self.transport.get_protocol() is not self:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        super().on_response_complete()
        if not self._is_answering():
            self._wait_for_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Breaks the reference cycle with the keep-alive timer, so that what was sent is freed at once."""
        super().connection_lost(exc)
        self._stop_waiting()
        self._unset_keepalive_if_required()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _wait_for_a_request(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(REQUEST_TIMEOUT_SECONDS, self.transport.close)
