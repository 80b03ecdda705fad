"""Target the Two: its hands played again, and what its logs tell as far as the table of hands goes."""

from __future__ import annotations

import json
from typing import Any

from analysis.actions_table import TableHand
from analysis.folding import state_of
from analysis.keeper_logs import LogHand
from games.contract import IllegalAction
from games.ttt import APPS, measures, routes, rules


def replay(hand: TableHand) -> rules.State:
    """The board after the hand's last action. Raises BadFile."""
    return state_of(hand, APPS, rules)


def logged_measures(hand: LogHand) -> dict[str, Any]:
    """The cells of the table of hands: a hand without an ``HS`` line names neither goal nor settings, a
    single file has half of the looks, and times are the participant's alone."""
    told = hand.told
    sequence = told.sequence
    first_move = next(
        (event.ms for event in told.events if event.accepted and event.action in rules.MOVES), None
    )
    ended = told.ended_ms is not None
    known: dict[str, Any] = {
        "participant_code": told.participant,
        "hand": told.number,
        "seat": rules.SEAT,
        "sequence": sequence,
        "score": told.score if ended else "",
        "client_seconds": client_seconds(told.ended_ms - told.dealt_ms) if ended else "",
        "settings": _json(told.options) if told.options else "",
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
    return known


def client_seconds(ms: int) -> float:
    """The cards are dealt a millisecond apart in a log, which takes no time of the participant's."""
    return 0.0 if ms < len(rules.PLACES) else ms / 1000


def _played(hand: LogHand) -> dict[str, Any]:
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


def _json(options: dict[str, Any]) -> str:
    return json.dumps(options, ensure_ascii=False, separators=(",", ":"))
