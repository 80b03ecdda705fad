"""oTree's bots: each plays its keeper in its own way, and expects what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.ttt import rules
from cardlab.games.ttt.strategies import best, look
from cardlab.groups import rounds
from cardlab.pages.bots import BotAtTheTable, another_look, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Hand, Instructions, Pause, Results


class PlayerBot(Bot):
    def play_round(self):
        if self.round_number == 1:
            self.try_the_board()
            yield from through_the_instructions(self, Instructions)
            if config_of(self.player)["check"]:
                yield from self.answer_the_check()
            return
        opening = Hand.opening(self.player)
        if opening is None:
            return
        self.chance = random.Random(f"{self.participant.code} {self.round_number}")
        yield from self.play_the_hand(opening)
        if Pause.is_displayed(self.player):
            yield Pause
        if rounds.is_last_game(self.player):
            expect("together" in self.html, True)
            yield from past_the_results(self, Results)

    def try_the_board(self):
        """The robot answers at once, and what is not allowed is refused."""
        table = BotAtTheTable(self)
        seat = Instructions.seat(self.player)
        expect("differ" in table.send("T")["refused"], True)
        table.send("C" if seat == "ck" else "N")
        expect(table.said["view"]["waiting_for"], [seat])
        expect(len(table.said["view"]["played"]), 2)
        expect(table.send("", again=True)["view"]["moves"], 0)

    def answer_the_check(self):
        wrong = {**Check.right_answers(self.player), "what_is_told": "sign"}
        yield SubmissionMustFail(Check, wrong)
        expect("give no signs" in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play_the_hand(self, opening):
        table = BotAtTheTable(self)
        # Of the many hands of a block few are played: each move of another is a page that is loaded again.
        leaves = not opening.practice and opening.number % 16 not in (1, 2)
        alone = self.participant.id_in_session == 2 and opening.number % 16 == 2
        for _look in range(400):
            said = table.look()
            if said["over"]:
                break
            if self.player.seat not in said["view"]["waiting_for"]:
                expect("partner" in table.send("P")["refused"], True)
                yield another_look(Hand)  # meanwhile the partner moves
                continue
            if leaves or alone:
                yield Submission(Hand, check_html=False, timeout_happened=True)
                expect(Hand.hand(self.player).result(self.player.seat).outcome, "advanced")
                return
            self.move(table)
        expect(said["over"] in ("solved", "failed"), True)
        yield Submission(Hand, check_html=False)
        self.expect_pay(table, opening)

    def move(self, table):
        """The best move by what the seat knows; one in ten is any that is allowed."""
        state, seat, before = table.hand().state, self.player.seat, table.said
        if action := look(state, seat):
            expect(table.send(action)["view"]["cards"][action[-2:].capitalize()] in rules.TTT_PACK, True)
            return
        silly = self.chance.random() < 0.1
        move = self.chance.choice(rules.legal_actions(state, seat)) if silly else best(state, seat)
        expect(table.send(move).get("refused"), None)
        if self.chance.random() < 0.1:
            again = table.send(move, number=before["next"])["refused"]
            expect("over" in again if table.said["over"] else "had changed" in again, True)

    def expect_pay(self, table, opening):
        """Both of a pair have the same."""
        hand, config = table.hand(), config_of(self.player)
        scores = {hand.result(seat).score for seat in hand.human_seats}
        expect(len(scores), 1)
        earned = config["payoff_base"] + config["payoff_rate"] * scores.pop()
        expect(self.player.payoff, 0 if opening.practice else max(config["payoff_floor"], earned))
