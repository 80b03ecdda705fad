"""A simulated participant: from the start link through every page to the end."""

from __future__ import annotations

import asyncio
import json
import re
import time
from random import Random

from cardlab.games.contract import ViewPolicy
from cardlab.games.registry import Game, games_by_name
from cardlab.rehearsal import forms, hand
from cardlab.rehearsal.browser import Browser, Failed, Listening, Page
from cardlab.rehearsal.figures import Figures, Finished
from cardlab.rehearsal.pace import Pace

ASKS_EVERY = 5.0  # seconds, as a waiting page does (_static/cardlab/waiting.js)
PATIENCE = 900  # seconds at a waiting page
MOST_ATTEMPTS = 20  # at the form of a page
END = "OutOfRangeNotification"


class Participant:
    """Someone with a start link. ``stop`` ends the walk at a page; by default it goes on to the end."""

    def __init__(
        self,
        number: int,
        start: str,
        *,
        pace: Pace,
        chance: Random,
        answers: forms.Answers,
        figures: Figures,
    ) -> None:
        self.number, self.figures, self.answers, self.pace = number, figures, answers, pace
        self.actions = self.pages = 0
        self.where = start
        self._chance = chance
        self._players: dict[str, ViewPolicy] = {}
        self._start = "/" + start.split("/", 3)[3]
        self._browser = Browser(start, figures)

    async def walk(self, stops=lambda page: False) -> None:
        """Go through all pages, to the end or to one at which it ``stops``; tell the figures."""
        began = time.perf_counter()
        try:
            page = await self._open(self._start)
            while not page.elsewhere and page.name != END and not stops(page):
                after = await self._through(page)
                if after is None:
                    break
                page = after
            self.figures.finished.append(
                Finished(
                    self.number, time.perf_counter() - began, self.pace.thought, self.pages, self.actions
                )
            )
        except Failed as error:
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

    async def _through(self, page: Page) -> Page | None:
        """Do what there is to do at a page; the page that follows, None if it is the last."""
        async with Listening(self._browser, page, self.pace) as listening:
            try:
                if is_waiting(page):
                    return await self._wait(page, listening)
                if is_board(page):
                    await self._play(page)
                else:
                    await self.pace.read()
                return await self._leave(page)
            except hand.MovedOn:
                return await self._open(page.path)

    async def _wait(self, page: Page, listening: Listening) -> Page:
        """Wait for the others, as the page does."""
        until = time.perf_counter() + PATIENCE
        gathers = 'id="ready"' in page.text
        while time.perf_counter() < until:
            if gathers and (await self._browser.ask(f"{page.path}?here=1"))[0]:
                break
            try:
                await asyncio.wait_for(listening.news.wait(), ASKS_EVERY)
            except asyncio.TimeoutError:
                if gathers:
                    continue
            listening.news.clear()
            after = await self._open(page.path)
            if after.path != page.path:
                return after
        else:
            raise Failed(f"The waiting page led nowhere in {PATIENCE} s.")
        return await self._open(page.path)

    async def _play(self, page: Page) -> None:
        """Play the hand of a page to its end; on a board that may be left at any time an action a step."""
        told = json.loads(page.found(r"(?s)var js_vars = (\{.*?\});</script>").replace("\\/", "/"))
        player = self._player(game_of(page))
        tab = str(self._chance.getrandbits(60))
        async with hand.Board(self._browser, told, tab, self.figures) as board:
            if is_hand(page):
                self.actions += await hand.play(board, player, self.pace)
                return
            for step in steps_of(page) or [""]:
                await self.pace.read()
                if not board.said["over"] and (action := player(board.said["view"])):
                    await board.act(action)
                if step:
                    await board.note(f"step {step}")

    def _player(self, game: Game) -> ViewPolicy:
        """What plays the game for this participant: the same through all its hands."""
        if game.name not in self._players:
            self._players[game.name] = game.load_module("strategies").new_view_policy(self._chance)
        return self._players[game.name]

    async def _leave(self, page: Page) -> Page | None:
        """Send the page's form, as often as it takes."""
        for attempt in range(MOST_ATTEMPTS):
            # What is filled in on a board is nothing; to read the rules beside it would take time.
            form = forms.Form(button=("", "")) if is_board(page) else forms.read(page.text)
            if form.button is None:
                return None
            await self.pace.going()
            sent = forms.filled(form, self.answers, attempt)
            after = await self._open(page.path, sent)
            if after.path != page.path:
                self.answers.passed(form, sent)
                return after
            self.answers.came_back(form, sent, forms.read(after.text))
            page = after
        said = page.found(r"(?s)otree-form-errors[^>]*>(.*?)</div>") or ""
        raise Failed(f"The form is not accepted, whatever is filled in: {' '.join(said.split())}")


def is_waiting(page: Page) -> bool:
    """Whether a page goes on by itself, when others have come."""
    return "otree-wait-page" in page.text


def is_board(page: Page) -> bool:
    """Whether a hand is played on the page, or a board tried."""
    return '"socket": "/hand/' in page.text


def steps_of(page: Page) -> list[str]:
    """The steps of the instructions; none on a page that has their words for reading again."""
    return re.findall(r'data-step="([^"]+)"', page.text) if 'class="lesson"' in page.text else []


def is_hand(page: Page) -> bool:
    """Whether a hand is played there that has to come to its end (_templates/experiment/HandPage.html)."""
    return is_board(page) and 'id="go-on"' in page.text


def game_of(page: Page) -> Game:
    """The game that a page plays: the one whose scripts it loads. Raises Failed."""
    for game in games_by_name().values():
        if re.search(rf'src="/static/(?:\w+/)?{game.name}/', page.text):
            return game
    raise Failed(f"No game is known that plays at {page.path}.")
