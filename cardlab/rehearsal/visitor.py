"""Simulates a participant of an online study, who may lose the connection, leave or come back later."""

from __future__ import annotations

import asyncio
import re
import time
from random import Random
from typing import Any, NamedTuple

from websockets.legacy.client import connect

from cardlab.rehearsal.browser import Browser, ConnectionLost, NoResponse, Page, PageSockets
from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.pace import Pace
from cardlab.rehearsal.participant import Participant, longest_wait

PATIENCE = 600.0  # seconds without a response: in accelerated time a busy server seems slow
RELOADS = 0.03  # share of pages
LOST_RESPONSES = 0.02  # share of requests on an unreliable connection
SECONDS_UP = 120.0  # between outages of an unreliable connection, on average
SECONDS_DOWN = 1.0, 45.0
RETURNS = 0.1  # share of visitors who return their submission at once
SECONDS_OF_RETURN = 1.0, 60.0
SECONDS_TO_DROPOUT = 3600.0  # on average, so that about one in six drops out of a study of ten minutes
ABSENCES = 0.1  # share of visitors who close the browser, and open their link again later
SECONDS_TO_ABSENCE = 10.0, 600.0
SECONDS_AWAY = 20.0, 400.0
BAD_LINES = 0.2  # share of visitors


class Interruptions(NamedTuple):
    """What a visitor does besides taking part: an absence, a dropout, an unreliable connection.

    Attributes:
        leaves_after: Seconds after which they close the browser for good, if they have not finished.
        away_after: Seconds after which they close it for ``away_for`` seconds; None for never.
        bad_line: Whether connections break and responses get lost.
    """

    leaves_after: float
    away_after: float | None
    away_for: float
    bad_line: bool


def draw_interruptions(random: Random) -> Interruptions:
    """Draws the interruptions of a visitor."""
    returns, is_away, bad_line = (random.random() < share for share in (RETURNS, ABSENCES, BAD_LINES))
    return Interruptions(
        random.uniform(*SECONDS_OF_RETURN) if returns else random.expovariate(1 / SECONDS_TO_DROPOUT),
        random.uniform(*SECONDS_TO_ABSENCE) if is_away else None,
        random.uniform(*SECONDS_AWAY),
        bad_line,
    )


class Waited(NamedTuple):
    """A stay on a waiting page that promises a maximum wait (``longest``), in seconds.

    ``total`` counts from the time at which the wait began according to the page. ``away`` is the time without
    a connection or with a closed browser.
    """

    label: str
    total: float
    longest: float
    away: float


class FailingBrowser(Browser):
    """A browser whose connections break, and whose requests may reach the server without a response."""

    patience = PATIENCE
    attempts = 20

    def __init__(self, url: str, figures: Figures, random: Random, bad_line: bool) -> None:
        super().__init__(url, figures)
        self._outages: list[tuple[float, float]] = []
        self._random, self._bad_line = random, bad_line
        self._up = asyncio.Event()
        self._up.set()

    async def fail_repeatedly(self) -> None:
        """Breaks all connections at random intervals, if the connection is unreliable."""
        while self._bad_line:
            await asyncio.sleep(self._random.expovariate(1 / SECONDS_UP))
            start = time.monotonic()
            self._up.clear()
            await self.close()
            await asyncio.sleep(self._random.uniform(*SECONDS_DOWN))
            self.record_outage(start)
            self._up.set()

    def record_outage(self, start: float) -> None:
        """Records an outage from ``start``, on the monotonic clock, until now."""
        self._outages.append((start, time.monotonic()))

    def seconds_down(self, since: float) -> float:
        """Returns the seconds without a connection since a time of the monotonic clock."""
        seconds, counted_until = 0.0, since
        for start, end in sorted(self._outages):
            seconds += max(0.0, end - max(start, counted_until))
            counted_until = max(counted_until, end)
        return seconds

    async def wait_until_up(self) -> None:
        """Waits until the connection works."""
        await self._up.wait()

    def connect(self, path: str) -> connect:
        """Returns a connection to a WebSocket. Raises OSError during an outage."""
        if not self._up.is_set():
            raise OSError("The line is down.")
        return super().connect(path)

    async def _exchange(self, request: bytes, is_retry: bool) -> Any:
        await self._up.wait()
        response = await super()._exchange(request, is_retry)
        if self._bad_line and not is_retry and self._random.random() < LOST_RESPONSES:
            await self.close()
            raise NoResponse
        return response


class Visitor(Participant):
    """A participant whom a recruiting service sends to a session's open link.

    Attributes:
        label: The ID that the service gives them.
        seats: The codes of all participants whose pages they have seen.
        codes: All completion codes that they have been shown.
        has_left: Whether they closed the browser for good.
        waits: Their stays on waiting pages.
        arrived_at, closed_at: When they opened the link, and closed the browser for good or for a while, in
            seconds of the monotonic clock; ``closed_at`` is None if they never did.
    """

    _browser: FailingBrowser

    def __init__(
        self,
        number: int,
        link: str,
        random: Random,
        answers: Answers,
        figures: Figures,
        interruptions: Interruptions,
    ) -> None:
        self.label, self.interruptions = f"PID-{number:05}", interruptions
        self.seats: set[str] = set()
        self.codes: set[str] = set()
        self.waits: list[Waited] = []
        self.has_left = False
        self.arrived_at = time.monotonic()
        self.closed_at: float | None = None
        self._line_random = Random(random.random())
        pace = Pace(True, random)
        super().__init__(number, f"{link}?participant_label={self.label}", pace, random, answers, figures)

    def _make_browser(self, link: str) -> FailingBrowser:
        return FailingBrowser(link, self.figures, self._line_random, self.interruptions.bad_line)

    async def visit(self) -> None:
        """Takes part until the end or until they drop out, and opens the link again afterwards."""
        failing = asyncio.ensure_future(self._browser.fail_repeatedly())
        try:
            await asyncio.wait_for(self._come_and_go(), self.interruptions.leaves_after)
        except asyncio.TimeoutError:
            self.has_left, self.closed_at = True, time.monotonic()
        else:
            if self.last_page:
                self.codes |= codes_on(self.last_page) | codes_on(await self._open(self._start))
        finally:
            failing.cancel()
            await asyncio.wait([failing])
            await self._browser.close()

    async def _come_and_go(self) -> None:
        if self.interruptions.away_after:
            try:
                await asyncio.wait_for(self.run(), self.interruptions.away_after)
                return
            except asyncio.TimeoutError:
                self.closed_at = time.monotonic()
                await asyncio.sleep(self.interruptions.away_for)
                self._browser.record_outage(self.closed_at)
        await self.run()

    async def _open(self, path: str, form: dict[str, str] | None = None) -> Page:
        page = await super()._open(path, form)
        self.seats |= set(re.findall(r"^/p/(\w+)/", page.path))
        return page

    async def _complete(self, page: Page) -> Page | None:
        if self._line_random.random() < RELOADS:
            return await self._open(page.path)
        try:
            return await super()._complete(page)
        except ConnectionLost:
            await self._browser.wait_until_up()
            return await self._open(page.path)

    async def _wait(self, page: Page, sockets: PageSockets) -> Page:
        promise, opened_at = longest_wait(page), time.monotonic()
        next_page = await super()._wait(page, sockets)
        if promise:
            waiting_since = opened_at - promise.waited
            total, away = time.monotonic() - waiting_since, self._browser.seconds_down(waiting_since)
            self.waits.append(Waited(self.label, total, promise.seconds, away))
        return next_page


def codes_on(page: Page) -> set[str]:
    """Returns the completion codes that a page shows."""
    return set(re.findall(r'class="completion-code">([^<]*)<', page.text))
