"""oTree's bots: they agree, since what follows is theirs to play."""

from otree.api import Bot, SubmissionMustFail, expect

from . import YES, Consent


class PlayerBot(Bot):
    def play_round(self):
        yield SubmissionMustFail(Consent, {})
        yield SubmissionMustFail(Consent, {"agreed": "perhaps"})
        yield Consent, {"agreed": YES}
        expect(self.player.agreed, YES)
