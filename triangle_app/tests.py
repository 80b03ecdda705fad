"""oTree's bots: each plays by one of the named strategies, and checks the results."""

from otree.api import expect

from cardlab.games.triangle.strategies import VIEW_POLICIES
from cardlab.pages.bots import BotClient, SoloBot


class PlayerBot(SoloBot):
    """Plays all hands by a strategy that depends on the participant's number."""

    wrong_answer = ("which_single", "red", "here hollow, blue or circle")

    def play(self, client: BotClient, to_the_end: bool = True) -> None:
        """Places all cards, or a few unless ``to_the_end``."""
        act = list(VIEW_POLICIES.values())[self.participant.id_in_session % len(VIEW_POLICIES)]
        for _card in range(40 if to_the_end else 4):
            if client.reply["over"]:
                return
            self.fidget(client)
            old_reply = client.reply
            action = act(old_reply["view"], self.chance)
            expect(client.send(action).get("refused"), None)
            if self.chance.random() < 0.2:
                expect("refused" in client.send(action, number=old_reply["next"]), True)

    def fidget(self, client: BotClient) -> None:
        """Places a reminder, removes it, and tries forbidden actions."""
        view = client.reply["view"]
        spare = next((single for single, count in view["spares"].items() if count), None)
        empty_place = next(place["place"] for place in view["places"] if not place["complete"])
        if spare and self.chance.random() < 0.3:
            expect(client.send(f"mark {spare} {empty_place}").get("refused"), None)
            if self.chance.random() < 0.5:
                expect(client.send(f"unmark {spare} {empty_place}").get("refused"), None)
        for action in ("discard", "place 28"):
            if self.chance.random() < 0.2:
                expect("refused" in client.send(action), True)
