"""oTree's bots: they play low or random cards, ask questions, and check the results."""

from collections.abc import Iterator
from typing import Any

from otree.api import Submission, expect

from cardlab.games.challenge import rules
from cardlab.games.challenge.strategies import STRATEGIES
from cardlab.groups import rounds
from cardlab.pages.bots import BotClient, GameBot

BOT_STRATEGIES = ("greedy", "random")
# A bot resigns after this many own moves, because some games would be long and the computer is slow.
MAX_OWN_MOVES = 12


class PlayerBot(GameBot):
    """Plays all games by a strategy that depends on the participant's number."""

    wrong_answer = ("which_beats", "lower", "and your own trumps")

    def play_round(self) -> Iterator[Any]:
        """Plays a round."""
        if self.round_number == 1:
            self.try_game(BotClient(self))
            yield from self.pass_instructions()
            return
        is_last = rounds.is_last_game(self.player)
        if self.app.Hand.opening(self.player) is None:
            expect(is_last or self.round_number > 1 + self.config["games"], True)
            return
        self.chance = self.draw_chance()
        yield from self.play_game()
        if self.config["analysing"]:
            self.analyse_game(BotClient(self))
            yield Submission(self.app.Analyse, check_html=False)
        if is_last:
            yield from self.pass_results()

    def try_game(self, client: BotClient) -> None:
        """Leads a card in the tutorial, which the computer answers at once, and starts over."""
        expect("nothing to pick up" in client.send("pick up")["refused"], True)
        client.send(client.reply["view"]["may"][0])
        expect(client.reply["view"]["waiting_for"], ["S"])
        expect(client.send("", again=True)["view"]["moves"], 0)

    def play_game(self) -> Iterator[Any]:
        """Plays the game to its end; the second participant is advanced in the last one."""
        client = BotClient(self)
        decide = STRATEGIES[BOT_STRATEGIES[self.participant.id_in_session % len(BOT_STRATEGIES)]].new_policy(
            self.chance
        )
        has_to_leave = self.participant.id_in_session == 2 and rounds.is_last_game(self.player)
        moves = 0
        for _look in range(400):
            reply = client.look()
            if reply["over"]:
                break
            if self.player.seat not in reply["view"]["waiting_for"]:
                yield self.look_again()  # not over yet; meanwhile the other plays
                continue
            if has_to_leave and moves == 3:
                yield from self.be_advanced()
                return
            if not reply["view"]["asked"] and self.ask(client):
                continue
            old_reply = client.reply
            action = decide(client.hand().state, self.player.seat) if moves < MAX_OWN_MOVES else rules.RESIGN
            expect(client.send(action).get("refused"), None)
            moves += not old_reply["view"]["asked"]
            if self.chance.random() < 0.2:
                self.resend(client, action, old_reply)
        expect(reply["over"] in ("won", "lost", "drawn"), True)
        yield Submission(self.app.Hand, check_html=False)
        result, config = self.app.Hand.hand(self.player).result(self.player.seat), self.config
        scores = {"won": config["win"], "drawn": config["draw"]}
        expect(result.score, scores.get(result.outcome, config["loss"]))
        self.expect_payoff()

    def ask(self, client: BotClient) -> bool:
        """Sometimes asks a question, or tries a forbidden action.

        Returns whether a question was asked.
        """
        view = client.reply["view"]
        expect(client.send("play 2S")["refused"], "You do not have this card.")
        action = self.chance.choice([rules.OFFER, rules.CLAIM, rules.CONSULT, "mark off", None, None, None])
        if action == "mark off":
            expect(client.send(action)["view"]["marks"], False)
        elif action and action not in view["may"]:
            expect("refused" in client.send(action), True)
        elif action:
            new_view = client.send(action)["view"]
            if action == rules.CONSULT:
                expect(new_view["advice"]["move"].split()[-1] in f"{view['may']}", True)
            elif self.config["group_size"] == 1:
                expect(new_view["answered"] in ("accept", "decline") or bool(client.reply["over"]), True)
            return True
        return False

    def analyse_game(self, client: BotClient) -> None:
        """Analyses the game: takes back a turn, asks for advice, and puts all cards into the own hand."""
        moves = client.reply["view"]["moves"]
        back = client.send(rules.BACK)
        expect("your first turn" in back["refused"] if moves < 2 else back["view"]["moves"] < moves, True)
        view = client.send(rules.CONSULT)["view"]
        expect(bool(view["advice"]["move"]), True)
        view = client.send(rules.SETUP)["view"]
        expect((view["moves"], len(view["hand"])), (0, 4 * self.config["size"]))
        expect("no cards to lead" in client.send(rules.PASS)["refused"], True)
