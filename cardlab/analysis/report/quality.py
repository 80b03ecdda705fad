"""Counts irregular events in a session, as measures of data quality."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import pandas as pd

from cardlab.analysis.browser_events import LATE_MS, Person, Reported
from cardlab.analysis.folding import history
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.events import ABSENT, AWAY, CLOCK_CHANGE, END, LEAVE, RECONNECT, SECOND_TAB
from cardlab.games.hand import History

ADVANCED = "advanced"  # the outcome of a hand from which the researcher moved a participant on
TOLERANCE_MS = 2000  # a larger difference between a client's clock and the server's is not network delay

COLUMNS = {
    "session_code": "oTree's code of the session",
    "participants": "participants with at least one hand",
    "bots": "`participants` that are oTree's bots or simulated",
    "hands": "hands, including practice",
    "practice": "practice hands",
    "damaged": "hands whose rows contradict each other or the rules; left out everywhere",
    "open": "hands that are not over",
    "timeouts": "hands ended by a time limit",
    "advanced": "hands, or seats, from which the researcher moved a participant on",
    "absences": "actions by the server for an absent participant",
    "away": "times that a participant was absent so long that the server played at once",
    "reconnects": "times that a page was loaded or connected again",
    "second_tabs": "times that a seat was opened on a second tab or computer",
    "refused": "refused actions, including duplicates",
    "duplicates": "actions refused because the board had changed: second tab, resend, double click",
    "late": f"actions that arrived more than {TOLERANCE_MS // 1000} s after they were made",
    "clock_jumps": "times that a participant's clock ran backwards, or more than "
    f"{TOLERANCE_MS // 1000} s ahead of the server's",
    "server_clock_jumps": "times that the server's clock was changed",
    "versions": "versions of Card Lab that dealt the hands",
}

BROWSER_COLUMNS = {  # of sessions with browser events
    "left_hands": "hands and seats during which the window lost the focus or was hidden",
    "left_seconds": "mean seconds of this, over the hands and seats of participants with browser events",
    "throttled": f"heartbeats more than {LATE_MS // 1000} s late: the browser slowed the tab down, or the "
    "computer slept",
    "several_tabs": "participants with pages open in several tabs at the same time",
}


class QualityCounts:
    """The counts of ``COLUMNS`` by session. ``reported`` has what the browsers of participants reported."""

    def __init__(self, reported: Mapping[Person, Reported] = MappingProxyType({})) -> None:
        self._reported = reported
        self._away_ms: dict[str, list[int]] = defaultdict(list)  # of each hand and seat, by session
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._people: dict[str, dict[str, bool]] = defaultdict(dict)
        self._versions: dict[str, set[str]] = defaultdict(set)

    def add(self, hand: SourceHand, rules: ModuleType) -> None:
        """Adds a hand."""
        session = hand.cells["session_code"]
        codes = self._people[session]
        for identity in [hand.participant_cells(seat) for seat in (*hand.people, "")]:
            if identity["participant_code"]:
                codes[identity["participant_code"]] = identity["is_bot"] not in ("", "0")
        self._versions[session].add(hand.cells.get("card_lab_version", ""))
        end, counts = hand.end, self._counts[session]
        closing_action = end.action if end else ""
        counts["hands"] += 1
        counts["practice"] += hand.cells["practice"] not in ("", "0")
        counts["open"] += end is None
        counts["timeouts"] += closing_action == f"{END}timeout"
        counts["advanced"] += closing_action == f"{END}{ADVANCED}"
        counts.update(_count_disturbances(hand, rules))
        self._away_ms[session] += self._times_away(hand)

    def _times_away(self, hand: SourceHand) -> list[int]:
        """Returns how long each participant whose browser reported events was away during a hand."""
        start_ms, codes = hand.shown_ms, sorted(hand.codes)
        found = [self._reported.get((hand.cells["session_code"], code)) for code in codes]
        if start_ms is None or not hand.events:
            return []
        return [one.away_ms(start_ms, hand.events[-1].server_ms) for one in found if one]

    def _browser_cells(self, session: str) -> dict[str, Any]:
        """Returns the cells of ``BROWSER_COLUMNS``, empty if no browser of the session reported anything."""
        people = [one for (code, _who), one in self._reported.items() if code == session]
        times = self._away_ms[session]
        if not people:
            return dict.fromkeys(BROWSER_COLUMNS, "")
        return {
            "left_hands": sum(ms > 0 for ms in times),
            "left_seconds": round(sum(times) / len(times) / 1000, 3) if times else "",
            "throttled": sum(one.late_heartbeats for one in people),
            "several_tabs": sum(one.has_several_tabs for one in people),
        }

    def frame(self, damaged: Mapping[str, int]) -> pd.DataFrame:
        """Returns one row per session. ``damaged`` has by session the number of excluded hands."""
        for session, hands in damaged.items():
            self._counts[session]["damaged"] = hands
        rows: list[dict[str, Any]] = [
            {
                **{name: counts[name] for name in COLUMNS},
                **self._browser_cells(session),
                "session_code": session,
                "participants": len(self._people[session]),
                "bots": sum(self._people[session].values()),
                "versions": ", ".join(sorted(self._versions[session])),
            }
            for session, counts in self._counts.items()
        ]
        return pd.DataFrame(rows, columns=[*COLUMNS, *(BROWSER_COLUMNS if self._reported else ())])


def _count_disturbances(hand: SourceHand, rules: ModuleType) -> dict[str, int]:
    notes = [event.action for event in hand.events if event.accepted is None]
    refusals = sum(event.accepted is False for event in hand.events)
    return {
        "advanced": notes.count(f"{LEAVE}{ADVANCED}"),  # not those of participants who stopped
        "absences": notes.count(ABSENT),
        "away": notes.count(AWAY),
        "reconnects": notes.count(RECONNECT),
        "second_tabs": notes.count(SECOND_TAB),
        "refused": refusals,
        "duplicates": _count_duplicates(history(hand, rules)) if refusals else 0,
        "server_clock_jumps": sum(note.startswith(CLOCK_CHANGE) for note in notes),
        **_count_clock_jumps(hand),
    }


def _count_duplicates(hand_history: History) -> int:
    """Counts rejected actions with a sequence number that their seat had already used.

    The sequence number of a seat also counts actions of others that began or ended the seat's turn.
    """
    duplicates = 0
    for hand_before, event, _hand_after in hand_history.steps:
        if event.accepted is False and event.number is not None and event.seat in hand_before.seats:
            duplicates += event.number < hand_before.seats[event.seat].next_number
    return duplicates


def _count_clock_jumps(hand: SourceHand) -> dict[str, int]:
    jumps = late_events = 0
    latest_ms: dict[str, int] = {}
    shown_ms = hand.shown_ms
    following = (*hand.events[1:], None)
    for event, next_event in zip(hand.events, following):
        if not event.accepted or event.client_ms is None or not event.seat or shown_ms is None:
            continue
        if event.client_ms < latest_ms.get(event.seat, 0):
            jumps += 1
        elif next_event is None or (next_event.seat, next_event.server_ms) != (event.seat, event.server_ms):
            # Skipped for actions that arrived together with the next one, such as the steps of a drag.
            behind = event.server_ms - shown_ms - event.client_ms
            late_events += behind > TOLERANCE_MS
            jumps += behind < -TOLERANCE_MS
        latest_ms[event.seat] = event.client_ms
    return {"late": late_events, "clock_jumps": jumps}
