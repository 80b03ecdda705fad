"""Builds actions tables of single hands from the rules, for replays, without a server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from cardlab.analysis.actions_table import COLUMNS
from cardlab.games.contract import IllegalAction
from cardlab.games.events import Event
from cardlab.games.registry import games_by_name
from cardlab.games.tables import format_utc, guard_formula

CREATED_MS = 1_795_183_200_000  # 20 November 2026, 14:00 UTC
SCRIPT_INJECTION = "</script><img src=x onerror=alert(1)>"
MARKUP_LABEL = 'PC_01 </title><script>"&amp;'

SentAction = tuple[int, str, str]  # client_ms (-1 for an action of the server), seat, action


def hand_rows(
    game: str, deal: str, options: dict[str, Any], sent: Iterable[SentAction], number: int = 1
) -> list[dict]:
    """Returns the rows of a hand that is shown at once, with refusals and notes."""
    game_entry = games_by_name()[game]
    rules = game_entry.rules
    state, shown_ms = rules.start(deal, options), CREATED_MS + 10_000 * number
    app = game_entry.app_for_seats(len(rules.seats(state)))
    rows = [_row(app, number, Event(0, "", f"deal {deal}", None, shown_ms), _only(rules, state))]
    rows[0] |= {"shown_utc": format_utc(shown_ms), "practice": "0", "settings": json.dumps(options)}
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


def actions_csv(*hands: list[dict]) -> str:
    """Returns the hands as one table of actions."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for rows in hands for row in rows)
    return text.getvalue()


def _only(rules: ModuleType, state: Any) -> str:
    """Returns the seat in the ``deal`` and ``end`` rows: "" if several people play."""
    seats = rules.seats(state)
    return seats[0] if len(seats) == 1 else ""


def _row(app: str, number: int, event: Event, who: str) -> dict[str, str]:
    accepted = {True: "1", False: "0", None: ""}[event.accepted]
    return {
        "session_code": "s3ss10n0",
        "session_created_utc": format_utc(CREATED_MS),
        "participant_code": f"code_{who}" if who else "",
        "participant_label": guard_formula(MARKUP_LABEL) if who else "",
        "is_bot": "0",
        "app": app,
        "hand": str(number),
        "hand_id": f"{app}-s3ss10n0-1-{number}",
        "seat": event.seat,
        "action_number": "" if event.number is None else str(event.number),
        "action": guard_formula(event.action),
        "accepted": accepted,
        "reason": event.reason,
        "client_ms": "" if event.client_ms is None else str(event.client_ms),
        "server_time_utc": format_utc(event.server_ms),
    }
