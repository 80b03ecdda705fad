"""What ``custom_export_hands`` says of a hand of Target the Two beyond the common columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from experiment.exports import by_participant
from experiment.hand import Hand, fold
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
    "first_move_ms": "milliseconds from first shown to the first move, by the participant's clock",
}


def plays(players: Iterable) -> Iterator[tuple[rules.Layout, str]]:
    """Layout and sequence of every hand, participant by participant, for the Transform summary."""
    for rounds in by_participant(players).values():
        for player in rounds:
            if player.record:
                hand = fold(rules, player.record)
                yield rules.parse_deal(hand.opening.deal)[0], hand.state.sequence


def of_hand(hand: Hand, events: list[Event]) -> dict[str, Any]:
    """The values of ``COLUMNS``, and the ``sequence``."""
    layout, goal, first = rules.parse_deal(hand.opening.deal)
    accepted = [event for event in events if event.accepted]
    moves = [event for event in accepted if event.action in rules.MOVES]
    sequence = "".join(event.action for event in moves)
    return {
        "sequence": sequence,
        "layout": " ".join(layout),
        "goal": goal,
        "first": first,
        "moves": len(moves),
        "least_moves": solver.least_moves(layout, goal, first),
        "route": routes.route(hand.opening.deal, sequence),
        "looks": sum(event.action.startswith("look ") for event in accepted),
        "pick_ups": sum(event.action.startswith("pick ") for event in accepted),
        "first_move_ms": moves[0].client_ms if moves else "",
    }
