"""oTree's bots: each plays by the strategy of a robot, and checks the results."""

from collections.abc import Iterator
from typing import Any

from otree.api import Submission, expect

from cardlab.games.matrix import rules
from cardlab.games.matrix.packs import value
from cardlab.games.matrix.robots import ROBOTS
from cardlab.groups import rounds
from cardlab.pages.bots import BotClient, GameBot


class PlayerBot(GameBot):
    """Plays all games by a strategy that depends on the participant's number."""

    wrong_answer = ("red_card", "21", "Red cards are subtracted")

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
        if is_last:
            expect("Theory" in self.html or "theory" in self.html, True)
            yield self.app.Debriefing
            yield from self.pass_results()

    def try_game(self, client: BotClient) -> None:
        """Plays a card in the tutorial, and starts over."""
        expect("do not have this card" in client.send(f"play {self.foreign_card(client)}")["refused"], True)
        client.send(f"play {client.reply['view']['hand'][0]}")
        expect(len(client.reply["view"]["hand"]) < 8, True)
        expect(client.send("", again=True)["view"]["turn"], 1)

    def play_game(self) -> Iterator[Any]:
        """Plays the game to its end; the second participant is advanced in the second one."""
        client = BotClient(self)
        act = list(ROBOTS.values())[self.participant.id_in_session % len(ROBOTS)].act
        has_to_leave = self.participant.id_in_session == 2 and self.round_number == 3
        for _look in range(200):
            reply = client.look()
            if reply["over"]:
                break
            if self.player.seat not in reply["view"]["waiting_for"]:
                yield self.look_again()  # not over yet; meanwhile others play
                continue
            if has_to_leave and reply["view"]["turn"] == 5:
                yield from self.be_advanced()
                return
            self.misbehave(client)
            old_reply = client.reply
            action = act(old_reply["view"], self.chance)
            expect(client.send(action).get("refused"), None)
            if self.chance.random() < 0.2:
                self.resend(client, action, old_reply)
        expect(reply["over"], "completed")
        yield Submission(self.app.Hand, check_html=False)
        self.expect_sum(client.hand())
        self.expect_payoff()

    def misbehave(self, client: BotClient) -> None:
        """Tries forbidden actions."""
        if self.chance.random() < 0.2:
            expect("refused" in client.send(f"play {self.foreign_card(client)}"), True)
        if self.chance.random() < 0.2 and not client.reply["view"]["rotator"]:
            expect("No cross can be turned" in client.send("rotate NW")["refused"], True)

    def foreign_card(self, client: BotClient) -> str:
        """Returns a card that exists, but not in this hand."""
        hands: list[str] = [card for hand in client.hand().state.hands for card in hand]
        return next(card for card in hands if card not in client.reply["view"]["hand"])

    def expect_sum(self, hand: Any) -> None:
        """Expects that the values of all cards, collected or on the table, sum to zero."""
        state = hand.state
        expect(hand.result(self.player.seat).outcome, "completed")
        expect(len(state.turns), state.of)
        on_table = sum(value(card, state.options) for cross in state.crosses for card in cross)
        collected: int = sum(state.score(seat) for seat in rules.seats(state))
        expect(collected, -on_table)
