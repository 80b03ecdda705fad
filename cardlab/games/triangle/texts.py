"""Returns the texts that participants read on the board, in replays and on the other pages."""

from __future__ import annotations

from collections.abc import Callable
from gettext import gettext as _
from math import inf
from typing import Any

from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.language import cached_by_language
from cardlab.games.number_format import signed
from cardlab.games.text_forms import Texts, by_device
from cardlab.games.triangle import packs
from cardlab.games.triangle.loop import next_place
from cardlab.games.triangle.scoring import BEST, MATCH, MISMATCH, POINTS


@cached_by_language
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/triangle), which fill in the braces.

    Cached, because gettext searches its files for each text.
    """
    return {
        # Cards: ``H`` and the like are the characteristics, ``complete`` combines three of them.
        **{single: packs.translated_card_name(single) for single in packs.SINGLES},
        "complete": _("{fill} {colour} {shape}"),
        "single": _("feature card “{card}”"),
        "two_singles": _("feature cards “{one}” and “{other}”"),
        "no_card": _("no card"),
        "spare": _("Feature card “{card}”: {count} spare"),
        "mark": _("Reminder “{card}” at place {place}: take it back"),
        "to_come": _("{card}: still to come"),
        "gone": _("{card}: no longer to come"),
        # Places and joints. ``also`` joins a label with more to say.
        "side_top": _("top side"),
        "side_right": _("right side"),
        "side_left": _("left side"),
        "place": _("Place {place}, {side}: {there}"),
        "also": _("{label}; {more}"),
        "fits": _("fits"),
        "reminders": _("reminders: {cards}"),
        "fits_here": _("The card fits here."),
        "joins_here": _("You can add it here. The full card for this place must then have both features."),
        "filled": _("A full card is already here."),
        "not_one": _("The card does not fit here: it is not “{single}”."),
        "not_both": _("The card does not fit here: it is not both “{one}” and “{other}”."),
        "two_already": _("There are already two feature cards here. A third is not allowed."),
        "same_kind": _("You cannot add it here: this place has a feature of the same kind."),
        "neighbour_match": _("✓ {card}: matches"),
        "neighbour_mismatch": _("✗ {card}: does not match"),
        "neighbour_unsure": _("? {card}: not decided yet"),
        # Hints, notes, and the last action.
        "how_to_place": by_device(
            _("Click a place, or drag the card there."),
            _("Tap a place or drag the card. Touch and hold to see what matches."),
        ),
        "how_to_add": _("This is a feature card. Choose the place to add it to."),
        "how_to_remind": _("Drag this card onto a place to leave it there as a reminder."),
        "no_spare": _("You have no spare card of this kind."),
        "drop_on_place": _("Drop the card on one of the 27 places."),
        "no_reminder": _("A full card is already there. You need no reminder."),
        "placed": _("Card placed at place {place}: {card}."),
        "added": _("Feature card “{card}” added to place {place}."),
        "reminded": _("Reminder “{card}” added to place {place}."),
        "taken_back": _("Reminder “{card}” taken back."),
        "discarded": _("No place was left for the {card}. It was discarded: −3 points."),
        "discarded_many": _(
            "No place was left for these cards: {card}. They were discarded: −3 points each."
        ),
        "set_aside": _("No place was left for feature card “{card}”. It is now a spare card."),
        "next_card": _("Next card: {card}. Score: {score}."),
        "score_now": _("Score: {score}."),
        # The end of a hand.
        "all_played": _("All cards have been played."),
        "perfect": _("A perfect triangle! · Score {score}"),
        "completed": _("All cards have been played · Score {score}"),
        "timeout": _("Time is up · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }


def coach_texts(_options: dict[str, Any]) -> Texts:
    """Returns the texts of the tutorial next to the practice board (_static/triangle/tutorial.js)."""
    return {
        "ask_place": _("Place the {card} on a feature card “{fill}”, “{colour}” or “{shape}”."),
        "praise_place": _("Well done. The feature card that was there is now a spare card."),
        "ask_match": _("Place the {card} next to a card you have placed."),
        "praise_match": _("These neighbours share a feature, so they match."),
        "praise_mismatch": _("These neighbours share no feature. This costs 2 points."),
        "ask_count": _("Place the {card} and watch the score."),
        "praise_count": _("Your score is {score}. Matching sides score 5, matching corners 1."),
        "ask_variation": _("Place the {card} and the cards that follow."),
        "praise_variation": _("Well done: that is how you place these cards."),
        "ask_plan": _("Try a reminder: drag a spare card onto a place."),
        "praise_plan": _("When you place a card there, the reminder goes back automatically."),
        "ask_single": _("“{card}” is a feature card: choose the place to add it to."),
        "all_placed": _("All cards are placed: your score is {score}. Press “Start over”."),
    }


def keys_sentence(_options: dict[str, Any]) -> str:
    """Returns the description of the keys on the practice board."""
    return _(
        "Use the arrow keys to move along the triangle. Press N for the next open place. "
        "Press Enter to place the card. Press H, P, F, B, R, G, C, S or T to add a reminder. "
        "Press Shift and the letter to take it back."
    )


def score_sentences(_config: Config) -> list[str]:
    """Returns the sentences about the score of a hand."""
    return [_("The best possible score of a hand is {best}. A score may be negative.").format(best=BEST)]


def score_guide(_config: Config) -> ScoreGuide:
    """Returns the scores of a hand."""
    return ScoreGuide(-inf, -12, 9, BEST)


def rules_vars(config: Config, _hands: object) -> dict[str, Any]:
    """Returns the variables of the rules."""
    shown = ("doubled", "mixed_in", "highlight", "show_left", "hands", "practice_hands")
    return {name: config[name] for name in shown}


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results: the points of each part, which sum to the score."""

    def points(part: str) -> Callable[[Result], object]:
        return lambda result: signed(POINTS[part] * result.parts[part])

    return [
        (_("Sides"), points("sides")),
        (_("Corners"), points("corners")),
        (_("Breaks"), points("discontinuities")),
        (_("Discards"), points("discarded")),
    ]


def score_lines(view: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns every part of a hand's score as words and points for the results; they sum to the total.

    ``view`` is that of ``cardlab.games.triangle.rules``.
    """
    score, places = view["score"], view["places"]
    sides = {"top": _("Top side"), "right": _("Right side"), "left": _("Left side")}
    corners = {"right": _("Right corner"), "lower": _("Lower corner"), "left": _("Left corner")}
    lines = [
        (_("{what}: {state}").format(what=what, state=state), signed(worth if states[name] == MATCH else 0))
        for names, states, worth in (
            (sides, score["sides"], POINTS["sides"]),
            (corners, score["corners"], POINTS["corners"]),
        )
        for name, what in names.items()
        for state in [_state_text(states[name])]
    ]
    lines += [
        (
            _("Break: {one} next to {other}").format(
                one=packs.translated_card_name(places[joint - 1]["complete"]),
                other=packs.translated_card_name(places[next_place(joint) - 1]["complete"]),
            ),
            signed(POINTS["discontinuities"]),
        )
        for joint, state in enumerate(score["joints"], start=1)
        if state == MISMATCH
    ]
    lines += [
        (_("Discarded: {card}").format(card=packs.translated_card_name(card)), signed(POINTS["discarded"]))
        for card in view["discards"]
    ]
    return [*lines, (_("Score"), signed(score["total"]))]


def _state_text(state: str) -> str:
    if state == MATCH:
        return _("matches")
    return _("does not match") if state == MISMATCH else _("a card is missing")
