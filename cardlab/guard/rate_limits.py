"""Rate limits: how often a seat or an address may connect, request pages and send messages.

Requests that come too fast are delayed, because a browser that reconnects after a restart must get through.
A request that would have to wait too long is refused, and the browser retries. Everything is decided in
memory, before oTree's lock or the database is touched.

A *seat* is a participant code that the server knows. Addresses of this machine have no limit, because a proxy
on it forwards everybody's requests. Behind a proxy the address is the one that the proxy names.
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
SHOWN_SECONDS = 120  # for which a client is shown after it was limited last
MIN_REPORTED_DELAY = 1.0  # seconds; shorter delays can happen when a whole laboratory reconnects
MAX_CONCURRENT_REQUESTS = 20  # of one seat; a browser has six
CONNECTIONS_PER_ADDRESS = 300  # a participant's browser has about five, for a moment ten
TABS_PER_SEAT = 5  # with the same hand open, or connected by the socket of every page

TOO_MANY_REQUESTS = "Too many requests. Please wait a moment, then reload the page."

_SEAT = re.compile(r"/(?:hand|here|p|InitializeParticipant)/([A-Za-z0-9]+)(?:/.*)?")


class RateLimit:
    """A token bucket for each key.

    A key may act ``burst`` times at once and ``per_second`` times a second in the long run. Faster requests
    wait, for ``longest`` seconds at most.
    """

    def __init__(
        self,
        burst: float,
        per_second: float,
        longest: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.burst, self.per_second, self.longest = burst, per_second, longest
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when the bucket of each key is full again

    def delay(self, key: str) -> float | None:
        """Takes a token. Returns the seconds to wait for it; if they are too many, takes none: None."""
        now = self._clock()
        full_at = max(now, self._full_at.get(key, now)) + 1 / self.per_second
        delay = full_at - now - self.burst / self.per_second
        delay = delay if delay > 0.001 else 0.0
        if delay > self.longest:
            return None
        if len(self._full_at) >= MAX_KEYS:
            self._full_at = {other: at for other, at in self._full_at.items() if at > now}
        self._full_at[key] = full_at
        return delay


class Client(NamedTuple):
    """The origin of a request: its address, and the address again if limits per address apply."""

    name: str
    limited: str


class LimitedClient(NamedTuple):
    """A client that was limited: when first and last (Unix seconds), its address, what it did too often."""

    since: float
    last: float
    address: str
    what: str


class LimitedClients:
    """The clients that have been limited lately, for the log and for the tab Progress.

    Written by the event loop, read also by threads.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._known: dict[tuple[str, str, str], LimitedClient] = {}  # by seat, address and what was too much
        self._addresses: dict[str, str] = {}  # by seat, where it was connected from last

    def note(self, what: str, address: str, code: str = "") -> None:
        """Notes that a client was limited.

        It is logged once, until the client has kept to the limits for two minutes, and without the code.
        """
        key, now = (code, address, what), self._clock()
        before = self._known.get(key)
        if before and before.last > now - SHOWN_SECONDS:
            self._known[key] = before._replace(last=now)
            return
        self._known = {other: one for other, one in self._known.items() if one.last > now - SHOWN_SECONDS}
        if len(self._known) < MAX_KEYS:
            self._known[key] = LimitedClient(now, now, address, what)
            whose = "a participant's browser at " if code else ""
            logger.warning("Too many %s from %s%s: requests are delayed.", what, whose, address)

    def note_address(self, code: str, address: str) -> None:
        """Records the address from which a seat connects."""
        self._addresses[code] = address

    def limited_lately(self) -> dict[str, list[LimitedClient]]:
        """Returns the clients limited within the last two minutes, by seat; "" stands for no known seat."""
        clients: dict[str, list[LimitedClient]] = {}
        for (code, _address, _what), one in list(self._known.items()):
            if one.last > self._clock() - SHOWN_SECONDS:
                clients.setdefault(code, []).append(one)
        return clients

    def seats_at(self, address: str) -> list[str]:
        """Returns the seats that were connected last from an address."""
        return [code for code, latest in list(self._addresses.items()) if latest == address]


class RateLimits:
    """The limits of all addresses and seats of this server.

    Args:
        max_connections: Connections that one address may have. The limits of an address allow for 300, which
            is enough for a laboratory of 30 computers behind one router; they grow with a larger number.
        seat_factor: How many times as much each seat may do.
        clock: Returns seconds; for tests.
    """

    def __init__(
        self,
        max_connections: int = CONNECTIONS_PER_ADDRESS,
        seat_factor: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_connections = max_connections
        self.clients = LimitedClients()

        def limit(factor: float, burst: float, per_second: float, longest: float = math.inf) -> RateLimit:
            return RateLimit(factor * burst, factor * per_second, longest, clock)

        of_address = max(1.0, max_connections / CONNECTIONS_PER_ADDRESS)
        self.connections = limit(of_address, 300, 100, longest=5)
        self.requests = limit(of_address, 600, 100, longest=5)
        self.pages = limit(of_address, 60, 10, longest=5)  # requests for no file and for no known seat
        self.handshakes = limit(of_address, 300, 60, longest=4)
        self.unknown_seats = limit(1, 20, 1, longest=0)  # sockets with a participant code that does not exist
        # Of one seat. A page opens two sockets; a person makes some moves a second at most.
        self.seat_pages = limit(seat_factor, 30, 5, longest=5)
        self.seat_handshakes = limit(seat_factor, 30, 3, longest=4)
        self.seat_messages = limit(seat_factor, 100, 20)
        self._known_codes: set[str] = set()  # of participants in the database at the start, and later ones
        self._open_requests: Counter[str] = Counter()  # by seat

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> RateLimits:
        """Returns the limits that the environment asks for; exits with a message if one is no number."""
        connections = _positive_integer("CARD_LAB_CONNECTIONS", CONNECTIONS_PER_ADDRESS, environment)
        return cls(connections, _positive_integer("CARD_LAB_SEAT_LIMITS", 1, environment))

    def seat_of(self, path: str) -> str:
        """Returns the participant code in the path of a page or a socket; "" if none is known."""
        match = _SEAT.fullmatch(path)
        return match[1] if match and match[1] in self._known_codes else ""

    def add_known_codes(self, codes: Iterable[str]) -> None:
        """Gives participants, whose codes are known to exist, limits of their own."""
        self._known_codes.update(codes)

    def learn_code_of_page(self, path: str) -> None:
        """Adds the code in the path of a page that was shown, if it is a participant's."""
        if match := _SEAT.fullmatch(path):
            self._known_codes.add(match[1])

    def delay(self, limit: RateLimit, what: str, key: str, address: str, code: str = "") -> float | None:
        """Takes a token and notes a limited client. Returns the seconds to wait, None for a refusal."""
        delay = limit.delay(key)
        if delay is None or delay >= (MIN_REPORTED_DELAY if limit.longest < math.inf else 0.001):
            self.clients.note(what, address, code)
        return delay

    def delay_of_handshake(self, path: str, client: Client) -> float | None:
        """Counts a WebSocket that is opened. Returns the seconds that it has to wait, None for a refusal."""
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
        """Counts a request for a page or file. Returns the seconds that it waits, None for a refusal."""
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
        """Counts a message of a seat, or of an address without a known seat. Returns the seconds to wait."""
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
