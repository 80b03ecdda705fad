"""oTree's bots: they play low cards or any, ask what can be asked, and expect what must come of it."""

import random

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.challenge import rules
from cardlab.games.challenge.strategies import STRATEGIES
from cardlab.groups import rounds
from cardlab.pages.bots import BotAtTheTable, another_look, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Analyse, Check, Hand, Instructions, Results

WAYS = ("greedy", "random")
PATIENCE = (
    12  # own moves, after which a bot resigns: some games would be long, and the computer takes its time
)


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
        yield from self.play_the_game()
        if config_of(self.player)["analysing"]:
            self.analyse_it()
            yield Submission(Analyse, check_html=False)
        if rounds.is_last_game(self.player):
            yield from past_the_results(self, Results)

    def try_a_game(self):
        table = BotAtTheTable(self)
        expect("nothing to pick up" in table.send("pick up")["refused"], True)
        table.send(table.said["view"]["may"][0])
        expect(table.said["view"]["waiting_for"], ["S"])  # the computer has answered
        again = table.send("", again=True)
        expect(again["view"]["moves"], 0)

    def answer_the_check(self):
        right = Check.right_answers(self.player)
        yield SubmissionMustFail(Check, {**right, "which_beats": "lower"})
        expect("one of your own trumps" in self.html, True)
        yield Check, Check.right_answers(self.player)
        expect(self.player.check_attempts.count("\n"), 2)

    def play_the_game(self):
        table = BotAtTheTable(self)
        decide = STRATEGIES[WAYS[self.participant.id_in_session % len(WAYS)]].new_policy(self.chance)
        leaves = self.participant.id_in_session == 2 and rounds.is_last_game(self.player)
        moves = 0
        for _look in range(400):
            said = table.look()
            if said["over"]:
                break
            if self.player.seat not in said["view"]["waiting_for"]:
                yield another_look(Hand)  # not over yet; meanwhile the other plays
                continue
            if leaves and moves == 3:
                yield from self.be_moved_on()
                return
            if not said["view"]["asked"] and self.ask(table):
                continue
            before = table.said
            action = decide(table.hand().state, self.player.seat) if moves < PATIENCE else rules.RESIGN
            expect(table.send(action).get("refused"), None)
            moves += not before["view"]["asked"]
            if self.chance.random() < 0.2:
                again = table.send(action, number=before["next"])["refused"]
                expect("hand is over" in again if table.said["over"] else "had changed" in again, True)
        expect(said["over"] in ("won", "lost", "drawn"), True)
        yield Submission(Hand, check_html=False)
        self.expect_pay()

    def ask(self, table):
        """Now and then a question, or what is not allowed; whether another has to answer it, or has."""
        view, config = table.said["view"], config_of(self.player)
        expect(table.send("play 2S")["refused"], "You do not have this card.")
        what = self.chance.choice([rules.OFFER, rules.CLAIM, rules.CONSULT, "mark off", None, None, None])
        if what == "mark off":
            expect(table.send(what)["view"]["marks"], False)
        elif what and what not in view["may"]:
            expect("refused" in table.send(what), True)
        elif what:
            told = table.send(what)["view"]
            if what == rules.CONSULT:
                expect(told["advice"]["move"].split()[-1] in f"{view['may']}", True)
            elif config["group_size"] == 1:
                expect(told["answered"] in ("accept", "decline") or bool(table.said["over"]), True)
            return True
        return False

    def be_moved_on(self):
        """The researcher advances this one; another goes on."""
        yield Submission(Hand, check_html=False, timeout_happened=True)
        expect(Hand.hand(self.player).result(self.player.seat).outcome, "advanced")

    def analyse_it(self):
        """The game is taken apart: back, the computer's advice, all cards in one's own hand."""
        table = BotAtTheTable(self)
        moves = table.said["view"]["moves"]
        back = table.send(rules.BACK)
        expect("no earlier turn" in back["refused"] if moves < 2 else back["view"]["moves"] < moves, True)
        told = table.send(rules.CONSULT)["view"]
        expect(bool(told["advice"]["move"]), True)
        told = table.send(rules.SETUP)["view"]
        expect((told["moves"], len(told["hand"])), (0, 4 * config_of(self.player)["size"]))
        expect("no card to lead" in table.send(rules.PASS)["refused"], True)

    def expect_pay(self):
        config, hand = config_of(self.player), Hand.hand(self.player)
        result = hand.result(self.player.seat)
        expect(
            result.score, {"won": config["win"], "drawn": config["draw"]}.get(result.outcome, config["loss"])
        )
        earned = config["payoff_base"] + config["payoff_rate"] * result.score
        expect(self.player.payoff, max(config["payoff_floor"], earned))
