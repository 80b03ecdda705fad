"""What ck and nk logs tell of a hand, as far as the table of hands goes."""

from __future__ import annotations

from typing import Any, NamedTuple

from analysis.told_hand import Row
from games.contract import IllegalAction
from games.record import dump
from games.ttt import measures, routes, rules
from games.ttt.keeper_log import LoggedEvent, LoggedHand
from games.ttt.keeper_log.quick import PlayedHand


class Logged(NamedTuple):
    """A hand as its logs tell it.

    ``told`` is the fullest telling, a PlayedHand if only the moves were read; ``events`` are those of
    both keepers' files, None where one is missing, ends earlier or was read for its moves alone.
    ``files`` names each file it was read from.
    """

    told: LoggedHand | PlayedHand
    events: tuple[LoggedEvent, ...] | None
    files: tuple[str, ...]


def row(hand: Logged) -> Row:
    """The cells of the table of hands: a hand without an ``HS`` line names neither goal nor settings, a
    single file has half of the looks, and times are the participant's alone."""
    told = hand.told
    sequence = told.sequence
    first_move = next(
        (event.ms for event in told.events if event.accepted and event.action in rules.MOVES), None
    )
    ended = told.ended_ms is not None
    known: Row = {
        "participant_code": told.participant,
        "hand": told.number,
        "seat": rules.SEAT,
        "sequence": sequence,
        "score": told.score if ended else "",
        "client_seconds": client_seconds(told.ended_ms - told.dealt_ms) if ended else "",
        "settings": dump(told.options) if told.options else "",
        "layout": " ".join(told.layout),
        "goal": told.goal,
        "first": told.first,
        "moves": len(sequence),
        "first_move_ms": "" if first_move is None else first_move - told.dealt_ms,
    }
    if hand.events is not None:
        known["refused"] = sum(not event.accepted for event in hand.events)
        in_order = sorted(hand.events, key=lambda event: (event.ms, event.action in rules.MOVES))
        known |= _touches([event.action for event in in_order if event.accepted])
    if told.goal and told.first:
        known |= measures.of_deal(told.layout, told.goal, told.first)
        known |= _played(hand)
    return known | {"source": "; ".join(dict.fromkeys(hand.files))}


def client_seconds(ms: int) -> float:
    """The cards are dealt a millisecond apart in a log, which takes no time of the participant's."""
    return 0.0 if ms < len(rules.PLACES) else ms / 1000


def _played(hand: Logged) -> dict[str, Any]:
    """Deal, outcome and route, for a hand whose goal and first mover are known.

    A log says that a hand has ended, not whether it was given up, timed out or moved on. Nothing where
    the moves break the rules; the log's reader has warned of it.
    """
    told = hand.told
    deal = rules.format_deal(told.layout, told.goal, told.first)
    try:
        route = routes.route(deal, told.sequence)
        state = rules.start(deal, {**told.options, "MaxRounds": len(told.sequence) + 1})
        for move in told.sequence:
            state = rules.apply(state, rules.SEAT, move)
    except IllegalAction:
        return {"deal": deal}
    outcome = ""
    if state.solved:
        outcome = "solved"
    elif told.ended_ms is None:
        outcome = "open"
    elif "MaxRounds" in told.options and state.moves >= told.options["MaxRounds"]:
        outcome = "failed"
    return {"deal": deal, "outcome": outcome, "route": route}


def _touches(accepted: list[str]) -> dict[str, int]:
    """What needs every accepted action between deal and end."""
    return {
        "actions": len(accepted),
        "looks": sum(action.startswith("look ") for action in accepted),
        **measures.of_drags(accepted),
    }
