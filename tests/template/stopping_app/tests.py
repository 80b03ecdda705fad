"""oTree's bots, which keep the third card; the second bot is advanced before the end."""

from otree.api import expect

from cardlab.games.stopping import rules
from cardlab.pages.bots import BotClient, SoloBot


class PlayerBot(SoloBot):
    """Keeps the third card of every row."""

    wrong_answer = ("last_card", "back", "A card that was passed over is gone")

    def play(self, client: BotClient, to_the_end: bool = True) -> None:
        """Turns up two more cards, and keeps the third if ``to_the_end``."""
        for _card in range(2):
            expect(client.send(rules.NEXT).get("refused"), None)
        if to_the_end:
            expect(client.send(rules.KEEP)["over"], "completed")
