"""What a participant reads that is neither in a template nor on the board: how hands are paid."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.record import Opening
from cardlab.games.triangle import packs
from cardlab.games.triangle.loop import next_place
from cardlab.games.triangle.scoring import BEST, MATCH, MISMATCH, POINTS
from cardlab.pages import texts
from cardlab.sessions import money

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
    return [best, *texts.of_pay(config, _("hand")), *money.of_pay(config, _("hand"), EXAMPLE)]


def of_points(view: dict[str, Any]) -> list[tuple[str, str]]:
    """Every part of a hand's score as words and points, for the results; they add up to the total.

    ``view`` is that of ``cardlab.games.triangle.rules``.
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
                one=packs.translated_card_name(places[joint - 1]["complete"]),
                other=packs.translated_card_name(places[next_place(joint) - 1]["complete"]),
            ),
            points(POINTS["discontinuities"]),
        )
        for joint, told in enumerate(score["joints"], start=1)
        if told == MISMATCH
    ]
    lines += [
        (_("Discarded: {card}").format(card=packs.translated_card_name(card)), points(POINTS["discarded"]))
        for card in view["discards"]
    ]
    return [*lines, (_("Score"), points(score["total"]))]


def _state(told: str) -> str:
    if told == MATCH:
        return _("matches")
    return _("does not match") if told == MISMATCH else _("a card is missing")


def of_coach() -> dict[str, str]:
    """What the coach says beside the triangle to try (_static/triangle/tutorial.js)."""
    return {
        "ask_place": _(
            "The card to place is the {card}. It may replace a Single “{fill}”, “{colour}” or “{shape}”. "
            "Choose such a place."
        ),
        "praise_place": _("Well done. The Single that lay there went to the spares."),
        "ask_match": _(
            "Now the {card}. Try to place it beside a card that lies there already: the signs between "
            "them show whether they match."
        ),
        "praise_match": _("These neighbours match: ✓ between them."),
        "praise_mismatch": _("These neighbours have nothing in common: ✗ between them, and 2 points less."),
        "ask_count": _("Place the {card}, and watch the score."),
        "praise_count": _("The score is {score} now."),
        "ask_variation": _("Place the {card}, and the cards that follow."),
        "praise_variation": _("Well done: that is how these cards are placed."),
        "ask_plan": _(
            "Drag one of the spare Singles onto a place: it lies beside the place as a reminder. "
            "Next is the {card}."
        ),
        "praise_plan": _("That is your reminder. When a card comes there, it goes back by itself."),
        "ask_single": _("A Single has come up: “{card}”. Choose the place to which it is added."),
        "all_placed": _("All cards are played; the score is {score}. Press “Start over”."),
    }
