"""What participants read, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from gettext import gettext as _
from typing import Any

from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.number_format import signed
from cardlab.games.text_forms import Texts
from cardlab.games.triangle import packs
from cardlab.games.triangle.loop import next_place
from cardlab.games.triangle.scoring import BEST, MATCH, MISMATCH, POINTS


@cache
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/triangle), which fill in the braces.

    Cached, because gettext searches its files for each text and all participants share the server's language.
    """
    return {
        # Cards: ``H`` and the like are the characteristics, ``complete`` combines three of them.
        **{single: packs.translated_card_name(single) for single in packs.SINGLES},
        "complete": _("{fill} {colour} {shape}"),
        "single": _("Single “{card}”"),
        "two_singles": _("Singles “{one}” and “{other}”"),
        "no_card": _("no card"),
        "spare": _("Single “{card}”: {count} spare"),
        "mark": _("Reminder “{card}” beside place {place}: take it back"),
        "to_come": _("{card}: still to come"),
        "gone": _("{card}: not to come any more"),
        # Places and joints. ``also`` joins a label with more to say.
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
        # Hints, notes, and what has just happened.
        "how_to_place": _("Click a place, or drag the card there."),
        "how_to_place_touch": _(
            "Tap a place, or drag the card there. Hold a finger on a place to see what would match."
        ),
        "how_to_add": _("This is a Single: choose the place to which it is added."),
        "how_to_remind": _("Drag this Single onto a place: it will lie beside it as a reminder."),
        "no_spare": _("No such Single is spare now."),
        "drop_on_place": _("Drop the card on one of the 27 places."),
        "no_reminder": _("A Complete lies there already, so nothing needs to be remembered."),
        "one_moment": _("One moment please: your last move is still being sent."),
        "placed": _("{card} placed in {place}."),
        "added": _("Single “{card}” added in {place}."),
        "reminded": _("Reminder “{card}” laid beside place {place}."),
        "taken_back": _("Reminder “{card}” taken back."),
        "discarded": _("No place was left for the {card}: discarded, −3 points."),
        "discarded_many": _("No place was left for: {card}. Discarded, −3 points each."),
        "set_aside": _("No place was left for the Single “{card}”: it went to the spares, at no cost."),
        "next_card": _("Next card: {card}. Score: {score}."),
        "score_now": _("Score: {score}."),
        # The end of a hand.
        "all_played": _("All cards are played."),
        "perfect": _("A perfect triangle! · Score {score}"),
        "completed": _("All cards are played · Score {score}"),
        "timeout": _("Time is over · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }


def coach_texts() -> Texts:
    """Returns what the tutorial says beside the triangle to try (_static/triangle/tutorial.js)."""
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


def keys_sentence() -> str:
    """Returns what the keys do on the triangle to try."""
    return _(
        "The arrow keys go along the triangle, N to the next place that is open, and Enter places the card. "
        "H P F B R G C S T lay a reminder beside the place; with Shift they take it back."
    )


def score_sentences(_config: Config) -> list[str]:
    """Returns how a hand earns its score, a sentence each."""
    return [_("The best possible score of a hand is {best}; a score may be negative.").format(best=BEST)]


def example_score(_config: Config) -> int:
    """Returns a usual score."""
    return 9


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Sides"), lambda result: result.parts["sides"]),
        (_("Corners"), lambda result: result.parts["corners"]),
        (_("Discontinuities"), lambda result: result.parts["discontinuities"]),
        (_("Discards"), lambda result: result.parts["discarded"]),
    ]


def score_lines(view: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns every part of a hand's score as words and points, for the results; they add up to the total.

    ``view`` is that of ``cardlab.games.triangle.rules``.
    """
    score, places = view["score"], view["places"]
    sides = {"top": _("Top side"), "right": _("Right side"), "left": _("Left side")}
    corners = {"right": _("Right corner"), "lower": _("Lower corner"), "left": _("Left corner")}
    lines = [
        (_("{what}: {state}").format(what=what, state=state), signed(worth if told == MATCH else 0))
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
            signed(POINTS["discontinuities"]),
        )
        for joint, told in enumerate(score["joints"], start=1)
        if told == MISMATCH
    ]
    lines += [
        (_("Discarded: {card}").format(card=packs.translated_card_name(card)), signed(POINTS["discarded"]))
        for card in view["discards"]
    ]
    return [*lines, (_("Score"), signed(score["total"]))]


def _state(told: str) -> str:
    if told == MATCH:
        return _("matches")
    return _("does not match") if told == MISMATCH else _("a card is missing")
