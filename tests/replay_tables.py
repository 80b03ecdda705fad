"""Tables of actions of single hands for replays, written row by row by the rules alone: no server."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from analysis.actions_table import COLUMNS
from games.contract import IllegalAction
from games.events import Event
from games.matrix import rules as matrix
from games.registry import by_name
from games.tables import guarded, utc
from games.triangle import rules as triangle
from games.ttt import rules as ttt

CREATED_MS = 1_795_183_200_000  # 20 November 2026, 14:00 UTC
EVIL = "</script><img src=x onerror=alert(1)>"
LABEL = 'PC_01 </title><script>"&amp;'
APPS = {name: (game.app, game.rules) for name, game in by_name().items()}

Sent = tuple[int, str, str]  # client_ms (or -1: the server's), seat, action


def hand(game: str, deal: str, options: dict[str, Any], sent: Iterable[Sent], number: int = 1) -> list[dict]:
    """The rows of a hand that is shown at once: what the rules refuse is refused, and notes are notes."""
    app, rules = APPS[game]
    state, shown_ms = rules.start(deal, options), CREATED_MS + 10_000 * number
    rows = [_row(app, number, Event(0, "", f"deal {deal}", None, shown_ms), _only(rules, state))]
    rows[0] |= {"shown_utc": utc(shown_ms), "practice": "0", "settings": json.dumps(options)}
    next_number, ms = 1, 0
    for client_ms, seat, action in sent:
        ms = max(ms, client_ms)
        event = Event(next_number, seat, action, None if client_ms < 0 else client_ms, shown_ms + ms)
        if action in ("arrive", "reconnect"):
            event = event._replace(number=None, client_ms=None, accepted=None)
        else:
            try:
                state = rules.apply(state, seat, action)
                next_number += 1
            except IllegalAction as refused:
                event = event._replace(accepted=False, reason=str(refused))
        rows.append(_row(app, number, event, "" if seat in options.get("robots", {}) else seat))
    if rules.is_over(state):
        outcome = rules.result(state, rules.seats(state)[0], 0).outcome
        end = Event(next_number, "", f"end {outcome}", ms, shown_ms + ms)
        rows.append(_row(app, number, end, _only(rules, state)))
    return rows


def table(*hands: list[dict]) -> str:
    """The hands as one table of actions."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for rows in hands for row in rows)
    return text.getvalue()


def _only(rules: ModuleType, state: Any) -> str:
    """Whose name stands on the rows ``deal`` and ``end``: nobody's where several play."""
    seats = rules.seats(state)
    return seats[0] if len(seats) == 1 else ""


def _row(app: str, number: int, event: Event, who: str) -> dict[str, str]:
    accepted = {True: "1", False: "0", None: ""}[event.accepted]
    return {
        "session_code": "s3ss10n0",
        "session_created_utc": utc(CREATED_MS),
        "participant_code": f"code_{who}" if who else "",
        "participant_label": guarded(LABEL) if who else "",
        "is_bot": "0",
        "app": app,
        "hand": str(number),
        "hand_id": f"{app}-s3ss10n0-1-{number}",
        "seat": event.seat,
        "action_number": "" if event.number is None else str(event.number),
        "action": guarded(event.action),
        "accepted": accepted,
        "reason": event.reason,
        "client_ms": "" if event.client_ms is None else str(event.client_ms),
        "server_time_utc": utc(event.server_ms),
    }


# Hands of the three games, in which what can happen does.

TTT_OPTIONS = {**ttt.DEFAULT_OPTIONS, "ViewCkNk": False}


def of_ttt(number: int = 1) -> list[dict]:
    """Solved by T U P T; 2C lies face down at Ck, and is looked at by step 1."""
    moves = [
        (2000, "look ck"),
        (3000, "pick t"),
        (3400, "T"),
        (4000, EVIL),
        (9900, "U"),
        (10_500, "reconnect"),
    ]
    moves += [(17_400, "P"), (18_000, "T")]
    sent = [(ms, ttt.SEAT, action) for ms, action in moves]
    return hand("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", TTT_OPTIONS, sent, number)


def of_matrix(seed: int = 1, robots: dict[str, str] | None = None, number: int = 1) -> list[dict]:
    """Two at the table play at random to the end; one tries a card that is not there."""
    chance = random.Random(seed)
    options = {"players": 2, "pack": "standard", "court": "10", "change_choice": True, "robots": robots or {}}
    deal = matrix.deal(str(seed), options)
    state, ms = matrix.start(deal, options), 0
    sent = [(-1, seat, "arrive") for seat in state.seats if seat not in options["robots"]]
    sent.append((500, "S", "play 99X"))
    while waiting := matrix.waiting_for(state):
        seat = chance.choice(waiting)
        action = chance.choice(matrix.legal_actions(state, seat))
        ms += chance.choice([700, 2000, 4500])
        sent.append((-1 if seat in options["robots"] else ms, seat, action))
        state = matrix.apply(state, seat, action)
    return hand("matrix", deal, options, sent, number)


def of_triangle(seed: int = 1, number: int = 1) -> list[dict]:
    """Played at random to the end; the server discards, a reminder is laid, a place is refused."""
    chance = random.Random(seed)
    options = {"doubled": 0, "mixed_in": 0, "highlight": True, "show_left": False}
    deal = triangle.deal(str(seed), options)
    state, ms = triangle.start(deal, options), 0
    sent = [(500, triangle.SEAT, "place 28"), (900, triangle.SEAT, f"mark {state.spares[0]} 1")]
    while not triangle.is_over(state):
        forced = triangle.forced_action(state)
        action = forced or chance.choice(triangle.legal_actions(state, triangle.SEAT))
        ms += 0 if forced else chance.choice([1000, 3500])
        sent.append((-1 if forced else ms, triangle.SEAT, action))
        state = triangle.apply(state, triangle.SEAT, action)
    return hand("triangle", deal, options, sent, number)
