"""Comprehension questions: the choice, what is collected, the new cross, red cards, turning a cross."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    asked = [_left_right(), _who_collects(), _new_cross(), _red_card()]
    return [*asked, _turning()] if options["players"] == 2 else asked


def _left_right() -> Question:
    crossing = _(
        "Your card selects a column as you see the table, the other player’s card one as they see "
        "it. The cross where the two columns meet is the selected one."
    )
    return Question(
        "left_right",
        Form(
            _("You play a card for the left column. What does it decide?"),
            (
                ("own", _("That the selected cross lies in the left column, as I see the table")),
                ("cross", _("That I collect the near left cross")),
                ("other", _("That the other player collects a card of the left column")),
            ),
            "own",
            crossing,
        ),
        Form(
            _("You have played a card for the right column. Do you know now which cross is selected?"),
            (
                ("yes", _("Yes, the right cross that is nearer to me")),
                (
                    "two",
                    _("No: one of the two in the right column; the other’s card decides which"),
                ),
                ("four", _("No: it may be any of the four crosses")),
            ),
            "two",
            crossing,
        ),
    )


def _who_collects() -> Question:
    upright = _("You collect the card that stands upright as you see it, the other player the one across.")
    return Question(
        "who_collects",
        Form(
            _("In the selected cross, which card do you collect?"),
            (
                ("upright", _("The one that stands upright as I see it")),
                ("higher", _("The one with the higher value")),
                ("played", _("The one that I have just played")),
            ),
            "upright",
            upright,
        ),
        Form(
            _("In the selected cross +9 lies across, −2 upright as you see it. What do you collect?"),
            (("nine", "+9"), ("both", _("Both cards")), ("two", "−2")),
            "two",
            upright,
        ),
    )


def _new_cross() -> Question:
    cross = _(
        "The two cards just played become the new cross in that place. Yours stands upright as you "
        "see it, so you may collect it later."
    )
    return Question(
        "new_cross",
        Form(
            _("What becomes of the two cards that have just been played?"),
            (
                ("collected", _("Each player adds their own to the pile")),
                ("cross", _("They become the new cross in the selected place")),
                ("away", _("They are out of the game")),
            ),
            "cross",
            cross,
        ),
        Form(
            _("How does the card that you have just played lie in the new cross?"),
            (
                ("across", _("Across")),
                ("down", _("Face down")),
                ("stands", _("Upright, as I see it")),
            ),
            "stands",
            cross,
        ),
    )


def _red_card() -> Question:
    total = _("Your score is the sum of what you have collected, and red cards are taken off it.")
    return Question(
        "red_card",
        Form(
            _("You have collected +8, −3 and −10. What is your score?"),
            (("21", "+21"), ("minus5", "−5"), ("8", "+8")),
            "minus5",
            total,
        ),
        Form(
            _("You have collected +7, +2 and −4. What is your score?"),
            (("13", "+13"), ("9", "+9"), ("plus5", "+5")),
            "plus5",
            total,
        ),
    )


def _turning() -> Question:
    lower = _("Whoever collected the lower card may turn a cross; after equal values nobody may.")
    return Question(
        "turning",
        Form(
            _("You have collected a −6, the other player a +3. Who may turn a cross now?"),
            (("me", _("I")), ("other", _("The other player")), ("nobody", _("Nobody"))),
            "me",
            lower,
        ),
        Form(
            _("You have collected a +5, the other player a +5 too. Who may turn a cross now?"),
            (("both", _("Both of us")), ("other", _("The other player")), ("none", _("Nobody"))),
            "none",
            lower,
        ),
    )
