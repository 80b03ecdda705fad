"""The base classes of all games' oTree bots, which play through the functions that the hand socket calls.

Browser bots play while the server renders a page, so they write over the page's database connection.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from otree.api import Bot, Submission, SubmissionMustFail, expect
from otree.common import get_models_module
from otree.database import db

from cardlab.core.engine_pool import answer, engine_of
from cardlab.core.hand_cache import read_hand
from cardlab.core.transitions import EngineAnswer
from cardlab.games.events import TUTORIAL_STEP
from cardlab.games.hand import Hand
from cardlab.games.shared_settings import REQUIRED
from cardlab.live import seat as seats
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.sessions.config import config_of

ANOTHER_LOOK = "another_look"


class BotClient:
    """A bot's seat at the hand of the page it is on; ``reply`` is the server's latest answer."""

    def __init__(self, bot: Bot) -> None:
        participant = bot.participant
        seat = seats.find_seat(participant.code, participant._index_in_pages)
        if seat is None:
            raise LookupError("the bot is on no page with a hand")
        self.seat = seat
        self.reply = self._send(partial(LAB.page_service.connect_and_write, self.seat))
        self.ms = 0

    def _send(self, ask: Callable[[], Answer]) -> dict[str, Any]:
        """Returns the answer, after the moves of robots that have to search.

        Bots have no engine processes, so engines search in this process.
        """
        reply, hand = self._commit(ask)
        while hand and hand.engine_questions:
            rules: Any = hand.rules
            seat, question = next(iter(hand.engine_questions.items()))
            engine_answer = EngineAnswer(seat, question, *answer(engine_of(rules), question))
            snapshot, hand = self._commit(
                partial(LAB.page_service.play_due_and_write, self.seat, engine_answer)
            )
            reply = {**reply, **snapshot}
        return reply

    def _commit(self, ask: Callable[[], Answer]) -> Answer:
        (reply,) = LAB.page_service.commit_batch([ask])
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _send_message(self, message: dict[str, Any]) -> dict[str, Any]:
        self.reply = self._send(partial(LAB.page_service.receive_and_write, self.seat, json.dumps(message)))
        db.commit()  # so that oTree's session reloads what was written
        return self.reply

    def send(self, action: str, traces: Iterable[tuple[str, int]] = (), **changes: Any) -> dict[str, Any]:
        """Sends an action as the page would; ``changes`` replaces fields of the message."""
        self.ms += 400
        message = {
            "hand": self.reply["hand"],
            "number": self.reply["next"],
            "action": action,
            "ms": self.ms,
            "traces": list(traces),
        }
        return self._send_message({**message, **changes})

    def note(self, name: str) -> dict[str, Any]:
        """Sends a note about something done on the page, outside of the hand."""
        return self._send_message({"hand": self.reply["hand"], "note": name, "ms": self.ms})

    def look(self) -> dict[str, Any]:
        """Returns the newest message, after other players' moves."""
        hand = self.hand()
        self.reply = self._send(lambda: Answer(LAB.page_service.message_for(self.seat, hand), hand))
        return self.reply

    def hand(self) -> Hand:
        """Returns the recorded hand, by its id, without loading oTree's rows again after each move."""
        name = self.seat.key.hand
        hand = read_hand(LAB.page_records.end(name), self.seat.page.rules, name, LAB.page_records)
        if hand is None:
            raise LookupError("the hand has not begun")
        return hand


class GameBot(Bot):
    """A bot that goes through a game's app. Subclasses play the hands in ``play_round``.

    ``wrong_answer``: a field of the comprehension check, a wrong value, and words of its explanation.
    """

    wrong_answer: tuple[str, str, str]

    @property
    def app(self) -> Any:
        """The app's module, with its pages."""
        return get_models_module(self.player.get_folder_name())

    @property
    def config(self) -> Any:
        """The session config in the bot's treatment."""
        return config_of(self.player)

    def draw_chance(self) -> random.Random:
        """Returns a random generator seeded by the participant and the round."""
        return random.Random(f"{self.participant.code} {self.round_number}")

    def pass_instructions(self) -> Iterator[Any]:
        """Does the steps of the instructions, which must all be done, and the check."""
        page = self.app.Instructions
        if self.config["tutorial"] == REQUIRED:
            yield SubmissionMustFail(page, check_html=False)
        client = BotClient(self)
        for step in page.steps(self.player):
            client.note(f"{TUTORIAL_STEP}{step}")
        yield Submission(page, check_html=False)
        if self.config["check"]:
            yield from self.answer_check()

    def answer_check(self) -> Iterator[Any]:
        """Gives a wrong answer, then the right ones."""
        check, (field, wrong_choice, explanation) = self.app.Check, self.wrong_answer
        yield SubmissionMustFail(check, {**check.right_answers(self.player), field: wrong_choice})
        expect(explanation in self.html, True)
        yield check, check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def look_again(self) -> SubmissionMustFail:
        """Returns the submission of a bot that has to wait for others.

        The hand may be over by the time a browser sends it: then the page is only loaded again
        (``cardlab.server.otree_patches.browser_bots``).
        """
        return SubmissionMustFail(self.app.Hand, {ANOTHER_LOOK: True}, check_html=False)

    def resend(self, client: BotClient, action: str, old_state: dict[str, Any]) -> None:
        """Sends an action again with its old number, and expects a refusal."""
        refusal = client.send(action, number=old_state["next"])["refused"]
        expect("is over" in refusal if client.reply["over"] else "board changed" in refusal, True)

    def be_advanced(self) -> Iterator[Any]:
        """Is advanced by the researcher, while co-players play on."""
        yield Submission(self.app.Hand, check_html=False, timeout_happened=True)
        hand = self.app.Hand.hand(self.player)
        expect(hand.outcome_for(self.app.Hand.seat(self.player)), "advanced")

    def expect_payoff(self) -> None:
        """Checks that the payoff is that of the hand's score."""
        hand, config = self.app.Hand.hand(self.player), self.config
        score = hand.result(self.app.Hand.seat(self.player)).score
        earned = max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)
        expect(self.player.payoff, 0 if hand.opening.practice else earned)

    def pass_results(self) -> Iterator[Any]:
        """Passes the results page of a game, if a page follows."""
        expect("Your results" in self.html, True)
        summary = self.participant.vars["cardlab"][self.player.get_folder_name()]
        expect(summary["payoff"], float(sum(player.payoff for player in self.player.in_all_rounds())))
        expect(sum(summary["outcomes"].values()), len(summary["scores"]))
        if self.app.Results.vars_for_template(self.player)["more"]:
            yield self.app.Results


class SoloBot(GameBot):
    """A bot that plays alone. The second participant of a session is advanced in the last hand.

    Subclasses have ``try_board``, which plays on the board of the instructions, and ``play``, which plays a
    hand: to its end, or only its beginning.
    """

    def play_round(self) -> Iterator[Any]:
        """Plays a round."""
        self.chance = self.draw_chance()
        if self.round_number == 1:
            self.try_board(BotClient(self))
            yield from self.pass_instructions()
        page = self.app.Hand
        opening = page.opening(self.player)
        if opening is None:
            return
        yield SubmissionMustFail(page, check_html=False)
        client = BotClient(self)
        if self.participant.id_in_session == 2 and opening.is_last:
            self.play(client, to_the_end=False)
            yield from self.be_advanced()
        else:
            self.play(client)
            expect(bool(client.reply["over"]), True)
            yield Submission(page, check_html=False)
        self.expect_payoff()
        if opening.is_last:
            yield from self.pass_results()

    def try_board(self, client: BotClient) -> None:
        """Plays on the board to try, and starts over."""
        self.play(client, to_the_end=False)
        expect(client.send("", again=True)["over"], None)

    def play(self, client: BotClient, to_the_end: bool = True) -> None:
        """Plays the hand."""
        raise NotImplementedError
