"""What a participant reads that is neither in a template nor on the board: how hands are paid."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from experiment import money, words
from games.record import Opening
from games.triangle import packs
from games.triangle.loop import after
from games.triangle.scoring import BEST, MATCH, MISMATCH, POINTS

EXAMPLE = 9  # a usual score


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def points(score: int) -> str:
    """``+7``, ``−3``, ``0``."""
    return f"{score:+d}".replace("-", "−") if score else "0"


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    best = _("The best possible score of a hand is {best}; a score may be negative.").format(best=BEST)
    return [best, *words.of_pay(config, _("hand")), *money.of_pay(config, _("hand"), EXAMPLE)]


def of_points(view: dict[str, Any]) -> list[tuple[str, str]]:
    """Every part of a hand's score as words and points, for the results; they add up to the total.

    ``view`` is that of ``games.triangle.rules``.
    """
    score, places = view["score"], view["places"]
    sides = {"top": _("Top side"), "right": _("Right side"), "left": _("Left side")}
    corners = {"right": _("Right corner"), "lower": _("Lower corner"), "left": _("Left corner")}
    lines = [
        (_("{what}: {state}").format(what=what, state=state), points(worth if told == MATCH else 0))
        for names, states, worth in (
            (sides, score["sides"], POINTS["sides"]),
            (corners, score["corners"], POINTS["corners"]),
        )
        for name, what in names.items()
        for told in [states[name]]
        for state in [_state(told)]
    ]
    lines += [
        (
            _("Discontinuity: {one} next to {other}").format(
                one=packs.words(places[joint - 1]["complete"]),
                other=packs.words(places[after(joint) - 1]["complete"]),
            ),
            points(POINTS["discontinuities"]),
        )
        for joint, told in enumerate(score["joints"], start=1)
        if told == MISMATCH
    ]
    lines += [
        (_("Discarded: {card}").format(card=packs.words(card)), points(POINTS["discarded"]))
        for card in view["discards"]
    ]
    return [*lines, (_("Score"), points(score["total"]))]


def _state(told: str) -> str:
    if told == MATCH:
        return _("matches")
    return _("does not match") if told == MISMATCH else _("no card yet")


def of_coach() -> dict[str, str]:
    """What the line under the triangle to try says (_static/triangle/tutorial.js)."""
    return {
        "coach_start": _(
            "The card to place is the {card}. It may replace any Single that it has itself: "
            "{fill}, {colour} or {shape}. Click such a place, or drag the card there."
        ),
        "coach_single": _(
            "This time a Single has come up: “{card}”. Choose a place to which it is added. The Complete "
            "for that place will have to match both Singles."
        ),
        "coach_first": _(
            "Well done; the Single went to the spares. Now the {card}. Move over a place before you choose: "
            "the signs at its joints show which neighbours would match."
        ),
        "coach_match": _("That card matches its neighbour: ✓ between them. Go on with the {card}."),
        "coach_mismatch": _(
            "That card has nothing in common with a neighbour: ✗ between them, and 2 points off. "
            "Go on with the {card}."
        ),
        "coach_plan": _(
            "You may plan ahead: drag a spare Single onto a place, and it lies beside it as a reminder. "
            "Click the reminder to take it back. Or just place the {card}."
        ),
        "coach_marked": _(
            "That is your reminder; it changes no rule. When a card comes there, it goes back by itself."
        ),
        "coach_discarded": _(
            "No place was left for the last card, so it was discarded: 3 points off. Go on with the {card}."
        ),
        "coach_free": _("Go on as long as you like, start over, or go on to the next page."),
        "coach_over": _("All cards are played; your score is {score}. Start over to try again, or go on."),
    }
