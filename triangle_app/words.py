"""What a participant reads that is not in a template: the board's words, and how hands are paid."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _
from typing import Any

from experiment import words
from games.record import Opening
from games.triangle import packs
from games.triangle.loop import after
from games.triangle.scoring import BEST, MATCH, MISMATCH, POINTS


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


@cache
def of_board() -> dict[str, str]:
    """What the board's scripts say (_static/triangle); the words in braces are filled in there.

    Looked up once: the language is the server's, and gettext searches its files at every word.
    """
    return {**_of_cards(), **_of_places(), **_of_play(), **_of_end()}


def _of_cards() -> dict[str, str]:
    """``H`` and the like name the characteristics, ``complete`` puts three of them together."""
    return {
        **{single: packs.words(single) for single in packs.SINGLES},
        "complete": _("{fill} {colour} {shape}"),
        "single": _("Single “{card}”"),
        "two_singles": _("Singles “{one}” and “{other}”"),
        "no_card": _("no card"),
        "spare_one": _("Single “{card}”: 1 spare"),
        "spare_many": _("Single “{card}”: {count} spare"),
        "mark": _("Reminder “{card}” beside place {place}: take it back"),
        "to_come": _("{card}: still to come"),
        "gone": _("{card}: not to come any more"),
    }


def _of_places() -> dict[str, str]:
    """The places and their joints. ``also`` joins a label and what else there is to say."""
    return {
        "side_top": _("top side"),
        "side_right": _("right side"),
        "side_left": _("left side"),
        "place": _("Place {place}, {side}: {there}"),
        "also": _("{label}; {more}"),
        "fits": _("fits"),
        "reminders": _("reminders: {cards}"),
        "fits_here": _("It fits here."),
        "joins_here": _("It may be added here: the card for this place will have to match both."),
        "filled": _("A Complete lies here already."),
        "not_one": _("It does not fit here: it is not “{single}”."),
        "not_both": _("It does not fit here: it would have to be both “{one}” and “{other}”."),
        "two_already": _("Two Singles lie here already, and there may be no third."),
        "same_kind": _("It cannot be added here: a Single of its kind lies here already."),
        "neighbour_match": _("✓ {card}: matches"),
        "neighbour_mismatch": _("✗ {card}: does not match"),
        "neighbour_unsure": _("? {card}: not certain yet"),
    }


def _of_play() -> dict[str, str]:
    """Hints, notes, and what has just happened."""
    return {
        "how_to_place": _("Click a place, or drag the card there."),
        "how_to_place_touch": _(
            "Tap a place, or drag the card there. Hold a finger on a place to see what would match."
        ),
        "how_to_add": _("This is a Single: choose the place to which it is added."),
        "how_to_remind": _("Drag this Single onto a place: it will lie beside it as a reminder."),
        "no_spare": _("No such Single is spare now."),
        "drop_on_place": _("Drop the card on one of the 27 places."),
        "no_reminder": _("A Complete lies there already, so nothing needs to be remembered."),
        "one_moment": _("One moment: your last move is still on its way."),
        "placed": _("{card} placed in {place}."),
        "added": _("Single “{card}” added in {place}."),
        "reminded": _("Reminder “{card}” laid beside place {place}."),
        "taken_back": _("Reminder “{card}” taken back."),
        "discarded": _("No place was left for the {card}: discarded, −3 points."),
        "discarded_many": _("No place was left for: {card}. Discarded, −3 points each."),
        "set_aside": _("No place was left for the Single “{card}”: it went to the spares, at no cost."),
        "next_card": _("Next card: {card}. Score: {score}."),
        "score_now": _("Score: {score}."),
    }


def _of_end() -> dict[str, str]:
    return {
        "all_played": _("All cards are played."),
        "perfect": _("A perfect triangle! · Score {score}"),
        "completed": _("All cards are played · Score {score}"),
        "timeout": _("Time is over · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }


def points(score: int) -> str:
    """``+7``, ``−3``, ``0``."""
    return f"{score:+d}".replace("-", "−") if score else "0"


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    best = _("The best possible score of a hand is {best}; a score may be negative.").format(best=BEST)
    return [best, *words.of_pay(config, _("hand"))]


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
    return _("does not match") if told == MISMATCH else _("not filled")


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
            "That is your reminder; it changes no rule. When the place is filled, it goes back by itself."
        ),
        "coach_discarded": _(
            "No place was left for the last card, so it was discarded: 3 points off. Go on with the {card}."
        ),
        "coach_free": _("Go on as long as you like, start over, or go on to the next page."),
        "coach_over": _("All cards are played; your score is {score}. Start over to try again, or go on."),
    }
