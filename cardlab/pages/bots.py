"""How oTree's bots play a hand: through the functions that the hand socket calls.

In a browser they do so while the server answers for a page: what they write goes over the page's connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from otree.api import Submission, SubmissionMustFail, expect
from otree.database import db

from cardlab.core.engine_pool import answer, engine_of
from cardlab.core.hand_cache import read_hand
from cardlab.core.transitions import EngineAnswer
from cardlab.games.events import TUTORIAL_STEP
from cardlab.live import seat as seats
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.pages.pages import HandPage, ResultsPage, TutorialPage
from cardlab.sessions.config import REQUIRED, config_of

ANOTHER_LOOK = "another_look"


class BotAtTheTable:
    """A bot's place at the hand of the page it is on; ``said`` is the server's latest answer."""

    def __init__(self, bot):
        self.bot = bot
        participant = bot.participant
        self.seat = seats.find_seat(participant.code, participant._index_in_pages)
        self.said = self._served(partial(LAB.page_service.connect_and_write, self.seat))
        self.ms = 0

    def _served(self, ask: Callable[[], Answer]) -> dict[str, Any]:
        """What the page shows, and what it is told besides, when the robots that have to search have played
        too. Bots have no processes beside them: what an engine is asked, it answers in this one."""
        said, hand = self._asked(ask)
        while hand and hand.engine_questions:
            seat, question = next(iter(hand.engine_questions.items()))
            found = EngineAnswer(seat, question, answer(engine_of(hand.rules), question))
            board, hand = self._asked(partial(LAB.page_service.play_due_and_write, self.seat, found))
            said = {**said, **board}
        return said

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        (answered,) = LAB.page_service.commit_batch([ask])
        if isinstance(answered, Exception):
            raise answered
        return answered

    def send(self, action: str, traces: Iterable[tuple[str, int]] = (), **changed) -> dict[str, Any]:
        """Send an action as the page would; ``changed`` replaces fields of the message."""
        self.ms += 400
        message = {
            "hand": self.said["hand"],
            "number": self.said["next"],
            "action": action,
            "ms": self.ms,
            "traces": list(traces),
            **changed,
        }
        self.said = self._served(partial(LAB.page_service.receive_and_write, self.seat, json.dumps(message)))
        db.commit()  # what was written, oTree's own session must read anew
        return self.said

    def note(self, name: str) -> dict[str, Any]:
        """Have it noted that something was done on the page beside the hand."""
        message = {"hand": self.said["hand"], "note": name, "ms": self.ms}
        self.said = self._served(partial(LAB.page_service.receive_and_write, self.seat, json.dumps(message)))
        db.commit()
        return self.said

    def look(self) -> dict[str, Any]:
        """What the page shows by now, if others play too."""
        hand = LAB.page_service.hand(self.seat)
        self.said = self._served(lambda: Answer(LAB.page_service.message_for(self.seat, hand), hand))
        return self.said

    def hand(self):
        """The hand as its record tells now; by its name alone, for oTree's rows, which it would be found by
        too, are read anew after each move."""
        named = self.seat.key.hand
        return read_hand(LAB.page_records.end(named), self.seat.page.rules, named, LAB.page_records)


def another_look(page: type[HandPage]) -> SubmissionMustFail:
    """What a bot does that has to wait for others. The hand may be over by the time a browser sends it: then,
    and there, the page is only loaded again (``cardlab.server.otree_patches``)."""
    return SubmissionMustFail(page, {ANOTHER_LOOK: True}, check_html=False)


def through_the_instructions(bot, page: type[TutorialPage]) -> Iterator[Any]:
    """The steps of the instructions, and the way on, which is closed before they are done."""
    if config_of(bot.player)["tutorial"] == REQUIRED:
        yield SubmissionMustFail(page, check_html=False)
    table = BotAtTheTable(bot)
    for step in page.steps(bot.player):
        table.note(f"{TUTORIAL_STEP}{step}")
    yield Submission(page, check_html=False)


def past_the_results(bot, page: type[ResultsPage]) -> Iterator[Any]:
    """The results of a game, which lead on where something follows, and what they leave to that."""
    expect("Your results" in bot.html, True)
    told = bot.participant.vars["cardlab"][bot.player.get_folder_name()]
    expect(told["payoff"], float(sum(each.payoff for each in bot.player.in_all_rounds())))
    expect(sum(told["outcomes"].values()), len(told["scores"]))
    if page.vars_for_template(bot.player)["more"]:
        yield page
