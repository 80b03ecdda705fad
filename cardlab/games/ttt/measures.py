"""Measures of a hand of Target the Two for the table of hands.

If two participants play, each has a row: moves and route are the hand's, looks, pick-ups and times the
participant's.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from cardlab.games.cards import rank
from cardlab.games.columns import Integer, Number
from cardlab.games.events import ABSENT, PERSON, Event
from cardlab.games.hand import History, Step
from cardlab.games.ttt import board, rules, solver

COLUMNS = {
    "layout": "the cards as dealt, in the order C Ck UP T N Nk",
    "goal": "the goal card",
    "first": "the keeper that moves first, `ck` or `nk`",
    "moves": Integer("moves, including passes"),
    "least_moves": Integer("the fewest moves that solve the hand if all cards are known"),
    "route": "the numbers of the cards in Target, including the first",
    "looks": Integer("looks at a keeper's card"),
    "pick_ups": Integer("cards picked up by dragging, including abandoned drags"),
    "aborted_drags": Integer("pick-ups that were not followed by an exchange of that card"),
    "first_move_ms": Integer(
        "milliseconds from first shown to the first (own) move, by the participant's clock"
    ),
    "partner": (
        "game for two: `person` or the robot's name; this and the next columns are empty in the game for one"
    ),
    "block": Integer("the block of hands, 0 for practice"),
    "own_moves": Integer("moves of the seat, without those by the server"),
    "own_seconds": Number(
        "seconds of the participant's own turns, by the server's clock, without pauses "
        "and without turns in which the server moved; empty for a robot"
    ),
    "partner_seconds": Number("seconds of the partner's own turns"),
    "passed_after": Integer("own moves after which the partner passed"),
    "server_passes": Integer("passes by the server for the absent participant"),
    "passed_by_server": "numbers in `sequence`, from 1, of all passes by the server, separated by spaces",
}


# The exchanges that can end a drag, by the pick-up that begins it.
_DRAG_EXCHANGES = {
    pick: tuple(move for move, to in board.MOVE_PLACE.items() if place in (to, *board.KEEPER_PLACE.values()))
    for place, pick in enumerate(rules.PICKS)
}

PARTS: dict[str, Any] = {}  # the table of moves is in ``performance``


def deal_measures(layout: board.Layout, goal: str, first: str) -> dict[str, Any]:
    """Returns the measures that need only the deal."""
    least_moves = solver.least_moves(layout, goal, first)
    return {"layout": " ".join(layout), "goal": goal, "first": first, "least_moves": least_moves}


def drag_counts(actions: Sequence[str]) -> dict[str, int]:
    """Returns the measures of pick-ups from the accepted actions in order.

    The browser sends a pick-up together with the participant's next action. A pick-up counts as aborted
    unless that action exchanges the picked card. (A pick-up that is aborted before the same exchange by
    keyboard looks like a drag.)
    """
    is_pick_up = [action in _DRAG_EXCHANGES for action in actions]
    dragged = [next_action in _DRAG_EXCHANGES.get(action, ()) for action, next_action in pairwise(actions)]
    return {"pick_ups": sum(is_pick_up), "aborted_drags": sum(is_pick_up) - sum(dragged)}


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS`` for a seat of a hand, and the ``sequence`` of the hand."""
    deal, sequence = history.opening.deal, history.hand.state.sequence
    own_events = [step.event for step in history.steps if step.event.accepted and step.event.seat == seat]
    actions = [event.action for event in own_events]
    exchanged = [step.after.state for step in history.steps if step.event.action == "T" and step.is_action]
    in_target = [state.layout for state in (history.dealt.state, *exchanged)]
    return {
        "sequence": sequence,
        **_cached_deal_measures(deal),
        "moves": len(sequence),
        "route": "".join([rank(layout[board.TARGET]) for layout in in_target]),
        **_count_touches(actions),
        "first_move_ms": first_move_ms(own_events),
        **(_measure_pair(history, seat) if history.hand.state.two else _ALONE),
    }


_MOVES = frozenset(board.MOVES)


def _count_touches(actions: Sequence[str]) -> dict[str, int]:
    """Returns the measures of looks and pick-ups. Many hands have only moves, so these are checked first."""
    if _MOVES.issuperset(actions):
        return dict.fromkeys(("looks", "pick_ups", "aborted_drags"), 0)
    return {"looks": sum([action.startswith("look ") for action in actions]), **drag_counts(actions)}


_PAIR_COLUMNS = tuple(COLUMNS)[tuple(COLUMNS).index("partner") :]
_ALONE: Mapping[str, Any] = MappingProxyType(dict.fromkeys(_PAIR_COLUMNS, ""))


def _measure_pair(history: History, seat: str) -> dict[str, Any]:
    """Returns the columns about the players and times of moves in a hand of two."""
    moves = [step for step in history.steps if is_move(step)]
    by_server = [step.actor == ABSENT for step in moves]
    is_own = [step.event.seat == seat and not served for step, served in zip(moves, by_server)]
    is_pass = [step.event.action == "P" and not served for step, served in zip(moves, by_server)]
    partner = board.other(seat)
    return {
        "partner": history.hand.robots.get(partner, PERSON),
        "block": history.opening.options.get("block", ""),
        "own_moves": sum(is_own),
        "own_seconds": _seconds(moves, seat),
        "partner_seconds": _seconds(moves, partner),
        "passed_after": sum(
            is_own_move and is_pass_after for is_own_move, is_pass_after in zip(is_own, is_pass[1:])
        ),
        "server_passes": sum(served and step.event.seat == seat for step, served in zip(moves, by_server)),
        "passed_by_server": " ".join(str(number) for number, served in enumerate(by_server, 1) if served),
    }


def is_move(step: Step) -> bool:
    """Returns whether the step is a move, not a look or a pick-up."""
    return step.is_action and step.event.action in board.MOVES


def turn_ms(step: Step) -> int | None:
    """Returns the duration of the turn that a move ended in a hand of two, in milliseconds of server time.

    The turn begins when the player is present. None if the server moved, or if the beginning is unknown.
    """
    event, since_ms = step.event, step.before.seats[step.event.seat].since_ms
    if event.client_ms is None or since_ms is None:
        return None
    return step.before.active_ms(since_ms, event.server_ms)


def _seconds(moves: Sequence[Step], seat: str) -> float | str:
    """Returns the total duration of the seat's turns whose duration is known; "" if there are none."""
    known_ms = [ms for step in moves if step.event.seat == seat and (ms := turn_ms(step)) is not None]
    return sum(known_ms) / 1000 if known_ms else ""


def first_move_ms(events: Iterable[Event]) -> int | str | None:
    """Returns the client's time of the first move among the events, "" if there is none."""
    return next((event.client_ms for event in events if event.accepted and event.action in board.MOVES), "")


@lru_cache(maxsize=1024)
def _cached_deal_measures(deal: str) -> Mapping[str, Any]:
    """Returns the measures of a deal. Cached, because a session has few deals."""
    return MappingProxyType(deal_measures(*board.parse_deal(deal)))
