"""oTree's bots: they answer, and what cannot be an answer is refused at its field."""

from otree.api import Bot, SubmissionMustFail, expect

from . import REQUIRED, Questions, asked

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
    def play_round(self):
        there = asked(self.player)
        answers = {name: ANSWERS[name] for name in there}
        for name in there:
            if name in WRONG:
                yield SubmissionMustFail(Questions, {**answers, name: WRONG[name]}, error_fields=[name])
        if self.session.config["answers"] == REQUIRED:
            yield SubmissionMustFail(Questions, dict.fromkeys(there, ""))
        yield Questions, answers
        expect([getattr(self.player, name) for name in there], list(answers.values()))
