"""Rate limits: how often a seat or an address may connect, ask and send before it has to wait.

What comes too fast is delayed, because a browser that reconnects after a restart of the server must get
through; what would have to wait too long is refused, and a browser tries again by itself. Everything here is
decided in memory, before oTree's lock or the database is touched.

A *seat* is a participant code that the server knows. Addresses of this machine have no limit: there a proxy
brings everybody's requests. Behind a proxy the address is the one that the proxy names.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from cardlab.guard.errors import Refused

logger = logging.getLogger("cardlab.guard")

MOST_KEYS = 10_000  # remembered by a limit before it forgets those that have nothing to wait for
SHOWN_SECONDS = 120  # for which a limited client is shown after it was limited last
WORTH_SAYING = 1.0  # seconds of delay; less can happen when a whole laboratory reconnects
REQUESTS_AT_ONCE = 20  # of one seat, under way or waiting; a browser has six
TABS_PER_SEAT = 5  # with the same hand open, or connected by the socket of every page

TOO_MANY_REQUESTS = "Too many requests. Please wait a moment, then reload the page."

_SEAT = re.compile(r"/(?:hand|here|p|InitializeParticipant)/([A-Za-z0-9]+)(?:/.*)?")


class RateLimit:
    """A token bucket for each key.

    A key may do something ``burst`` times at once and ``per_second`` times a second in the long run. What
    comes faster has to wait, for ``longest`` seconds at most.
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
        """Take a token. Returns the seconds to wait for it; None if they are too many: then none is taken."""
        now = self._clock()
        full_at = max(now, self._full_at.get(key, now)) + 1 / self.per_second
        delay = full_at - now - self.burst / self.per_second
        delay = delay if delay > 0.001 else 0.0
        if delay > self.longest:
            return None
        if len(self._full_at) >= MOST_KEYS:
            self._full_at = {other: at for other, at in self._full_at.items() if at > now}
        self._full_at[key] = full_at
        return delay

    def scaled(self, factor: float) -> None:
        """Allow so many times as much."""
        self.burst, self.per_second = factor * self.burst, factor * self.per_second


class Client(NamedTuple):
    """Where a request comes from: its address, and the same again if the limits of an address hold for it."""

    name: str
    limited: str


# Of one address; for 300 connections, which is enough for a laboratory of 30 computers behind one router.
CONNECTIONS = RateLimit(300, 100, longest=5)
REQUESTS = RateLimit(600, 100, longest=5)
PAGES = RateLimit(60, 10, longest=5)  # of these those that are no file and name no seat
HANDSHAKES = RateLimit(300, 60, longest=4)
UNKNOWN_SEATS = RateLimit(20, 1, longest=0)  # sockets that name a participant code that does not exist
# Of one seat. A page opens two sockets; a person makes some moves a second at most.
SEAT_PAGES = RateLimit(30, 5, longest=5)
SEAT_HANDSHAKES = RateLimit(30, 3, longest=4)
SEAT_MESSAGES = RateLimit(100, 20)


class LimitedClient(NamedTuple):
    """A client that was limited: when first and last (Unix seconds), where it was, what it did too often."""

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
        """Note that a client was limited.

        It is logged once, until the client has kept to the limits for two minutes, and without the code.
        """
        key, now = (code, address, what), self._clock()
        before = self._known.get(key)
        if before and before.last > now - SHOWN_SECONDS:
            self._known[key] = before._replace(last=now)
            return
        self._known = {other: one for other, one in self._known.items() if one.last > now - SHOWN_SECONDS}
        if len(self._known) < MOST_KEYS:
            self._known[key] = LimitedClient(now, now, address, what)
            whose = "a participant's browser at " if code else ""
            logger.warning("Too many %s from %s%s: it has to wait.", what, whose, address)

    def note_address(self, code: str, address: str) -> None:
        """Notes from where a seat connects."""
        self._addresses[code] = address

    def lately(self) -> dict[str, list[LimitedClient]]:
        """Returns who was limited within the last two minutes, by seat; "" stands for no known seat."""
        clients: dict[str, list[LimitedClient]] = {}
        for (code, _address, _what), one in list(self._known.items()):
            if one.last > self._clock() - SHOWN_SECONDS:
                clients.setdefault(code, []).append(one)
        return clients

    def seats_at(self, address: str) -> list[str]:
        """The seats that were connected last from an address."""
        return [code for code, latest in list(self._addresses.items()) if latest == address]


LIMITED = LimitedClients()
# Of participants: those in the database at the start, and those who came since.
_known_codes: set[str] = set()
_under_way: dict[str, int] = {}  # requests by seat


def seat_of(path: str) -> str:
    """The participant code in the path of a page or a socket; "" if there is none that the server knows."""
    match = _SEAT.fullmatch(path)
    return match[1] if match and match[1] in _known_codes else ""


def add_known_codes(codes: Iterable[str]) -> None:
    """Gives participants, whose codes are known to exist, limits of their own."""
    _known_codes.update(codes)


def learn_from_page(path: str) -> None:
    """Adds the code in the path of a page that was shown, if it is a participant's."""
    if match := _SEAT.fullmatch(path):
        _known_codes.add(match[1])


def wait(limit: RateLimit, what: str, key: str, address: str, code: str = "") -> float | None:
    """Take a token of ``key``. Returns the seconds to wait, None for a refusal; tells the researcher."""
    delay = limit.delay(key)
    if delay is None or delay >= (WORTH_SAYING if limit.longest < math.inf else 0.001):
        LIMITED.note(what, address, code)
    return delay


def delay_of_handshake(path: str, client: Client) -> float | None:
    """Count a WebSocket that is opened. Returns the seconds that it has to wait, None for a refusal."""
    code = seat_of(path)
    if code:
        return wait(SEAT_HANDSHAKES, "new sockets", code, client.name, code)
    delay = wait(HANDSHAKES, "new sockets", client.limited, client.name) if client.limited else 0.0
    if delay is not None and _SEAT.fullmatch(path):
        return wait(UNKNOWN_SEATS, "sockets of unknown participants", client.name, client.name)
    return delay


def delay_of_request(path: str, client: Client) -> float | None:
    """Count a page or file that is asked for. Returns the seconds that it has to wait, None for a refusal."""
    delay: float | None = 0.0
    total: float | None = 0.0
    if code := seat_of(path):
        delay = wait(SEAT_PAGES, "pages", code, client.name, code)
    elif client.limited and not path.startswith("/static/"):
        delay = wait(PAGES, "pages", client.limited, client.name)
    if client.limited:
        total = wait(REQUESTS, "requests", client.limited, client.name)
    return None if delay is None or total is None else max(delay, total)


def delay_of_message(code: str, client: Client) -> float:
    """Count a message of a seat, or of an address where no seat is known. Returns the seconds to wait."""
    return wait(SEAT_MESSAGES, "messages", code or client.name, client.name, code) or 0.0


@contextmanager
def request_of(code: str, address: str) -> Iterator[None]:
    """A request of a seat is under way. Raises Refused if there are too many."""
    if not code:
        yield
        return
    if _under_way.get(code, 0) >= REQUESTS_AT_ONCE:
        LIMITED.note("requests", address, code)
        raise Refused(429, TOO_MANY_REQUESTS)
    _under_way[code] = _under_way.get(code, 0) + 1
    try:
        yield
    finally:
        _under_way[code] -= 1
        if not _under_way[code]:
            del _under_way[code]


def set_limits(connections: int, environment: Mapping[str, str] = os.environ) -> None:
    """Scale the limits of an address by the connections that it may have, and those of a seat as is asked."""
    for limit in (CONNECTIONS, REQUESTS, PAGES, HANDSHAKES):
        limit.scaled(max(1.0, connections / 300))
    for limit in (SEAT_PAGES, SEAT_HANDSHAKES, SEAT_MESSAGES):
        limit.scaled(whole("CARD_LAB_SEAT_LIMITS", 1, environment))


def whole(name: str, default: int, environment: Mapping[str, Any] = os.environ) -> int:
    """A whole number from the environment; ends the program with a sentence if it is none."""
    text = environment.get(name, "").strip() or str(default)
    if not (text.isdecimal() and int(text)):
        sys.exit(f"{name} must be a whole number from 1 on, not {text!r}.")
    return int(text)
