"""What a participant reads that is neither in a template nor on the board."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.record import Opening
from cardlab.pages import texts
from cardlab.pages.comprehension_check import Form, Question
from cardlab.sessions import money


def hand_title(opening: Opening) -> str:
    return _("Hand {number} of {of}").format(number=opening.number, of=opening.of)


def of_pay(config: dict[str, Any]) -> list[str]:
    """What is paid, a sentence each."""
    return [*texts.of_pay(config, _("hand")), *money.of_pay(config, _("hand"), 9)]


def questions(_options: dict[str, Any]) -> list[Question]:
    """The comprehension check, in the participant's language, so made when asked for."""
    return [
        Question(
            "last_card",
            (
                Form(
                    _("You have turned up all cards but the last, and go on. What happens?"),
                    (
                        ("kept", _("I get the last card, whatever it is")),
                        ("back", _("I may choose among all cards")),
                    ),
                    "kept",
                    _("A card that was passed over is gone: the last card has to be kept."),
                ),
            ),
        )
    ]
