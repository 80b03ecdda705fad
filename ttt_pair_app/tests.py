"""oTree's bots: each plays its own keeper, and checks the results."""

from collections.abc import Iterator
from typing import Any

from otree.api import Submission, expect

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import rules
from cardlab.games.ttt.robots import best, look
from cardlab.groups import rounds
from cardlab.pages.bots import BotClient, GameBot


class PlayerBot(GameBot):
    """Plays its keeper well, with a random move now and then."""

    wrong_answer = ("what_is_told", "sign", "Your moves are your only message")

    def play_round(self) -> Iterator[Any]:
        """Plays a round."""
        if self.round_number == 1:
            self.try_board(BotClient(self))
            yield from self.pass_instructions()
            return
        opening = self.app.Hand.opening(self.player)
        if opening is None:
            return
        self.chance = self.draw_chance()
        yield from self.play_hand(opening)
        if self.app.Pause.is_displayed(self.player):
            yield self.app.Pause
        if rounds.is_last_game(self.player):
            expect("Moves in all" in self.html, True)
            yield from self.pass_results()

    def try_board(self, client: BotClient) -> None:
        """Plays with the robot, which answers at once, and starts over."""
        seat = self.app.Instructions.seat(self.player)
        expect("differ" in client.send("T")["refused"], True)
        client.send("C" if seat == "ck" else "N")
        expect(client.reply["view"]["waiting_for"], [seat])
        expect(len(client.reply["view"]["played"]), 2)
        expect(client.send("", again=True)["view"]["moves"], 0)

    def play_hand(self, opening: Any) -> Iterator[Any]:
        """Plays the hand to its end, or is advanced."""
        client = BotClient(self)
        # Only a few hands of a block are played, because each of the partner's moves needs a page reload.
        has_to_leave = not opening.practice and opening.number % 16 not in (1, 2)
        is_alone = self.participant.id_in_session == 2 and opening.number % 16 == 2
        for _look in range(400):
            reply = client.look()
            if reply["over"]:
                break
            if self.player.seat not in reply["view"]["waiting_for"]:
                expect("partner" in client.send("P")["refused"], True)
                yield self.look_again()  # meanwhile the partner moves
                continue
            if has_to_leave or is_alone:
                yield from self.be_advanced()
                return
            self.move(client)
        expect(reply["over"] in ("solved", "failed"), True)
        yield Submission(self.app.Hand, check_html=False)
        hand = client.hand()
        expect(len({hand.result(seat).score for seat in hand.human_seats}), 1)  # both have the same score
        self.expect_payoff()

    def move(self, client: BotClient) -> None:
        """Makes the best move by the seat's knowledge; one move in ten is a random legal one."""
        state, seat, old_reply = client.hand().state, self.player.seat, client.reply
        if action := look(state, seat):
            card = client.send(action)["view"]["cards"][action[-2:].capitalize()]
            expect(card in TTT_PACK, True)
            return
        silly = self.chance.random() < 0.1
        move = self.chance.choice(rules.legal_actions(state, seat)) if silly else best(state, seat)
        expect(client.send(move).get("refused"), None)
        if self.chance.random() < 0.1:
            self.resend(client, move, old_reply)
