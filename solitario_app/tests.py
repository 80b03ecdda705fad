"""oTree's bots: each plays by one of the named strategies, and checks the results."""

from otree.api import expect

from cardlab.games.solitario import rules
from cardlab.games.solitario.strategies import STRATEGIES
from cardlab.pages.bots import BotClient, SoloBot

BOT_STRATEGIES = ("solver", "greedy", "careful")


class PlayerBot(SoloBot):
    """Plays all hands by a strategy that depends on the participant's number."""

    wrong_answer = ("empty_column", "any", "Only a king, with the cards on it")

    def play(self, client: BotClient, to_the_end: bool = True) -> None:
        """Solves the hand or gives it up; only begins it unless ``to_the_end``."""
        decide = STRATEGIES[BOT_STRATEGIES[self.participant.id_in_session % len(BOT_STRATEGIES)]].new_policy(
            self.chance
        )
        for _move in range(5000 if to_the_end else 4):
            if client.reply["over"]:
                expect(client.reply["over"] in ("solved", "gave_up"), True)
                return
            if self.chance.random() < 0.05:
                for action in ("move 1 1 1", "undo", "home d", "turn up"):
                    expect("refused" in client.send(action), True)
            old_reply = client.reply
            action = decide(client.hand().state, rules.SEAT)
            expect(client.send(action).get("refused"), None)
            if self.chance.random() < 0.05 and not client.reply["over"]:
                expect("refused" in client.send(action, number=old_reply["next"]), True)
