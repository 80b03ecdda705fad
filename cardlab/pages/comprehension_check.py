"""The comprehension check: a wrong answer is explained and asked again; attempts are recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from gettext import gettext as _
from typing import Any

from otree.api import Page

from cardlab.core.clock import now_ms
from cardlab.games.questions import Form, Question
from cardlab.games.record import compact_json
from cardlab.pages.board import rules_template_vars
from cardlab.pages.shell import ShellPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of

# Participants need two or three; the limit bounds what a script can store.
MAX_ATTEMPTS = 200
MAX_ANSWER_LENGTH = 40  # stored characters of an answer

Attempt = dict[str, str]  # the answers, by field


def current_form(question: Question, attempts: list[Attempt]) -> Form:
    """Returns the form of a question after these attempts; a right answer keeps its form."""
    wrong_attempts = 0
    for answers in attempts:
        form = question.forms[wrong_attempts % len(question.forms)]
        wrong_attempts += answers.get(question.field) != form.right
    return question.forms[wrong_attempts % len(question.forms)]


class CheckPage(ShellPage, Page):
    """A comprehension check, with the rules on the same page.

    Subclasses set ``instructions``, the page with the rules, and ``questions``, a function of the options of
    the session's hands. The player needs a text field ``check_attempts`` (a JSON line for each attempt:
    server time in milliseconds, answers), a string field for each question, and ``check_done_ms``.
    """

    form_model = "player"
    template_name = "cardlab/ComprehensionCheck.html"
    instructions: type[TutorialPage]
    questions: Callable[[dict[str, Any]], list[Question]]

    @classmethod
    def current_questions(cls, player: Any) -> list[Question]:
        """Returns the participant's questions."""
        return cls.questions(cls.instructions.options(player))

    @classmethod
    def right_answers(cls, player: Any) -> Attempt:
        """Returns the right answers to the current forms."""
        attempts = _attempts(player)
        questions = cls.current_questions(player)
        return {question.field: current_form(question, attempts).right for question in questions}

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the session has a check, in the first round."""
        return bool(player.round_number == 1 and config_of(player)["check"])

    @classmethod
    def before_next_page(cls, player: Any, timeout_happened: bool) -> None:
        """Records when the participant passed, unless the researcher advanced them."""
        if not timeout_happened:
            player.check_done_ms = now_ms()

    @classmethod
    def get_form_fields(cls, player: Any) -> list[str]:
        """Returns the fields of the questions."""
        return [question.field for question in cls.current_questions(player)]

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the questions, each with its current form and the explanation of a wrong answer."""
        attempts = _attempts(player)
        questions = [_question_vars(question, attempts) for question in cls.current_questions(player)]
        rules = rules_template_vars(cls.instructions, player)
        return {"questions": questions, "attempts": len(attempts), **rules}

    @classmethod
    def error_message(cls, player: Any, values: dict[str, str]) -> str | None:
        """Records the attempt; returns an error message if an answer is wrong."""
        right_answers = cls.right_answers(player)
        answers = {field: values[field][:MAX_ANSWER_LENGTH] for field in right_answers}
        earlier = player.check_attempts.split("\n")[:-1][: MAX_ATTEMPTS - 1]
        player.check_attempts = "".join(f"{line}\n" for line in [*earlier, compact_json([now_ms(), answers])])
        if answers == right_answers:
            return None
        return _("Some answers are not right. Read why and try the new questions.")


def _attempts(player: Any) -> list[Attempt]:
    return [json.loads(line)[1] for line in player.check_attempts.split("\n") if line]


def _question_vars(question: Question, attempts: list[Attempt]) -> dict[str, Any]:
    form = current_form(question, attempts)
    previous_form = current_form(question, attempts[:-1])
    is_right = bool(attempts) and attempts[-1].get(question.field) == previous_form.right
    return {
        "field": question.field,
        "text": form.text,
        "choices": form.choices,
        "right": is_right,
        "answered": form.right if is_right else None,
        "before": previous_form.text,
        "why": previous_form.why if attempts and not is_right else "",
    }
