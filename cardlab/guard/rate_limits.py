"""Limits how often a seat or an address may connect, request pages and send messages.

Requests that arrive too fast are delayed, so that a browser that reconnects after a restart succeeds. A
request with too long a delay is refused, and the browser retries. All limits are token buckets in memory,
checked before oTree's lock and the database.

A *seat* is a participant code that the server knows. This machine's own addresses have no limit, because a
proxy forwards all requests from one of them; behind a proxy the address is the one that the proxy names.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from cardlab.guard.errors import Refused

logger = logging.getLogger("cardlab.guard")

MAX_KEYS = 10_000  # of a limit, before it drops those whose buckets are full again
SHOWN_SECONDS = 120  # how long a client is shown after it was limited
MIN_REPORTED_DELAY = 1.0  # seconds; shorter delays can happen when a whole laboratory reconnects
MAX_CONCURRENT_REQUESTS = 20  # of one seat; a browser has six
CONNECTIONS_PER_ADDRESS = 300  # a participant's browser has about five, briefly ten
TABS_PER_SEAT = 5  # at one hand, or with presence sockets

TOO_MANY_REQUESTS = "Too many requests. Please wait a moment, then reload the page."

_SEAT = re.compile(r"/(?:hand|here|p|InitializeParticipant)/([A-Za-z0-9]+)(?:/.*)?")


class RateLimit:
    """A token bucket for each key.

    A key may act ``burst`` times at once and ``per_second`` times a second in the long run. Faster requests
    wait, for ``max_delay`` seconds at most.
    """

    def __init__(
        self,
        burst: float,
        per_second: float,
        max_delay: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.burst, self.per_second, self.max_delay = burst, per_second, max_delay
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when the bucket of each key is full again

    def delay(self, key: str, tokens: int = 1) -> float | None:
        """Takes tokens; returns the seconds to wait, or None, without taking any, if they are too many."""
        now = self._clock()
        full_at = max(now, self._full_at.get(key, now)) + tokens / self.per_second
        delay = full_at - now - self.burst / self.per_second
        delay = delay if delay > 0.001 else 0.0
        if delay > self.max_delay:
            return None
        if len(self._full_at) >= MAX_KEYS:
            self._full_at = {other: at for other, at in self._full_at.items() if at > now}
        self._full_at[key] = full_at
        return delay


class Client(NamedTuple):
    """A request's client: its address, and ``limited``, the same or "" if it has no limits per address."""

    name: str
    limited: str


class LimitedClient(NamedTuple):
    """A limited client: when first and last (Unix seconds), its address, and the name of the limit."""

    since: float
    last: float
    address: str
    limit_name: str


class LimitedClients:
    """The recently limited clients, for the log and the tab Progress.

    Only the event loop writes it; threads read it, too.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._clients: dict[tuple[str, str, str], LimitedClient] = {}  # by seat, address and exceeded limit
        self._addresses: dict[str, str] = {}  # by seat: the address of its last connection

    def note(self, limit_name: str, address: str, code: str = "") -> None:
        """Records that a client was limited.

        Logs it once, without the code, until the client has respected the limits for two minutes.
        """
        key, now = (code, address, limit_name), self._clock()
        client = self._clients.get(key)
        if client and client.last > now - SHOWN_SECONDS:
            self._clients[key] = client._replace(last=now)
            return
        self._clients = {
            other: client for other, client in self._clients.items() if client.last > now - SHOWN_SECONDS
        }
        if len(self._clients) < MAX_KEYS:
            self._clients[key] = LimitedClient(now, now, address, limit_name)
            owner = "a participant's browser at " if code else ""
            logger.warning("Too many %s from %s%s: they are delayed or refused.", limit_name, owner, address)

    def note_address(self, code: str, address: str) -> None:
        """Records the address from which a seat connects."""
        self._addresses[code] = address

    def limited_lately(self) -> dict[str, list[LimitedClient]]:
        """Returns the clients limited within the last two minutes, by seat; "" is an unknown seat."""
        clients: dict[str, list[LimitedClient]] = {}
        for (code, _address, _limit_name), client in list(self._clients.items()):
            if client.last > self._clock() - SHOWN_SECONDS:
                clients.setdefault(code, []).append(client)
        return clients

    def seats_at(self, address: str) -> list[str]:
        """Returns the seats whose last connection came from an address."""
        return [code for code, latest in list(self._addresses.items()) if latest == address]


class RateLimits:
    """The limits of all addresses and seats of this server.

    Args:
        max_connections: open connections per address. The default, 300, is enough for a laboratory of 30
            computers behind one router. A larger number raises an address's other limits, too.
        seat_factor: multiplies the limits of each seat.
        clock: returns seconds; for tests.
    """

    def __init__(
        self,
        max_connections: int = CONNECTIONS_PER_ADDRESS,
        seat_factor: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_connections = max_connections
        self.clients = LimitedClients()

        def limit(factor: float, burst: float, per_second: float, max_delay: float = math.inf) -> RateLimit:
            return RateLimit(factor * burst, factor * per_second, max_delay, clock)

        address_factor = max(1.0, max_connections / CONNECTIONS_PER_ADDRESS)
        self.connections = limit(address_factor, 300, 100, max_delay=5)
        self.requests = limit(address_factor, 600, 100, max_delay=5)
        self.pages = limit(address_factor, 60, 10, max_delay=5)  # neither files nor pages of a known seat
        self.handshakes = limit(address_factor, 300, 60, max_delay=4)
        self.unknown_seats = limit(1, 20, 1, max_delay=0)  # sockets with an unknown participant code
        # Of one seat. A page opens two sockets; a person makes a few moves a second at most.
        self.seat_pages = limit(seat_factor, 30, 5, max_delay=5)
        self.seat_handshakes = limit(seat_factor, 30, 3, max_delay=4)
        self.seat_messages = limit(seat_factor, 100, 20)
        self.seat_events = limit(seat_factor, 120, 1, max_delay=0)  # cardlab.live.browser_events
        self.seat_paths = limit(seat_factor, 20_000, 2000 / 60, max_delay=0)  # characters, of the pointer
        self._known_codes: set[str] = set()  # of participants in the database at the start, and later ones
        self._open_requests: Counter[str] = Counter()  # by seat

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> RateLimits:
        """Returns the limits in the environment; exits with an error message if one is invalid."""
        connections = _positive_integer("CARD_LAB_CONNECTIONS", CONNECTIONS_PER_ADDRESS, environment)
        return cls(connections, _positive_integer("CARD_LAB_SEAT_LIMITS", 1, environment))

    def seat_of(self, path: str) -> str:
        """Returns the participant code in the path of a page or a socket; "" if none is known."""
        match = _SEAT.fullmatch(path)
        return match[1] if match and match[1] in self._known_codes else ""

    def add_known_codes(self, codes: Iterable[str]) -> None:
        """Adds codes of existing participants, which get limits of their own."""
        self._known_codes.update(codes)

    def learn_code_of_page(self, path: str) -> None:
        """Adds the participant code in the path of a page that was served."""
        if match := _SEAT.fullmatch(path):
            self._known_codes.add(match[1])

    def delay(
        self, limit: RateLimit, limit_name: str, key: str, address: str, code: str = ""
    ) -> float | None:
        """Takes a token and records a limited client. Returns the delay in seconds, None for a refusal."""
        delay = limit.delay(key)
        if delay is None or delay >= (MIN_REPORTED_DELAY if limit.max_delay < math.inf else 0.001):
            self.clients.note(limit_name, address, code)
        return delay

    def delay_of_handshake(self, path: str, client: Client) -> float | None:
        """Counts a WebSocket handshake. Returns its delay in seconds, None for a refusal."""
        code = self.seat_of(path)
        if code:
            return self.delay(self.seat_handshakes, "new sockets", code, client.name, code)
        delay: float | None = 0.0
        if client.limited:
            delay = self.delay(self.handshakes, "new sockets", client.limited, client.name)
        if delay is not None and _SEAT.fullmatch(path):
            return self.delay(self.unknown_seats, "sockets of unknown participants", client.name, client.name)
        return delay

    def delay_of_request(self, path: str, client: Client) -> float | None:
        """Counts a request for a page or file. Returns its delay in seconds, None for a refusal."""
        delay: float | None = 0.0
        total: float | None = 0.0
        if code := self.seat_of(path):
            delay = self.delay(self.seat_pages, "pages", code, client.name, code)
        elif client.limited and not path.startswith("/static/"):
            delay = self.delay(self.pages, "pages", client.limited, client.name)
        if client.limited:
            total = self.delay(self.requests, "requests", client.limited, client.name)
        return None if delay is None or total is None else max(delay, total)

    def delay_of_message(self, code: str, client: Client) -> float:
        """Counts a message of a seat, or of an address without one. Returns its delay in seconds."""
        return self.delay(self.seat_messages, "messages", code or client.name, client.name, code) or 0.0

    @contextmanager
    def count_request(self, code: str, address: str) -> Iterator[None]:
        """Counts a request of a seat until it is answered. Raises Refused if there are too many."""
        if not code:
            yield
            return
        if self._open_requests[code] >= MAX_CONCURRENT_REQUESTS:
            self.clients.note("requests", address, code)
            raise Refused(429, TOO_MANY_REQUESTS)
        self._open_requests[code] += 1
        try:
            yield
        finally:
            self._open_requests[code] -= 1
            if not self._open_requests[code]:
                del self._open_requests[code]


def _positive_integer(name: str, default: int, environment: Mapping[str, str]) -> int:
    text = environment.get(name, "").strip() or str(default)
    if not (text.isdecimal() and int(text)):
        sys.exit(f"{name} must be a whole number, 1 or more, not {text!r}.")
    return int(text)
