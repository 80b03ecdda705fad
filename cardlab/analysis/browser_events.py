"""Reads the browser events of sessions: absences, throttled tabs, several tabs, and paths of the pointer.

``lab.py export`` writes the table ``browser_events.csv`` into the folder of the tables of actions.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis.cells import parse_time, parse_whole
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.spreadsheets import open_table
from cardlab.games.browser_events import (
    BLUR,
    FOCUS,
    HEARTBEAT,
    HIDDEN,
    INPUT,
    OPENED,
    POINTER,
    VISIBLE,
    has_valid_details,
    read_path,
)
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote

NAME = "browser_events.csv"
LATE_MS = 2000  # a later timer was throttled by the browser, or the computer slept
OVERLAP_MS = 1000  # of two tabs; more than any difference between the times of a reload

Person = tuple[str, str]  # the codes of session and participant

# What each event changes in the visibility and focus of its tab.
_CHANGES: Mapping[str, dict[str, bool]] = {
    HIDDEN: {"visible": False},
    VISIBLE: {"visible": True},
    BLUR: {"focused": False},
    FOCUS: {"focused": True},
    INPUT: {"focused": True},
}


class ReportedEvent(NamedTuple):
    """An event, with its time by the server's clock in Unix milliseconds."""

    ms: int
    tab: str
    number: int
    event: str
    details: dict[str, Any]


class Reported:
    """The events that the browsers of one participant reported, in order of time."""

    def __init__(self, events: Iterable[ReportedEvent]) -> None:
        self.events = sorted(events, key=lambda event: (event.ms, event.tab, event.number))

    @cached_property
    def absences(self) -> list[tuple[int, int | None]]:
        """The periods without a visible tab in focus: begin and end in Unix ms; None if it did not end."""
        tabs: dict[str, dict[str, bool]] = {}
        absences: list[tuple[int, int | None]] = []
        since: int | None = None
        for event in self.events:
            change = _CHANGES.get(event.event, {})
            if event.event == OPENED:
                change = {name: bool(event.details.get(name)) for name in ("visible", "focused")}
            if change.get("focused"):  # then no other tab has it
                tabs = {tab: {**state, "focused": False} for tab, state in tabs.items()}
            tabs[event.tab] = {**tabs.get(event.tab, {"visible": True, "focused": True}), **change}
            is_here = any(all(state.values()) for state in tabs.values())
            if is_here and since is not None:
                absences.append((since, event.ms))
                since = None
            elif not is_here and since is None:
                since = event.ms
        return absences if since is None else [*absences, (since, None)]

    def away_ms(self, start_ms: int, end_ms: int) -> int:
        """Returns the time in ms between ``start_ms`` and ``end_ms`` without a visible tab in focus."""
        times = [
            min(end_ms, end_ms if end is None else end) - max(start_ms, begin) for begin, end in self.absences
        ]
        return sum(max(0, ms) for ms in times)

    def pointer_path(self, start_ms: int, end_ms: int) -> list[tuple[int, int, int]]:
        """Returns the points of the pointer's path between ``start_ms`` and ``end_ms``, in order of time.

        A point has its ms after ``start_ms``, and x and y in thousandths of the board's width and height.
        """
        points = [
            (event.ms - start_ms + point.ms, point.x, point.y)
            for event in self.events
            if event.event == POINTER
            for point in read_path(event.details["path"], event.details["hz"])
        ]
        return sorted(point for point in points if 0 <= point[0] <= end_ms - start_ms)

    @property
    def late_heartbeats(self) -> int:
        """The number of heartbeats that were more than ``LATE_MS`` late."""
        late = [event.details.get("late_ms", 0) for event in self.events if event.event == HEARTBEAT]
        return sum(ms > LATE_MS for ms in late)

    @property
    def has_several_tabs(self) -> bool:
        """Whether two tabs reported at the same time."""
        times: dict[str, list[int]] = defaultdict(list)
        for event in self.events:
            times[event.tab].append(event.ms)
        last = None
        for first_ms, last_ms in sorted((each[0], each[-1]) for each in times.values()):
            if last is not None and min(last, last_ms) - first_ms > OVERLAP_MS:
                return True
            last = last_ms if last is None else max(last, last_ms)
        return False


def read_browser_events(tables: Sequence[Path]) -> dict[Person, Reported]:
    """Reads the browser events in the folders of these tables, by participant.

    Empty if there is no such file. Raises BadFile.
    """
    folders = dict.fromkeys(table.parent for table in tables)
    files = [path for folder in folders for path in sorted(folder.glob("*.csv")) if _is_named(path)]
    events: dict[Person, dict[tuple[str, int], ReportedEvent]] = defaultdict(dict)
    for file in files:
        for person, event in _read_table(file):
            events[person][event.tab, event.number] = event  # a session may be in several folders
    return {person: Reported(own.values()) for person, own in events.items()}


def _is_named(path: Path) -> bool:
    return path.is_file() and table_name(path.name) == Path(NAME).stem


def _read_table(file: Path) -> Iterator[tuple[Person, ReportedEvent]]:
    with open_table(file) as text:
        rows = csv.DictReader(text)
        try:
            for row in rows:
                yield (row["session_code"], row["participant_code"]), _parse_event(row)
        except UnicodeError:
            raise BadFile(str(file), "This file is not text in UTF-8. Save it as UTF-8.") from None
        except (KeyError, ValueError, TypeError, csv.Error) as error:
            sentence = f"This line is not a browser event: {error}"
            raise BadFile(str(file), sentence, rows.line_num) from None


def _parse_event(row: Mapping[str, str]) -> ReportedEvent:
    ms = parse_time(row["server_time_utc"], "server_time_utc")
    number = parse_whole(row["event_number"], "event_number")
    event, details = row["event"], json.loads(row["details"])
    if not has_valid_details(event, details):
        raise ValueError(f"event must be a known one with its details, not {quote(event)}.")
    return ReportedEvent(ms, row["tab"], number, event, details)
