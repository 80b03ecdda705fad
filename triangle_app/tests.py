"""oTree's bots: each plays by one of the named strategies, and expects what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.triangle import rules
from cardlab.games.triangle.strategies import VIEW_POLICIES
from cardlab.pages.bots import BotAtTheTable, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Hand, Instructions, Results


class PlayerBot(Bot):
    def play_round(self):
        self.chance = random.Random(f"{self.participant.code} {self.round_number}")
        self.way = list(VIEW_POLICIES)[self.participant.id_in_session % len(VIEW_POLICIES)]
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
            self.play(table, cards=5)
            yield Submission(Hand, check_html=False, timeout_happened=True)
            expect(Hand.hand(self.player).outcome, "advanced")
        else:
            self.play(table)
            expect(table.said["over"], "completed")
            yield Submission(Hand, check_html=False)
        self.expect_pay(opening)
        if opening.is_last:
            yield from past_the_results(self, Results)

    def try_the_board(self):
        table = BotAtTheTable(self)
        self.play(table, cards=3)
        again = table.send("", again=True)
        expect(any(place["complete"] for place in again["view"]["places"]), False)

    def answer_the_check(self):
        right = Check.right_answers(self.player)
        wrong = {**right, "which_single": "red"}
        yield SubmissionMustFail(Check, wrong)
        expect("only hollow, blue or circle" in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play(self, table, cards=40):
        for _card in range(cards):
            if table.said["over"]:
                return
            self.fidget(table)
            before = table.said
            action = VIEW_POLICIES[self.way](before["view"], self.chance)
            expect(table.send(action).get("refused"), None)
            if self.chance.random() < 0.2:
                expect("refused" in table.send(action, number=before["next"]), True)

    def fidget(self, table):
        """What people do besides placing: plan, take it back, try what is not allowed."""
        spare = next((single for single, count in table.said["view"]["spares"].items() if count), None)
        empty = next(place["place"] for place in table.said["view"]["places"] if not place["complete"])
        if spare and self.chance.random() < 0.3:
            expect(table.send(f"mark {spare} {empty}").get("refused"), None)
            if self.chance.random() < 0.5:
                expect(table.send(f"unmark {spare} {empty}").get("refused"), None)
        if self.chance.random() < 0.2:
            expect("refused" in table.send("discard"), True)
        if self.chance.random() < 0.2:
            expect("refused" in table.send("place 28"), True)

    def expect_pay(self, opening):
        hand, config = Hand.hand(self.player), config_of(self.player)
        score = hand.result(rules.SEAT).score
        earned = max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)
        expect(self.player.payoff, 0 if opening.practice else earned)
