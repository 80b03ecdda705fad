"""The comprehension check: after a wrong answer comes why, and another question; every attempt is kept."""

from __future__ import annotations

import json
from gettext import gettext as _
from typing import Any, NamedTuple

from otree.api import Page

from cardlab.core.clock import now_ms
from cardlab.games.record import compact_json
from cardlab.pages.pages import BoardPage, rules_at_hand
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import openings_for

# A participant needs two or three; a script that sends thousands must not make the record endless.
MOST_ATTEMPTS = 200
LONGEST_ANSWER = 40  # characters that are kept of what was sent


class Form(NamedTuple):
    """One way to ask a question: the text, the choices as ``(value, words)``, the right value, and why."""

    text: str
    choices: tuple[tuple[str, str], ...]
    right: str
    why: str


class Question(NamedTuple):
    """What is asked for a field of the player: in the first form, after a wrong answer in the next, and
    after the last in the first again."""

    field: str
    forms: tuple[Form, ...]


Attempt = dict[str, str]  # the answers, by field


def form_asked(question: Question, attempts: list[Attempt]) -> Form:
    """The form in which the question is asked after these attempts; once answered rightly it stays."""
    wrong = 0
    for answers in attempts:
        form = question.forms[wrong % len(question.forms)]
        wrong += answers.get(question.field) != form.right
    return question.forms[wrong % len(question.forms)]


class CheckPage(Page):
    """A comprehension check, the rules at hand. Subclasses set ``board``, the page that has them, and
    ``questions``, a function of the options of the session's hands.

    The player needs a text field ``check_attempts`` (one JSON line an attempt: server time in
    milliseconds, answers), a string field for each question there may be, and ``check_done_ms``.
    """

    form_model = "player"
    template_name = "experiment/Check.html"
    board: type[BoardPage]

    @staticmethod
    def questions(options: dict[str, Any]) -> list[Question]:
        raise NotImplementedError("the game asks its own questions")

    @classmethod
    def options(cls, player) -> dict[str, Any]:
        """The options of the hands that the participant will play: those of the first round's."""
        return openings_for(player, 1)[0].options

    @classmethod
    def asked(cls, player) -> list[Question]:
        return cls.questions(cls.options(player))

    @classmethod
    def right_answers(cls, player) -> Attempt:
        """What has to be answered to what is asked now."""
        attempts = _attempts(player)
        return {question.field: form_asked(question, attempts).right for question in cls.asked(player)}

    @classmethod
    def is_displayed(cls, player) -> bool:
        return player.round_number == 1 and config_of(player)["check"]

    @classmethod
    def before_next_page(cls, player, timeout_happened) -> None:
        if not timeout_happened:
            player.check_done_ms = now_ms()

    @classmethod
    def get_form_fields(cls, player) -> list[str]:
        return [question.field for question in cls.asked(player)]

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        """The questions: what is right so far, what was wrong and why, and how it is asked now."""
        attempts = _attempts(player)
        questions = [_told(question, attempts) for question in cls.asked(player)]
        return {"questions": questions, "attempts": len(attempts), **rules_at_hand(cls.board, player)}

    @classmethod
    def error_message(cls, player, values) -> str | None:
        right = cls.right_answers(player)
        answers = {field: values[field][:LONGEST_ANSWER] for field in right}
        earlier = player.check_attempts.split("\n")[:-1][: MOST_ATTEMPTS - 1]
        player.check_attempts = "".join(f"{line}\n" for line in [*earlier, compact_json([now_ms(), answers])])
        if answers == right:
            return None
        return _("Not everything is right yet. Please read why, and answer the new questions.")


def _attempts(player) -> list[Attempt]:
    return [json.loads(line)[1] for line in player.check_attempts.split("\n") if line]


def _told(question: Question, attempts: list[Attempt]) -> dict[str, Any]:
    """A question as the page shows it."""
    form = form_asked(question, attempts)
    before = form_asked(question, attempts[:-1])
    right = bool(attempts) and attempts[-1].get(question.field) == before.right
    return {
        "field": question.field,
        "text": form.text,
        "choices": form.choices,
        "right": right,
        "answered": form.right if right else None,
        "before": before.text,
        "why": before.why if attempts and not right else "",
    }
