"""What a participant reads that is neither in a template nor on the board: how games are paid."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from experiment import money, words
from games.record import Opening

EXAMPLE = 12  # a usual score


def hand_title(opening: Opening) -> str:
    return _("Game {number} of {of}").format(number=opening.number, of=opening.of)


def points(score: int | None) -> str:
    """``+7``, ``−3``, ``0``; nothing for None."""
    return "" if score is None else f"{score:+d}".replace("-", "−") if score else "0"


def called() -> str:
    """What participants know a hand as."""
    return _("game")


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a game earns its score and what is paid, a sentence each."""
    scored = _("Your score in a game is the sum of the cards that you have collected; it may be negative.")
    return [scored, *words.of_pay(config, called()), *money.of_pay(config, called(), EXAMPLE)]


def of_courts(config: dict[str, Any]) -> str:
    """What the cards are worth, in a sentence."""
    if config["pack"] == "special":
        return _("There is one card for each column and each value from −10 to +10, without 0.")
    if config["court"] == "ladder":
        return _("The cards are those of a French pack: an ace counts 1, jack 11, queen 12 and king 13.")
    return _("The cards are those of a French pack: an ace counts 1, and jack, queen and king count 10.")


def of_coach() -> dict[str, str]:
    """What the line under the game to try says (_static/matrix/tutorial.js)."""
    return {
        "coach_start": _(
            "Choose one of your seven cards and click it; the sign under its value says which column it "
            "selects. Think of what you would collect, and of what your card will do on the table afterwards."
        ),
        "coach_collected": _(
            "You collected {own}, the other {others}. The two cards just played are the new cross "
            "there: yours stands upright, so it may be yours again later."
        ),
        "coach_turn": _(
            "You collected the lower card, so you may turn one cross: what stood upright then lies across. "
            "Click a cross, or keep all."
        ),
        "coach_wait": _("This turn is played by the others. Soon it is yours again."),
        "coach_free": _("Go on trying as long as you like, or go on to the next page."),
        "coach_over": _("The game is over: all cards are played. Start over to try again, or go on."),
    }
