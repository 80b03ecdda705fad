"""oTree's bots: they agree, so that they can play the games that follow."""

from collections.abc import Iterator
from typing import Any

from otree.api import Bot, SubmissionMustFail, expect

from .pages import YES, Consent


class PlayerBot(Bot):
    """Agrees, after two answers that are refused."""

    def play_round(self) -> Iterator[Any]:
        """Plays the round."""
        yield SubmissionMustFail(Consent, {})
        yield SubmissionMustFail(Consent, {"agreed": "perhaps"})
        yield Consent, {"agreed": YES}
        expect(self.player.agreed, YES)
