"""The participants' texts, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from gettext import gettext as _
from typing import Any

from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.questions import Form, Question


@cache
def board_texts() -> dict[str, str]:
    """Returns the texts of the board's scripts (_static/stopping), which fill in the words in braces."""
    return {
        "shown": _("{card} lies open."),
        "left": _("{count} to come"),
        "keep": _("Keep it"),
        "next": _("Next card"),
        "kept": _("You kept a card worth {score} points."),
        "ended": _("This hand is over."),
    }


def coach_texts(_options: dict[str, Any]) -> dict[str, str]:
    """Returns the tutorial's texts, shown next to its row."""
    return {
        "try": _("Turn up cards until you like one, and keep it."),
        "tried": _("You kept it. Start over to try again, or go on."),
    }


def keys_sentence(_options: dict[str, Any]) -> str:
    """Returns an empty text, because the board has no keyboard shortcuts."""
    return ""


def score_sentences(_config: Config) -> list[str]:
    """Returns an empty list, because the rules explain the score."""
    return []


def score_guide(_config: Config) -> ScoreGuide:
    """Returns the points of an ace, a three, a nine and the highest card."""
    return ScoreGuide(1, 3, 9, 10)


def rules_vars(config: Config, _hands: object) -> dict[str, Any]:
    """Returns the template variables of the rules (stopping_app/Rules.html)."""
    return {"hands": config["hands"]}


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [(_("Cards turned up"), lambda result: result.parts["turned"])]


def questions(_options: dict[str, Any]) -> list[Question]:
    """Returns the comprehension check, in the participant's language."""
    return [
        Question(
            "last_card",
            Form(
                _("You have turned up all cards but the last, and go on. What happens?"),
                (
                    ("kept", _("I get the last card, whatever it is")),
                    ("back", _("I may choose among all cards")),
                ),
                "kept",
                _("A card that was passed over is gone: the last card has to be kept."),
            ),
        )
    ]
