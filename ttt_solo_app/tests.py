"""oTree's bots: each plays a whole session in its own way, and checks the results."""

from collections.abc import Iterator
from typing import Any

from otree.api import Submission, SubmissionMustFail, expect

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board, rules, solver
from cardlab.pages.bots import BotClient, GameBot

WAYS = ("optimal", "random", "passes", "advanced")


class PlayerBot(GameBot):
    """Plays all hands in a way that depends on the participant's number."""

    wrong_answer = ("when_solved", "up", "only when the goal card is in Target")

    def play_round(self) -> Iterator[Any]:
        """Plays a round."""
        self.way, app = WAYS[self.participant.id_in_session % len(WAYS)], self.app
        if self.round_number == 1:
            self.try_board(BotClient(self))
            yield from self.pass_instructions()
        opening = app.Hand.opening(self.player)
        if opening is None:
            return
        yield SubmissionMustFail(app.Hand, check_html=False)
        if self.way == "advanced" and self.round_number % 3 == 0:
            yield from self.be_advanced()
        else:
            self.play(BotClient(self), opening)
            yield Submission(app.Hand, check_html=False)
        self.expect_payoff()
        if app.Pause.is_displayed(self.player):
            expect("Practice is over." in self.html, True)
            yield app.Pause
        if opening.is_last:
            yield from self.pass_results()

    def try_board(self, client: BotClient) -> None:
        """Solves the board of the tutorial, and starts over."""
        expect("The colours differ" in client.send("T")["refused"], True)
        for move in "CTT":
            client.send(move)
        expect(client.reply["over"], "solved")
        again = client.send("", again=True)
        expect(again["over"], None)
        expect(again["view"]["moves"], 0)

    def play(self, client: BotClient, opening: Any) -> None:
        """Plays the hand to its end."""
        layout, goal, first_mover = board.parse_deal(opening.deal)
        self.chance = self.draw_chance()
        path = solver.shortest(layout, goal, first_mover) if self.way == "optimal" else ""
        while not client.reply["over"]:
            state = client.hand().state
            old_reply = client.reply
            if self.way == "random":
                self.fidget(client)
                move = self.chance.choice(rules.legal_actions(state, board.SEAT))
            else:
                move = path[state.moves] if path else "P"
            expect(client.send(move).get("refused"), None)
            if self.chance.random() < 0.2:
                resent = client.send(move, number=old_reply["next"])
                expect(resent["view"]["moves"], old_reply["view"]["moves"] + 1)
        hand = client.hand()
        if self.way == "optimal":
            expect(hand.outcome, "solved")
            expect(hand.state.moves, len(path))
            expect(hand.result(board.SEAT).score, round(1000 - 50 * hand.state.moves))
        elif self.way == "passes":
            expect(hand.outcome, "failed")
            expect(hand.state.moves, opening.options["MaxRounds"])

    def fidget(self, client: BotClient) -> None:
        """Looks at a card, and tries a forbidden action."""
        view = client.reply["view"]
        if view["may_look"] and self.chance.random() < 0.5:
            keeper = self.chance.choice(view["may_look"])
            card = client.send(f"look {keeper}")["view"]["cards"][keeper.capitalize()]
            expect(card in TTT_PACK, True)
        if self.chance.random() < 0.3:
            expect("refused" in client.send("Q", traces=[("pick up", client.ms)]), True)
