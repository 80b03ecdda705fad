"""Comprehension questions: what fits, what matches, discards, a side's score, and the variations."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question, yes_no


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    asked = [_which_single(), _which_match(), _no_place(), _which_side()]
    if options["doubled"]:
        asked.append(_two_singles())
    if options["mixed_in"]:
        asked.append(_single_to_place())
    return asked


def _which_single() -> Question:
    return Question(
        "which_single",
        Form(
            _("The card to place is a hollow blue circle. Which Single may it replace?"),
            (("red", _("Red")), ("hollow", _("Hollow")), ("square", _("Square"))),
            "hollow",
            _("A card may replace a Single that it has itself: here only hollow, blue or circle."),
        ),
        Form(
            _("The card to place is a partial green square. Which Single may it replace?"),
            (("circle", _("Circle")), ("blue", _("Blue")), ("green", _("Green"))),
            "green",
            _("A card may replace a Single that it has itself: here only partial, green or square."),
        ),
    )


def _which_match() -> Question:
    return Question(
        "which_match",
        Form(
            _("A hollow blue circle lies next to a filled red circle. Do the two match?"),
            yes_no(),
            "yes",
            _("Two neighbours match if they have at least one thing in common: here both are circles."),
        ),
        Form(
            _("A partial red square lies next to a hollow green triangle. Do the two match?"),
            yes_no(),
            "no",
            _("Two neighbours match only if they have something in common, and these have nothing."),
        ),
    )


def _no_place() -> Question:
    discarded = _("A card that fits no place is discarded by itself, and costs 3 points.")
    return Question(
        "no_place",
        Form(
            _("The card to place fits nowhere any more. What becomes of it?"),
            (
                ("discarded", _("It is discarded, which costs 3 points")),
                ("later", _("It comes again later")),
                ("anywhere", _("I may put it anywhere")),
            ),
            "discarded",
            discarded,
        ),
        Form(
            _("Two cards in a hand have fitted nowhere. What do they do to your score?"),
            (
                ("nothing", _("Nothing")),
                ("six", _("They take 6 points off it")),
                ("end", _("It becomes 0")),
            ),
            "six",
            discarded,
        ),
    )


def _which_side() -> Question:
    side = _("A side earns its 5 points only if all its neighbours match; each pair that does not costs 2.")
    return Question(
        "which_side",
        Form(
            _(
                "All nine places of a side have a card, but one pair of neighbours does not match. "
                "What is the side worth?"
            ),
            (
                ("five", _("5 points")),
                ("four", _("5 points, less 2 for the pair")),
                ("minus", _("Nothing, and 2 points are taken off for the pair")),
            ),
            "minus",
            side,
        ),
        Form(
            _("All nine places of a side have a card, and all neighbours match. What is the side worth?"),
            (("nine", _("9 points")), ("whole", _("5 points")), ("none", _("Nothing"))),
            "whole",
            side,
        ),
    )


def _two_singles() -> Question:
    both = _("Where two Singles lie, the card must have both.")
    return Question(
        "two_singles",
        Form(
            _("In a place lie “red” and “square”. Which card fits there?"),
            (
                ("red", _("A hollow red circle")),
                ("both", _("A partial red square")),
                ("square", _("A filled blue square")),
            ),
            "both",
            both,
        ),
        Form(
            _("In a place lie “hollow” and “circle”. Does a hollow green triangle fit there?"),
            yes_no(),
            "no",
            both,
        ),
    )


def _single_to_place() -> Question:
    added = _("It is added to the Single that lies there, and the card for that place must then have both.")
    return Question(
        "single_to_place",
        Form(
            _("The Single “blue” is to be placed. You choose a place where “circle” lies. What happens?"),
            (
                ("replaced", _("“Blue” takes the place of “circle”")),
                ("added", _("Both lie there, and the card for that place must have both")),
                ("lost", _("“Blue” is discarded")),
            ),
            "added",
            added,
        ),
        Form(
            _("The Single “blue” is to be placed. May you add it where “red” lies?"),
            (("kind", _("No: two of one kind never lie together")), ("may", _("Yes"))),
            "kind",
            _("“Blue” and “red” are both colours: two of one kind never lie together."),
        ),
    )
