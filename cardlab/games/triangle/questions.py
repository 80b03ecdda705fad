"""Defines the comprehension questions: fitting, matching, discards, the score of a side, variations."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question, yes_no


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    found = [_which_single(), _which_match(), _no_place(), _which_side()]
    if options["doubled"]:
        found.append(_two_singles())
    if options["mixed_in"]:
        found.append(_single_to_place())
    return found


def _which_single() -> Question:
    return Question(
        "which_single",
        Form(
            _("The card to place is a hollow blue circle. Which feature card may it replace?"),
            (("red", _("Red")), ("hollow", _("Hollow")), ("square", _("Square"))),
            "hollow",
            _("A full card replaces one of its own features: here hollow, blue or circle."),
        ),
        Form(
            _("The card to place is a partial green square. Which feature card may it replace?"),
            (("circle", _("Circle")), ("blue", _("Blue")), ("green", _("Green"))),
            "green",
            _("A full card replaces one of its own features: here partial, green or square."),
        ),
    )


def _which_match() -> Question:
    return Question(
        "which_match",
        Form(
            _("A hollow blue circle is next to a filled red circle. Do they match?"),
            yes_no(),
            "yes",
            _("Neighbours match if they share at least one feature. Here both are circles."),
        ),
        Form(
            _("A partial red square is next to a hollow green triangle. Do they match?"),
            yes_no(),
            "no",
            _("Neighbours match only if they share a feature. These two share none."),
        ),
    )


def _no_place() -> Question:
    discarded = _("A full card that fits nowhere is discarded automatically. This costs 3 points.")
    return Question(
        "no_place",
        Form(
            _("The full card to place fits nowhere. What happens to it?"),
            (
                ("discarded", _("It is discarded, which costs 3 points")),
                ("later", _("It comes up again later")),
                ("anywhere", _("I may put it anywhere")),
            ),
            "discarded",
            discarded,
        ),
        Form(
            _("Two full cards in a hand fitted nowhere. How does this change your score?"),
            (
                ("nothing", _("It does not change")),
                ("six", _("I lose 6 points")),
                ("end", _("It becomes 0")),
            ),
            "six",
            discarded,
        ),
    )


def _which_side() -> Question:
    side = _("A side earns 5 points only if all its neighbours match. Each break costs 2 points.")
    return Question(
        "which_side",
        Form(
            _(
                "All nine places of a side have full cards. One pair of neighbours does not match. "
                "How does this side change your score?"
            ),
            (
                ("five", _("It adds 5 points")),
                ("four", _("It adds 5 points, and the break costs 2")),
                ("minus", _("It adds no points, and the break costs 2")),
            ),
            "minus",
            side,
        ),
        Form(
            _("All nine places of a side have full cards. All neighbours match. What is the side worth?"),
            (("nine", _("9 points")), ("whole", _("5 points")), ("none", _("Nothing"))),
            "whole",
            side,
        ),
    )


def _two_singles() -> Question:
    explanation = _("Where there are two feature cards, the full card must have both features.")
    return Question(
        "two_singles",
        Form(
            _("A place has “red” and “square”. Which card fits there?"),
            (
                ("red", _("A hollow red circle")),
                ("both", _("A partial red square")),
                ("square", _("A filled blue square")),
            ),
            "both",
            explanation,
        ),
        Form(
            _("A place has “hollow” and “circle”. Does a hollow green triangle fit there?"),
            yes_no(),
            "no",
            explanation,
        ),
    )


def _single_to_place() -> Question:
    explanation = _(
        "It joins the feature card there. The full card for that place must then have both features."
    )
    return Question(
        "single_to_place",
        Form(
            _("You place the feature card “blue” where “circle” is. What happens?"),
            (
                ("replaced", _("“Blue” replaces “circle”")),
                ("added", _("Both stay there, and the full card must have both features")),
                ("lost", _("“Blue” is discarded")),
            ),
            "added",
            explanation,
        ),
        Form(
            _("You have to place the feature card “blue”. May you add it where “red” is?"),
            (("kind", _("No, a place cannot have two features of one kind")), ("may", _("Yes"))),
            "kind",
            _("“Blue” and “red” are both colours. A place cannot have two features of one kind."),
        ),
    )
