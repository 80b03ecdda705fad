"""oTree's bots: one who keeps the third card, one who is moved on before the end."""

from otree.api import Bot, Submission, SubmissionMustFail, expect

from cardlab.games.stopping import rules
from cardlab.pages.bots import BotAtTheTable, past_the_results, through_the_instructions
from cardlab.sessions.config import config_of

from . import Check, Hand, Instructions, Results


class PlayerBot(Bot):
    def play_round(self):
        if self.round_number == 1:
            yield from through_the_instructions(self, Instructions)
            if config_of(self.player)["check"]:
                yield SubmissionMustFail(Check, {"last_card": "back"})
                yield Check, {"last_card": "kept"}
        opening = Hand.opening(self.player)
        if opening is None:
            return
        yield SubmissionMustFail(Hand, check_html=False)
        table = BotAtTheTable(self)
        for _turn in range(2):
            expect(table.send(rules.NEXT).get("refused"), None)
        if self.participant.id_in_session == 2 and opening.is_last:
            yield Submission(Hand, check_html=False, timeout_happened=True)
            expect(Hand.hand(self.player).outcome, "advanced")
        else:
            expect(table.send(rules.KEEP)["over"], "completed")
            yield Submission(Hand, check_html=False)
            expect(self.player.payoff, rules.WORTH[opening.deal.split()[2]])
        if opening.is_last:
            yield from past_the_results(self, Results)
