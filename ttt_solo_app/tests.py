"""oTree's bots: each plays a whole session in its own way and expects what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.ttt import rules, solver
from cardlab.pages.bots import BotAtTheTable, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Hand, Instructions, Pause, Results

WAYS = ("optimal", "random", "passes", "advanced")


class PlayerBot(Bot):
    def play_round(self):
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
        if self.way == "advanced" and self.round_number % 3 == 0:
            yield Submission(Hand, check_html=False, timeout_happened=True)
            expect(Hand.hand(self.player).outcome, "advanced")
            expect(self.player.payoff, 0 if opening.practice else config_of(self.player)["payoff_floor"])
        else:
            score = self.play(opening)
            yield Submission(Hand, check_html=False)
            expect(self.player.payoff, 0 if opening.practice else score)
        if Pause.is_displayed(self.player):
            expect("The practice is over." in self.html, True)
            yield Pause
        if opening.is_last:
            yield from past_the_results(self, Results)

    def try_the_board(self):
        table = BotAtTheTable(self)
        expect("Colours differ" in table.send("T")["refused"], True)
        for move in "CTT":
            table.send(move)
        expect(table.said["over"], "solved")
        again = table.send("", again=True)
        expect(again["over"], None)
        expect(again["view"]["moves"], 0)

    def answer_the_check(self):
        right = Check.right_answers(self.player)
        wrong = {**right, "when_solved": "up"}
        yield SubmissionMustFail(Check, wrong)
        expect("lies in Target." in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play(self, opening):
        table = BotAtTheTable(self)
        layout, goal, first = rules.parse_deal(opening.deal)
        chance = random.Random(f"{self.participant.code} {self.round_number}")
        path = solver.shortest(layout, goal, first) if self.way == "optimal" else ""
        while not table.said["over"]:
            state = table.hand().state
            before = table.said
            if self.way == "random":
                self.fidget(table, chance)
                move = chance.choice(rules.legal_actions(state, rules.SEAT))
            else:
                move = path[state.moves] if path else "P"
            expect(table.send(move).get("refused"), None)
            if chance.random() < 0.2:
                resent = table.send(move, number=before["next"])
                expect(resent["view"]["moves"], before["view"]["moves"] + 1)
        self.expect_outcome(table.hand(), opening, path)
        return table.hand().result(rules.SEAT).score

    def fidget(self, table, chance):
        """What people do besides moving: look, pick up and put back, try what is not allowed."""
        view = table.said["view"]
        if view["may_look"] and chance.random() < 0.5:
            keeper = chance.choice(view["may_look"])
            seen = table.send(f"look {keeper}")["view"]["cards"][keeper.capitalize()]
            expect(seen in rules.TTT_PACK, True)
        if chance.random() < 0.3:
            expect("refused" in table.send("Q", traces=[("pick up", table.ms)]), True)

    def expect_outcome(self, hand, opening, path):
        moves = hand.state.moves
        if self.way == "optimal":
            expect(hand.outcome, "solved")
            expect(moves, len(path))
        elif self.way == "passes":
            expect(hand.outcome, "failed")
            expect(moves, opening.options["MaxRounds"])
        if self.way == "optimal":
            expect(hand.result(rules.SEAT).score, round(1000 - 50 * moves))
