"""Target the Two: what a hand comes to, from the table of actions or from its logs.

The numbers are those of the server's own table of hands; what a log does not tell stays empty.
"""

from __future__ import annotations

import json
from typing import Any

from analysis.actions_table import TableHand, utc
from analysis.keeper_logs import LogHand
from analysis.folding import state_of
from games.contract import IllegalAction
from games.ttt import measures as of_ttt
from games.ttt import routes, rules

APP = "ttt_solo_app"


def replay(hand: TableHand) -> rules.State:
    """The board after the hand's last action. Raises BadFile."""
    return state_of(hand, APP, rules)


def measures(hand: TableHand) -> dict[str, Any]:
    """The values for the table of hands. Raises BadFile."""
    state, end = replay(hand), hand.end
    accepted = [event for event in hand.events if event.accepted and event is not end]
    shown_ms = hand.shown_ms
    seconds = max(0, end.server_ms - shown_ms) / 1000 if end and shown_ms is not None else 0.0
    timed = [event.client_ms for event in hand.events if event.client_ms is not None]
    if end and end.client_ms is None:  # closed by the server, so by its clock
        timed.append(round(1000 * seconds))
    return {
        "deal": hand.deal,
        **of_ttt.of_hand(hand.deal, {}, hand.events, rules.SEAT),
        "outcome": end.action.removeprefix("end ") if end else "open",
        "score": rules.result(state, rules.SEAT, seconds).score,
        "ended_utc": utc(end.server_ms) if end else "",
        "seconds": round(seconds, 3) if end else "",
        "client_seconds": _client_seconds(max(timed, default=0)) if end else "",
        "actions": len(accepted),
        "refused": sum(event.accepted is False for event in hand.events),
        "reconnects": sum(event.accepted is None and event.action == "reconnect" for event in hand.events),
    }


def logged_measures(hand: LogHand) -> dict[str, Any]:
    """The same as far as logs tell: a hand without an ``HS`` line names neither goal nor settings, a
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
        "sequence": sequence,
        "score": told.score if ended else "",
        "client_seconds": _client_seconds(told.ended_ms - told.dealt_ms) if ended else "",
        "settings": _json(told.options) if told.options else "",
        "layout": " ".join(told.layout),
        "goal": told.goal,
        "first": told.first,
        "moves": len(sequence),
        "first_move_ms": "" if first_move is None else first_move - told.dealt_ms,
    }
    if hand.events is not None:
        known["refused"] = sum(not event.accepted for event in hand.events)
        known |= _touches([event.action for event in hand.events if event.accepted])
    if told.goal and told.first:
        known |= of_ttt.of_deal(told.layout, told.goal, told.first)
        known |= _played(hand)
    return known


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


def _client_seconds(ms: int) -> float:
    """The cards are dealt a millisecond apart, which takes no time of the participant's."""
    return 0.0 if ms < len(rules.PLACES) else ms / 1000


def _touches(accepted: list[str]) -> dict[str, int]:
    """What needs every accepted action between deal and end."""
    return {
        "actions": len(accepted),
        "looks": sum(action.startswith("look ") for action in accepted),
        "pick_ups": sum(action.startswith("pick ") for action in accepted),
    }


def _json(options: dict[str, Any]) -> str:
    return json.dumps(options, ensure_ascii=False, separators=(",", ":"))
