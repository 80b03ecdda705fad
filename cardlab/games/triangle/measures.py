"""What a hand of Triangle Solitaire comes to: beyond the common columns, and card by card.

A card is waited for from the moment when the one before it was placed: what fits nowhere the server puts
away at once. Times are by the participant's own clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, YesNo
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.triangle import rules, scoring
from cardlab.games.triangle.deal import parse_deal
from cardlab.games.triangle.loop import SIDES, content_of, neighbours, previous_place
from cardlab.games.triangle.packs import is_complete
from cardlab.games.triangle.rules import State

COLUMNS = {
    "doubled": Integer("places on which two Singles were dealt (variation 1)"),
    "mixed_in": Integer("Singles in the deck (variation 2)"),
    "highlight": YesNo("1 if the places that the card fits were shown, else 0"),
    "show_left": YesNo("1 if the Completes still to come were shown, else 0"),
    "placed": Integer("Completes placed"),
    "discarded": Integer("Completes discarded"),
    "sides": Integer("sides whose eight inner joints all match"),
    "corners": Integer("corners that match"),
    "matches": Integer("joints that match, of 27"),
    "discontinuities": Integer("joints between two Completes that do not match"),
    "open_joints": Integer("joints with an unfilled place"),
    "forced": Integer("cards that the player placed and that fitted one place only"),
    "marks": Integer("Singles laid beside a place as a reminder"),
    "unmarks": Integer("those taken back before the place was filled"),
    "pick_ups": Integer("cards and Singles picked up by dragging, aborted drags included"),
    "kept_marks": Integer("those beside a place when a card with their characteristic filled it"),
    "placement_ms": "the time of each card that the player placed, in milliseconds as in the table of "
    "placements, parted by spaces; `-` where it is not known",
    "mean_placement_ms": Integer("their mean; empty if there is none"),
}

PLACEMENT_COLUMNS = {
    "card_number": Integer("number of the card in the deck, from 1"),
    "card": "the card: three letters a Complete, one letter a Single of variation 2",
    "action": "what was done with it: `place 14` or `discard`",
    "place": Integer("the place, 1–27 clockwise from the upper left; empty for a discard"),
    "side": "the side of the triangle: top, right or left; empty for a discard",
    "replaced": "the Singles that lay there, the bottom one first; of a Single those that it joined",
    "fitted": Integer("how many places the card fitted"),
    "neighbours": Integer("Completes that lay in the two places next to it; empty for a discard"),
    "matches": Integer("those with which a Complete placed between them shares a characteristic"),
    "discontinuities": Integer("those with which it shares none"),
    "marks": "reminders that lay beside the place, as letters",
    "planned": Integer("reminders laid or taken back since the card was revealed"),
    "decision_ms": Integer(
        "milliseconds, by the participant's clock, from the placement before (from when the hand "
        "was first shown, for the first) to this one; empty for a discard, and where it is not known"
    ),
    "server_ms": Integer("when it was done, Unix time in milliseconds by the server's clock"),
    "score": Integer("the score after it, as the triangle stands"),
}


class Act(NamedTuple):
    """A placement or a discard: the state before and after it, what was planned, and how long it took."""

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
        """Its place, 1–27, None if it was discarded."""
        return rules.PLACES.get(self.event.action)

    @property
    def marks(self) -> tuple[str, ...]:
        """The reminders beside the place."""
        return self.before.marks[self.place - 1] if self.place else ()


def measure_hand(history: History, _seat: str) -> dict[str, Any]:
    """The values of ``COLUMNS`` for a hand, and its ``sequence``.

    ``sequence`` has the places in the order of the cards, and ``discard`` for what fitted nowhere.
    """
    state, acts, dealt = history.hand.state, list(acts_of(history)), parse_deal(history.opening.deal)
    own = [act for act in acts if act.place]
    actions = [step.event.action for step in history.steps if step.event.accepted]
    known = [act.decision_ms for act in own if act.decision_ms is not None]
    score = state.score
    return {
        "sequence": " ".join(act.event.action.removeprefix("place ") for act in acts),
        "doubled": dealt.doubled,
        "mixed_in": dealt.mixed_in,
        "highlight": int(state.options["highlight"]),
        "show_left": int(state.options["show_left"]),
        "placed": sum(map(is_complete, state.places)),
        "matches": score.joints.count(scoring.MATCH),
        "open_joints": score.joints.count(scoring.OPEN),
        **score.counts,
        "forced": sum(len(act.before.fitting_places) == 1 for act in own),
        "marks": sum(action in rules.MARKS for action in actions),
        "unmarks": sum(action in rules.UNMARKS for action in actions),
        "pick_ups": sum(action in rules.PICKS for action in actions),
        "kept_marks": sum(_kept(act) for act in own),
        "placement_ms": " ".join("-" if act.decision_ms is None else str(act.decision_ms) for act in own),
        "mean_placement_ms": round(sum(known) / len(known)) if known else "",
    }


def placements_of(history: History) -> Iterator[dict[str, Any]]:
    """The values of ``PLACEMENT_COLUMNS`` for each card that was placed or discarded."""
    for number, act in enumerate(acts_of(history), 1):
        yield {
            "card_number": number,
            "card": act.card,
            "action": act.event.action,
            "place": act.place or "",
            "side": _side(act.place),
            "replaced": content_of(act.before.places, act.place) if act.place else "",
            "fitted": len(act.before.fitting_places),
            **_beside(act),
            "marks": "".join(act.marks),
            "planned": act.planned,
            "decision_ms": "" if act.decision_ms is None else act.decision_ms,
            "server_ms": act.event.server_ms,
            "score": act.after.score.total,
        }


PARTS = {"placements": (PLACEMENT_COLUMNS, placements_of)}


def acts_of(history: History) -> Iterator[Act]:
    """The placements and discards of a hand, each with the states around it."""
    planned = 0
    since: int | None = 0  # the client's time from which the player could think of the card
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
            yield Act(state, after, event, planned, decision_ms)
            planned = 0
            since = event.client_ms if placed else since


def _kept(act: Act) -> int:
    """How many reminders the card kept."""
    return sum(mark in act.card for mark in act.marks) if is_complete(act.card) else 0


def _side(place: int | None) -> str:
    return next((side for side, numbers in SIDES.items() if place in numbers), "")


def _beside(act: Act) -> dict[str, Any]:
    """How the card lies between its neighbours."""
    if not act.place:
        return dict.fromkeys(("neighbours", "matches", "discontinuities"), "")
    joints = [
        scoring.joint_status(act.after.places, number) for number in (previous_place(act.place), act.place)
    ]
    return {
        "neighbours": sum(map(is_complete, neighbours(act.before.places, act.place))),
        "matches": joints.count(scoring.MATCH),
        "discontinuities": joints.count(scoring.MISMATCH),
    }
