"""oTree's bots: they answer, after invalid answers that are refused at their fields."""

from collections.abc import Iterator
from typing import Any

from otree.api import Bot, SubmissionMustFail, expect

from .pages import REQUIRED, Questions, asked_fields

ANSWERS = {
    "age": 24,
    "gender": "own",
    "gender_own": "=1+1",
    "field_of_study": "Économie",
    "difficulty": 5,
    "strategy": "First what is low,\nthen what is red.",
}
WRONG = {"age": 3, "gender": "none", "gender_own": "x" * 101, "difficulty": 8, "strategy": "x" * 2001}


class PlayerBot(Bot):
    """Answers all questions, after answers that are refused."""

    def play_round(self) -> Iterator[Any]:
        """Plays the round."""
        fields = asked_fields(self.player)
        answers = {name: ANSWERS[name] for name in fields}
        for name in fields:
            if name in WRONG:
                yield SubmissionMustFail(Questions, {**answers, name: WRONG[name]}, error_fields=[name])
        if self.session.config["answers"] == REQUIRED:
            yield SubmissionMustFail(Questions, dict.fromkeys(fields, ""))
        yield Questions, answers
        expect([getattr(self.player, name) for name in fields], list(answers.values()))
