"""Simulates a participant, from the start link through every page to the end."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from cardlab.games.contract import ViewPolicy
from cardlab.games.registry import Game, games_by_name
from cardlab.rehearsal import forms, hand
from cardlab.rehearsal.browser import Browser, Page, PageSockets, RehearsalError
from cardlab.rehearsal.figures import Figures, Finished
from cardlab.rehearsal.pace import Pace

POLL_INTERVAL = 5.0  # seconds, as on a waiting page (_static/cardlab/waiting.js)
MAX_WAIT = 900  # seconds on a waiting page beyond the promised maximum
MAX_ATTEMPTS = 20  # at the form of a page
LAST_PAGE = "OutOfRangeNotification"


class Participant:
    """A simulated participant with a start link, a pace and answers."""

    def __init__(
        self, number: int, link: str, pace: Pace, random: Random, answers: forms.Answers, figures: Figures
    ) -> None:
        self.number, self.figures, self.answers, self.pace = number, figures, answers, pace
        self.actions = self.pages = 0
        self.where = link
        self.last_page: Page | None = None
        self._random = random
        self._policies: dict[str, ViewPolicy] = {}
        self._start = "/" + link.split("/", 3)[3]
        self._browser = self._make_browser(link)

    def _make_browser(self, link: str) -> Browser:
        return Browser(link, self.figures)

    async def run(self, stops_at: Callable[[Page], bool] = lambda page: False) -> None:
        """Goes through all pages, to the end or to a page at which it ``stops_at``; records the outcome."""
        start = time.monotonic()
        try:
            page: Page | None = await self._open(self._start)
            while page and not page.is_external and page.name != LAST_PAGE and not stops_at(page):
                self.last_page, page = page, await self._complete(page)
            seconds = time.monotonic() - start
            self.last_page = page or self.last_page
            self.figures.finished.append(
                Finished(self.number, seconds, self.pace.thought, self.pages, self.actions)
            )
        except RehearsalError as error:
            self.figures.errors.append(f"Participant {self.number} at {self.where}: {error}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.figures.errors.append(f"Participant {self.number} at {self.where}: {error!r}")
        finally:
            await self._browser.close()

    async def _open(self, path: str, form: dict[str, str] | None = None) -> Page:
        page = await self._browser.open(path, form)
        self.pages += 1
        self.where = page.path
        return page

    async def _complete(self, page: Page) -> Page | None:
        """Plays, waits on or submits a page; returns the page that follows, None after the last."""
        if not has_board(page):
            await self._browser.close_socket("hand")
        async with PageSockets(self._browser, page, self.pace) as sockets:
            try:
                if is_waiting(page):
                    return await self._wait(page, sockets)
                if has_board(page):
                    await self._play(page)
                else:
                    await self.pace.read()
                return await self._submit(page)
            except hand.MovedOn:
                return await self._open(page.path)

    async def _wait(self, page: Page, sockets: PageSockets) -> Page:
        opened_at = time.monotonic()
        polls, promise = 'id="ready"' in page.text, longest_wait(page)
        max_wait = MAX_WAIT + (promise.seconds if promise else 0.0)
        while (elapsed := time.monotonic() - opened_at) < max_wait:
            if polls and await self._browser.poll(f"{page.path}?here=1"):
                return await self._open(page.path)
            seconds_left = promise.seconds - promise.waited - elapsed if promise else 0.0
            try:
                interval = min(seconds_left, POLL_INTERVAL) if seconds_left > 0 else POLL_INTERVAL
                await asyncio.wait_for(sockets.reload.wait(), interval)
            except asyncio.TimeoutError:
                if polls:
                    continue
            sockets.reload.clear()
            next_page = await self._open(page.path)
            if next_page.path != page.path:
                return next_page
        raise RehearsalError(f"The waiting page did not continue within {max_wait:.0f} s.")

    async def _play(self, page: Page) -> None:
        """Plays the hand of a page to its end; on a practice board, one action for each step."""
        script_data = page.search(r"(?s)var js_vars = (\{.*?\});</script>") or ""
        js_vars = json.loads(script_data.replace("\\/", "/"))
        policy = self.policy(game_of(page))
        tab = str(self._random.getrandbits(60))
        async with hand.Board(self._browser, js_vars, tab, self.figures) as board:
            if is_hand(page):
                self.actions += await hand.play(board, policy, self.pace, self.figures)
                return
            for step in steps_of(page) or [""]:
                await self.pace.read()
                if not board.state["over"] and (action := policy(board.state["view"])):
                    await board.act(action)
                if step:
                    await board.complete_step(step)

    def policy(self, game: Game) -> ViewPolicy:
        """Returns the policy that plays all of this participant's hands of a game."""
        if game.name not in self._policies:
            self._policies[game.name] = game.load_module("strategies").new_view_policy(self._random)
        return self._policies[game.name]

    async def _submit(self, page: Page) -> Page | None:
        """Sends the page's form until it is accepted; returns the page that follows, None after the last."""
        for attempt in range(MAX_ATTEMPTS):
            # A board's form has no fields; parsing the rules on its page would take time.
            form = forms.Form(button=("", "")) if has_board(page) else forms.parse_form(page.text)
            if form.button is None:
                return None
            await self.pace.wait_while_paused()
            values = forms.fill_in(form, self.answers, attempt)
            next_page = await self._open(page.path, values)
            if next_page.path != page.path:
                self.answers.record_accepted(form, values)
                return next_page
            self.answers.record_returned(form, values, forms.parse_form(next_page.text))
            page = next_page
        errors = page.search(r"(?s)otree-form-errors[^>]*>(.*?)</div>") or ""
        raise RehearsalError(f"The form was rejected, whatever the values: {' '.join(errors.split())}")


class LongestWait(NamedTuple):
    """The maximum wait that a waiting page promises, and the part that has passed, in seconds."""

    seconds: float
    waited: float


def longest_wait(page: Page) -> LongestWait | None:
    """Returns the promise of a waiting page; None if it promises nothing."""
    seconds = float(page.search(r'data-longest="([\d.]+)"') or 0)
    waited = float(page.search(r'data-ms="([\d.]+)"') or 0) / 1000
    return LongestWait(seconds, waited) if seconds else None


def is_waiting(page: Page) -> bool:
    """Returns whether the page waits for other participants."""
    return "otree-wait-page" in page.text


def has_board(page: Page) -> bool:
    """Returns whether the page has a board, of a hand or for practice."""
    return '"socket": "/hand/' in page.text


def steps_of(page: Page) -> list[str]:
    """Returns the steps of the instructions; none on a page that only shows their text again."""
    return re.findall(r'data-step="([^"]+)"', page.text) if 'class="lesson"' in page.text else []


def is_hand(page: Page) -> bool:
    """Returns whether the page has a hand that must be played to its end (HandPage.html)."""
    return has_board(page) and 'id="go-on"' in page.text


def game_of(page: Page) -> Game:
    """Returns the game of a page: the one whose scripts it loads. Raises RehearsalError."""
    for game in games_by_name().values():
        if re.search(rf'src="/static/(?:\w+/)?{game.name}/', page.text):
            return game
    raise RehearsalError(f"No game can play the page {page.path}.")
