"""Limits connections: how many are open, how fast they arrive, and how long they may be idle.

uvicorn waits for a request without a timeout, and asyncio accepts no connection once the process has reached
its limit of open files. So a thousand idle connections would lock everybody out.

Connections of one address that arrive too fast are delayed. WebSocket handshakes of one seat that arrive too
fast are refused here, because a refusal by the application takes several times as long.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from cardlab import open_files
from cardlab.guard.headers import RawHeaders
from cardlab.guard.rate_limits import Client, RateLimits

logger = logging.getLogger("cardlab.guard")

Peer = Sequence[Any]  # a client's host and port

REQUEST_TIMEOUT_SECONDS = 10  # until all headers of a request must have arrived
RESERVED_FILES = 200  # for everything else

LOOPBACK = ("127.0.0.1", "::1")
REFUSAL = (
    b"HTTP/1.1 %b\r\nconnection: close\r\nretry-after: 3\r\n"
    b"content-type: text/plain; charset=utf-8\r\n\r\nToo many connections. Please try again.\n"
)


def _max_connections() -> int:
    return open_files.max_connections(RESERVED_FILES)


def network_of(client: Peer | None) -> str:
    """Returns a client's IPv4 address, or the /64 network of its IPv6 address (one household)."""
    return _network(client[0]) if client else ""


@lru_cache
def _network(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a proxy's header may contain anything
        return host[:100]
    mapped = getattr(address, "ipv4_mapped", None)
    if address.version == 6 and mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(mapped or address)


def client_of(client: Peer | None) -> Client:
    """Returns a request's client, for :mod:`cardlab.guard.rate_limits`.

    This machine has no limit per address: its connections are the researcher's or a proxy's.
    """
    name = network_of(client)
    return Client(name, "" if not client or client[0] in LOOPBACK else name)


def client_behind_proxy(config: Config, client: Peer | None, headers: RawHeaders) -> Peer | None:
    """Returns the client named by a trusted proxy, as uvicorn does later; otherwise ``client``."""
    trusted = config.forwarded_allow_ips or ""
    if config.proxy_headers and client and (trusted == "*" or client[0] in trusted.split(",")):
        forwarded = dict(headers).get(b"x-forwarded-for", b"").decode("latin-1").split(",")[-1].strip()
        return (forwarded, 0) if forwarded else client
    return client


def has_too_many(address: str, connections: Collection[Any], maximum: int) -> bool:
    """Returns whether more than ``maximum`` connections come from an address."""
    if len(connections) <= maximum:
        return False
    return sum(network_of(connection.client) == address for connection in connections) > maximum


class GuardedConnection(AutoHTTPProtocol):
    """uvicorn's HTTP connection, closed if there are too many or no request arrives in time."""

    def __init__(self, *arguments: Any, limits: RateLimits, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Starts the timeout of the first request, or refuses the connection."""
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
            self.loop.call_soon(transport.pause_reading)  # asyncio starts reading after this method
            self.loop.call_later(delay, self._read_on)
        self._wait_for_a_request()

    def handle_upgrade(self, *event: Any) -> None:
        """Opens a WebSocket; delays or refuses it if too many arrive."""
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
        """Closes the connection; uvicorn would raise for a delayed or refused handshake."""
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
        """Cancels the timeout when a request has arrived."""
        super().data_received(data)
        if self._has_request():
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Starts the timeout of the next request, unless a browser has sent it already.

        uvicorn starts its own timeout even then. It would close the connection in the middle of a slow
        response, or a new WebSocket.
        """
        super().on_response_complete()
        if self._has_request():
            self._unset_keepalive_if_required()
        else:
            self._wait_for_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Breaks the reference cycle with the keep-alive timer, so that its memory is freed at once."""
        super().connection_lost(exc)
        self._stop_waiting()
        self._unset_keepalive_if_required()

    def _has_request(self) -> bool:
        """Whether a request is being answered, or has opened a WebSocket."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        return is_answering or self.transport.get_protocol() is not self

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _wait_for_a_request(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(REQUEST_TIMEOUT_SECONDS, self.transport.close)
