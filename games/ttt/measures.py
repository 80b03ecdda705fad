"""What a hand of Target the Two comes to, beyond what every game's table of hands has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.contract import Event
from games.ttt import routes, rules, solver

COLUMNS = {
    "layout": "the cards as dealt, in the order C Ck UP T N Nk",
    "goal": "the goal card",
    "first": "the keeper that moved first, ck or nk",
    "moves": "moves made, passes included",
    "least_moves": "the fewest moves that solve the hand with all cards known",
    "route": "the numbers of the cards that passed through Target, the first one included",
    "looks": "how often a keeper's card was looked at",
    "pick_ups": "cards picked up by dragging, aborted drags included",
    "aborted_drags": "pick-ups that no move follows next, such as cards dropped where they were",
    "first_move_ms": "milliseconds from first shown to the first move, by the participant's clock",
}


PARTS: dict[str, Any] = {}  # a hand has no parts that would have a table of their own


def of_deal(layout: rules.Layout, goal: str, first: str) -> dict[str, Any]:
    """The measures that need only the deal."""
    least_moves = solver.least_moves(layout, goal, first)
    return {"layout": " ".join(layout), "goal": goal, "first": first, "least_moves": least_moves}


def of_drags(actions: Sequence[str]) -> dict[str, int]:
    """The measures of pick-ups, from the accepted actions in their order.

    A pick-up is told together with the move that it leads to, so one that no move follows was given up.
    """
    picked = [action.startswith("pick ") for action in actions]
    moves = [action in rules.MOVES for action in actions]
    dragged = sum(pick and move for pick, move in zip(picked, moves[1:]))
    return {"pick_ups": sum(picked), "aborted_drags": sum(picked) - dragged}


def of_hand(
    deal: str, _options: dict[str, Any], events: Sequence[Event], _seat: str, _shown_ms: int | None = None
) -> dict[str, Any]:
    """The values of ``COLUMNS`` for a hand and the rows of its record, and its ``sequence``."""
    accepted = [event for event in events if event.accepted]
    moves = [event for event in accepted if event.action in rules.MOVES]
    sequence = "".join(event.action for event in moves)
    return {
        "sequence": sequence,
        **of_deal(*rules.parse_deal(deal)),
        "moves": len(moves),
        "route": routes.route(deal, sequence),
        "looks": sum(event.action.startswith("look ") for event in accepted),
        **of_drags([event.action for event in accepted]),
        "first_move_ms": moves[0].client_ms if moves else "",
    }
