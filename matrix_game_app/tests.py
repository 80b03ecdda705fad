"""oTree's bots: each plays by one of the robots' strategies, and expects what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.matrix import rules
from cardlab.games.matrix.robots import ROBOTS
from cardlab.groups import rounds
from cardlab.pages.bots import BotAtTheTable, another_look, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Debriefing, Hand, Instructions, Results


class PlayerBot(Bot):
    def play_round(self):
        if self.round_number == 1:
            self.try_a_game()
            yield from through_the_instructions(self, Instructions)
            if config_of(self.player)["check"]:
                yield from self.answer_the_check()
            return
        if Hand.opening(self.player) is None:
            expect(
                rounds.is_last_game(self.player) or self.round_number > 1 + config_of(self.player)["games"],
                True,
            )
            return
        self.chance = random.Random(f"{self.participant.code} {self.round_number}")
        self.way = list(ROBOTS)[self.participant.id_in_session % len(ROBOTS)]
        yield from self.play_the_game()
        if rounds.is_last_game(self.player):
            expect("Theory" in self.html or "theory" in self.html, True)
            yield Debriefing
            yield from past_the_results(self, Results)

    def try_a_game(self):
        table = BotAtTheTable(self)
        expect("not in your hand" in table.send(f"play {self.foreign_card(table)}")["refused"], True)
        table.send(f"play {table.said['view']['hand'][0]}")
        expect(len(table.said["view"]["hand"]) < 8, True)
        again = table.send("", again=True)
        expect(again["view"]["turn"], 1)

    def answer_the_check(self):
        right = Check.right_answers(self.player)
        wrong = {**right, "red_card": "21"}
        yield SubmissionMustFail(Check, wrong)
        expect("red cards are taken off it" in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play_the_game(self):
        table = BotAtTheTable(self)
        left = self.participant.id_in_session == 2 and self.round_number == 3
        for _look in range(200):
            said = table.look()
            if said["over"]:
                break
            if self.player.seat not in said["view"]["waiting_for"]:
                yield another_look(Hand)  # not over yet; meanwhile others play
                continue
            if left and said["view"]["turn"] == 5:
                yield from self.be_moved_on()
                return
            self.misbehave(table)
            before = table.said
            action = ROBOTS[self.way].act(before["view"], self.chance)
            expect(table.send(action).get("refused"), None)
            if self.chance.random() < 0.2:
                again = table.send(action, number=before["next"])["refused"]
                expect("hand is over" in again if table.said["over"] else "had changed" in again, True)
        expect(said["over"], "completed")
        yield Submission(Hand, check_html=False)
        self.expect_pay(table)

    def be_moved_on(self):
        """The researcher advances this one; the others go on."""
        yield Submission(Hand, check_html=False, timeout_happened=True)
        result = Hand.hand(self.player).result(self.player.seat)
        expect(result.outcome, "advanced")

    def misbehave(self, table):
        """What people try that is not allowed."""
        if self.chance.random() < 0.2:
            expect("refused" in table.send(f"play {self.foreign_card(table)}"), True)
        if self.chance.random() < 0.2 and not table.said["view"]["rotator"]:
            expect("No cross may be turned" in table.send("rotate NW")["refused"], True)

    def foreign_card(self, table):
        """A card that exists, but not in this hand."""
        hands = [card for hand in table.hand().state.hands for card in hand]
        return next(card for card in hands if card not in table.said["view"]["hand"])

    def expect_pay(self, table):
        config, hand = config_of(self.player), table.hand()
        result = hand.result(self.player.seat)
        expect(result.outcome, "completed")
        expect(len(hand.state.turns), hand.state.of)
        collected = [value for seat in rules.seats(hand.state) for value in [hand.state.score(seat)]]
        on_the_table = sum(
            rules.value(card, hand.state.options) for cross in hand.state.crosses for card in cross
        )
        expect(sum(collected), -on_the_table)
        earned = config["payoff_base"] + config["payoff_rate"] * result.score
        expect(self.player.payoff, max(config["payoff_floor"], earned))
