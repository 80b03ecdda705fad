"""What a hand of Target the Two comes to, beyond what every game's table of hands has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from games.cards import rank
from games.columns import Whole
from games.events import Event
from games.hand import Course
from games.ttt import rules, solver

COLUMNS = {
    "layout": "the cards as dealt, in the order C Ck UP T N Nk",
    "goal": "the goal card",
    "first": "the keeper that moved first, ck or nk",
    "moves": Whole("moves made, passes included"),
    "least_moves": Whole("the fewest moves that solve the hand with all cards known"),
    "route": "the numbers of the cards that passed through Target, the first one included",
    "looks": Whole("how often a keeper's card was looked at"),
    "pick_ups": Whole("cards picked up by dragging, aborted drags included"),
    "aborted_drags": Whole(
        "pick-ups that no exchange of the card follows next: it was dropped where it was, say"
    ),
    "first_move_ms": Whole("milliseconds from first shown to the first move, by the participant's clock"),
}


# The exchanges in which a drag may end, by the pick-up with which it began.
_ENDS_OF_DRAGS = {
    pick: tuple(move for move, to in rules.MOVE_PLACE.items() if place in (to, *rules.KEEPER_PLACE.values()))
    for place, pick in enumerate(rules.PICKS)
}

PARTS: dict[str, Any] = {}  # a hand has no parts that would have a table of their own


def of_deal(layout: rules.Layout, goal: str, first: str) -> dict[str, Any]:
    """The measures that need only the deal."""
    least_moves = solver.least_moves(layout, goal, first)
    return {"layout": " ".join(layout), "goal": goal, "first": first, "least_moves": least_moves}


def of_drags(actions: Sequence[str]) -> dict[str, int]:
    """The measures of pick-ups, from the accepted actions in their order.

    A pick-up is told together with whatever the participant does next, so one was given up unless that is an
    exchange of the card: of the keeper's, or of the one that lay in the place picked from. (One given up
    before the keyboard plays the same exchange cannot be told from a drag.)
    """
    picked = [action in _ENDS_OF_DRAGS for action in actions]
    dragged = [after in _ENDS_OF_DRAGS.get(action, ()) for action, after in pairwise(actions)]
    return {"pick_ups": sum(picked), "aborted_drags": sum(picked) - sum(dragged)}


def of_hand(course: Course, _seat: str) -> dict[str, Any]:
    """The values of ``COLUMNS`` for a hand, and its ``sequence``."""
    deal, sequence = course.opening.deal, course.hand.state.sequence
    accepted = [step.event for step in course.steps if step.event.accepted]
    actions = [event.action for event in accepted]
    moves = [event for event in accepted if event.action in rules.MOVES]
    exchanged = [step.after.state for step in course.steps if step.is_action and step.event.action == "T"]
    in_target = [state.layout for state in (course.dealt.state, *exchanged)]
    return {
        "sequence": sequence,
        **_of_deal(deal),
        "moves": len(moves),
        "route": "".join([rank(layout[rules.TARGET]) for layout in in_target]),
        "looks": sum([action.startswith("look ") for action in actions]),
        **of_drags(actions),
        "first_move_ms": first_move_ms(accepted),
    }


def first_move_ms(events: Iterable[Event]) -> int | str | None:
    """The client's time of the first move among the events."""
    return next((event.client_ms for event in events if event.accepted and event.action in rules.MOVES), "")


# The columns that hang on times, by name what tells them from the events of a hand.
TIMED = {"first_move_ms": first_move_ms}


@lru_cache(maxsize=1024)
def _of_deal(deal: str) -> Mapping[str, Any]:
    """A session has few deals, and plays them over and over."""
    return MappingProxyType(of_deal(*rules.parse_deal(deal)))
