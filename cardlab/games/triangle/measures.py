"""Measures of a hand of Triangle Solitaire for the tables of hands and of placements.

The time of a card begins with the placement of the previous card, because the server immediately discards
cards that fit nowhere. Times are by the participant's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, UnixMs, YesNo
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.triangle import rules, scoring
from cardlab.games.triangle.deal import parse_deal
from cardlab.games.triangle.loop import SIDES, content_of, neighbours, previous_place
from cardlab.games.triangle.packs import is_complete
from cardlab.games.triangle.rules import State

COLUMNS = {
    "doubled": Integer("places with two Singles in the deal (variation 1)"),
    "mixed_in": Integer("Singles in the deck (variation 2)"),
    "highlight": YesNo("1 if fitting places were highlighted, else 0"),
    "show_left": YesNo("1 if the Completes to come were displayed, else 0"),
    "placed": Integer("Completes placed"),
    "discarded": Integer("Completes discarded"),
    "sides": Integer("sides whose eight inner joints all match"),
    "corners": Integer("corners that match"),
    "matches": Integer("joints that match, of 27"),
    "discontinuities": Integer("joints between two Completes that do not match"),
    "open_joints": Integer("joints beside an unfilled place"),
    "forced": Integer("cards placed by the player that fitted only one place"),
    "marks": Integer("reminders laid beside a place"),
    "unmarks": Integer("reminders taken back before the place was filled"),
    "pick_ups": Integer("cards and Singles picked up by dragging, including abandoned drags"),
    "kept_marks": Integer("reminders beside a place that was filled by a card with their characteristic"),
    "placement_ms": ("milliseconds for each card placed by the player, separated by spaces; `-` if unknown"),
    "mean_placement_ms": Integer("mean of `placement_ms`"),
}

PLACEMENT_COLUMNS = {
    "card_number": Integer("number of the card in the deck, from 1"),
    "card": "the card: three letters for a Complete, one for a Single",
    "action": "`place 14` or `discard`",
    "place": Integer("the place; empty for a discard"),
    "side": "top, right or left; empty for a discard",
    "replaced": ("the Singles that lay there, the bottom one first; for a Single those that it joined"),
    "fitted": Integer("number of places that the card fitted"),
    "neighbours": Integer("Completes in the two adjacent places; empty for a discard"),
    "matches": Integer("neighbours that share a characteristic with it"),
    "discontinuities": Integer("neighbours that share none"),
    "marks": "reminders beside the place, as letters",
    "planned": Integer("reminders laid or taken back since the card was revealed"),
    "decision_ms": Integer(
        "milliseconds since the previous placement, or since first shown, by the "
        "participant's clock; empty for a discard"
    ),
    "server_ms": UnixMs("Unix time in milliseconds by the server's clock"),
    "score": Integer("the score after it"),
}


class CardAction(NamedTuple):
    """A placement or discard, with the states before and after it and its duration.

    ``planned`` counts the reminders laid or taken back since the card was revealed.
    """

    before: State
    after: State
    event: Event
    planned: int
    decision_ms: int | None

    @property
    def card(self) -> str:
        """The card that was placed or discarded."""
        return self.before.deck[0]

    @property
    def place(self) -> int | None:
        """The place, 1–27; None if the card was discarded."""
        return rules.PLACES.get(self.event.action)

    @property
    def marks(self) -> tuple[str, ...]:
        """The reminders beside the place."""
        return self.before.marks[self.place - 1] if self.place else ()


def measure_hand(history: History, _seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS``, and ``sequence``, the place of each card or ``discard``."""
    state, cards, dealt = history.hand.state, list(card_actions(history)), parse_deal(history.opening.deal)
    placements = [card for card in cards if card.place]
    actions = [step.event.action for step in history.steps if step.event.accepted]
    times_ms = [placement.decision_ms for placement in placements if placement.decision_ms is not None]
    score = state.score
    return {
        "sequence": " ".join(card.event.action.removeprefix("place ") for card in cards),
        "doubled": dealt.doubled,
        "mixed_in": dealt.mixed_in,
        "highlight": int(state.options["highlight"]),
        "show_left": int(state.options["show_left"]),
        "placed": sum(map(is_complete, state.places)),
        "matches": score.joints.count(scoring.MATCH),
        "open_joints": score.joints.count(scoring.OPEN),
        **score.counts,
        "forced": sum(len(placement.before.fitting_places) == 1 for placement in placements),
        "marks": sum(action in rules.MARKS for action in actions),
        "unmarks": sum(action in rules.UNMARKS for action in actions),
        "pick_ups": sum(action in rules.PICKS for action in actions),
        "kept_marks": sum(
            mark in placement.card
            for placement in placements
            if is_complete(placement.card)
            for mark in placement.marks
        ),
        "placement_ms": " ".join(
            "-" if placement.decision_ms is None else str(placement.decision_ms) for placement in placements
        ),
        "mean_placement_ms": round(sum(times_ms) / len(times_ms)) if times_ms else "",
    }


def placement_rows(history: History) -> Iterator[dict[str, Any]]:
    """Yields the values of ``PLACEMENT_COLUMNS`` for each card that was placed or discarded."""
    for number, card in enumerate(card_actions(history), 1):
        yield {
            "card_number": number,
            "card": card.card,
            "action": card.event.action,
            "place": card.place or "",
            "side": next((side for side, numbers in SIDES.items() if card.place in numbers), ""),
            "replaced": content_of(card.before.places, card.place) if card.place else "",
            "fitted": len(card.before.fitting_places),
            **_neighbour_cells(card),
            "marks": "".join(card.marks),
            "planned": card.planned,
            "decision_ms": "" if card.decision_ms is None else card.decision_ms,
            "server_ms": card.event.server_ms,
            "score": card.after.score.total,
        }


PARTS = {"placements": (PLACEMENT_COLUMNS, placement_rows)}


def card_actions(history: History) -> Iterator[CardAction]:
    """Yields the placements and discards of a hand."""
    planned = 0
    since: int | None = 0  # the client's time when the card was revealed
    for step in history.steps:
        if not step.is_action:
            continue
        state, event, after = step.before.state, step.event, step.after.state
        if len(after.deck) == len(state.deck):
            planned += event.action not in rules.PICKS
        else:
            placed = event.action in rules.PLACES
            decision_ms = None
            if placed and since is not None and event.client_ms is not None:
                decision_ms = max(0, event.client_ms - since)
            yield CardAction(state, after, event, planned, decision_ms)
            planned = 0
            since = event.client_ms if placed else since


def _neighbour_cells(card: CardAction) -> dict[str, Any]:
    if not card.place:
        return dict.fromkeys(("neighbours", "matches", "discontinuities"), "")
    numbers = previous_place(card.place), card.place
    joints = [scoring.joint_status(card.after.places, number) for number in numbers]
    return {
        "neighbours": sum(map(is_complete, neighbours(card.before.places, card.place))),
        "matches": joints.count(scoring.MATCH),
        "discontinuities": joints.count(scoring.MISMATCH),
    }
