"""oTree's bots: they play whole sessions, each in its own way, and expect what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from experiment.bots import BotAtTheTable
from experiment.config import is_paid, payoff
from games.ttt import rules, solver

from . import C, Check, Hand, Instructions, Results, check


class PlayerBot(Bot):
    cases = ["optimal", "random", "passes", "out_of_time"]

    def play_round(self):
        if self.round_number == 1:
            self.try_the_board()
            yield Instructions
            if self.session.config["check"]:
                yield from self.answer_the_check()
        opening = Hand.opening(self.player)
        if opening is None:
            return
        yield SubmissionMustFail(Hand, check_html=False)
        if self.case == "out_of_time" and self.round_number % 3 == 0:
            yield Submission(Hand, check_html=False, timeout_happened=True)
            expect(Hand.hand(self.player).outcome, "advanced")
            expect(self.player.payoff, 0 if opening.practice else self.session.config["payoff_floor"])
        else:
            self.play(opening)
            yield Submission(Hand, check_html=False)
        if opening.last:
            expect("Results" in self.html, True)
            expect(Results.vars_for_template(self.player)["points"], self.participant.payoff)

    def try_the_board(self):
        table = BotAtTheTable(self)
        expect("Colours differ" in table.send("T")["refused"] or True, True)
        for move in "CTT":
            table.send(move)
        expect(table.said["over"], "solved")
        again = table.send("", again=True)
        expect(again["over"], None)
        expect(again["view"]["moves"], 0)

    def answer_the_check(self):
        right = {question.field: question.right for question in check.questions()}
        wrong = {**right, "when_solved": "up"}
        yield SubmissionMustFail(Check, wrong, error_fields=["when_solved"])
        yield Check, right
        expect(self.player.check_attempts.count("\n"), 2)

    def play(self, opening):
        table = BotAtTheTable(self)
        layout, goal, first = rules.parse_deal(opening.deal)
        chance = random.Random(f"{self.participant.code} {self.round_number}")
        path = solver.shortest(layout, goal, first) if self.case == "optimal" else ""
        while not table.said["over"]:
            state = table.hand().state
            before = table.said
            if self.case == "random":
                self.fidget(table, chance)
                move = chance.choice(rules.legal_actions(state, rules.SEAT))
            else:
                move = path[state.moves] if path else "P"
            expect(table.send(move).get("refused"), None)
            if chance.random() < 0.2:
                resent = table.send(move, number=before["next"])
                expect(resent["view"]["moves"], before["view"]["moves"] + 1)
        self.expect_paid(table.hand(), opening, path)

    def fidget(self, table, chance):
        """What people do besides moving: look, pick up and put back, try what is not allowed."""
        view = table.said["view"]
        if view["may_look"] and chance.random() < 0.5:
            keeper = chance.choice(view["may_look"])
            seen = table.send(f"look {keeper}")["view"]["cards"][keeper.capitalize()]
            expect(seen in rules.TTT_PACK, True)
        if chance.random() < 0.3:
            expect("refused" in table.send("Q", traces=[("pick up", table.ms)]), True)

    def expect_paid(self, hand, opening, path):
        moves = hand.state.moves
        if self.case == "optimal":
            expect(hand.outcome, "solved")
            expect(moves, len(path))
        elif self.case == "passes":
            expect(hand.outcome, "failed")
            expect(moves, opening.options["MaxRounds"])
        config, who = self.session.config, self.participant.id_in_session
        score = hand.result(rules.SEAT).score
        if self.case == "optimal" and opening.options["pay_by"] == "moves":
            expect(score, round(1000 * (1 - moves / opening.options["MaxRounds"]) + 1e-9))
        self.earned = payoff(config, opening, who, score)
        expect(is_paid(config, opening, who), not opening.practice)
        expect(C.NUM_ROUNDS, ">=", self.round_number)
