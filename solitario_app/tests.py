"""oTree's bots: each plays by one of the named strategies, and expects what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.solitario import rules
from cardlab.games.solitario.strategies import STRATEGIES
from cardlab.pages.bots import BotAtTheTable, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Hand, Instructions, Results

WAYS = ("solver", "greedy", "careful")


class PlayerBot(Bot):
    def play_round(self):
        self.chance = random.Random(f"{self.participant.code} {self.round_number}")
        self.way = WAYS[self.participant.id_in_session % len(WAYS)]
        if self.round_number == 1:
            self.try_the_board()
            yield from through_the_instructions(self, Instructions)
            if config_of(self.player)["check"]:
                yield from self.answer_the_check()
        opening = Hand.opening(self.player)
        if opening is None:
            return
        yield SubmissionMustFail(Hand, check_html=False)
        table = BotAtTheTable(self)
        if self.participant.id_in_session == 2 and opening.is_last:
            self.play(table, most=5)
            yield Submission(Hand, check_html=False, timeout_happened=True)
            expect(Hand.hand(self.player).outcome, "advanced")
        else:
            self.play(table)
            expect(table.said["over"] in ("solved", "gave_up"), True)
            yield Submission(Hand, check_html=False)
        self.expect_pay(opening)
        if opening.is_last:
            yield from past_the_results(self, Results)

    def try_the_board(self):
        table = BotAtTheTable(self)
        self.play(table, most=3)
        again = table.send("", again=True)
        expect(again["view"]["moves"], 0)

    def answer_the_check(self):
        right = Check.right_answers(self.player)
        yield SubmissionMustFail(Check, {**right, "empty_column": "any"})
        expect("Only a king may go to an empty column" in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play(self, table, most=5000):
        decide = STRATEGIES[self.way].new_policy(self.chance)
        for _move in range(most):
            if table.said["over"]:
                return
            if self.chance.random() < 0.05:
                self.try_what_is_not_allowed(table)
            before = table.said
            action = decide(table.hand().state, rules.SEAT)
            expect(table.send(action).get("refused"), None)
            if self.chance.random() < 0.05 and not table.said["over"]:
                expect("refused" in table.send(action, number=before["next"]), True)
        expect(table.said["over"] is None, most < 100)

    def try_what_is_not_allowed(self, table):
        for action in ("move 1 1 1", "undo", "home d", "turn up"):
            expect("refused" in table.send(action), True)

    def expect_pay(self, opening):
        hand, config = Hand.hand(self.player), config_of(self.player)
        score = hand.result(rules.SEAT).score
        earned = max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)
        expect(self.player.payoff, 0 if opening.practice else earned)
