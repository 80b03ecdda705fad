"""The words of the board, which are the same in every app that plays the game, and in a replay."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _


@cache
def board_texts() -> dict[str, str]:
    """What the board's scripts say (_static/stopping); the words in braces are filled in there."""
    return {
        "one_moment": _("One moment, please: the last move is still on its way."),
        "shown": _("{card} lies open."),
        "left": _("{count} to come"),
        "keep": _("Keep it"),
        "next": _("Next card"),
        "kept": _("You kept a card worth {score} points."),
        "ended": _("This hand is over."),
        "try": _("Turn up cards until you like one, and keep it."),
        "tried": _("You kept it. Start over to try again, or go on."),
    }
