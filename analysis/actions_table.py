"""The table of actions (``custom_export``), the same in all games, read hand by hand.

A hand's rows stand together, its deal first, so no more than one hand is in memory at a time.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property, lru_cache
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from games.contract import BadFile, Event
from games.tables import plain
from games.text_file import quote

COLUMNS = (  # what a reader cannot do without; docs/data-dictionary.md describes all
    *("session_code", "session_created_utc", "participant_code", "participant_label", "is_bot"),
    *("app", "hand", "hand_id", "seat", "action_number", "action", "accepted", "reason"),
    *("client_ms", "server_time_utc", "shown_utc", "practice", "settings"),
)

WHO = ("participant_code", "participant_label", "is_bot")
_EVENT = ("action_number", "seat", "action", "client_ms", "server_time_utc", "accepted", "reason")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_WHOLE = re.compile(r"(-?[0-9]{1,15})(\.0+)?")  # a table saved again by pandas has 3.0 for 3
_ACCEPTED = {"1": True, "0": False, "": None}


@dataclass(frozen=True)
class TableHand:
    """One hand: ``cells``, its deal row by column (apostrophes against spreadsheets taken off), and its
    events. ``people`` has the cells ``WHO`` of those whose rows are among them, by seat. ``file`` and
    ``line`` say where it begins. Times are Unix milliseconds."""

    file: str
    line: int
    cells: dict[str, str]
    events: tuple[Event, ...]
    people: dict[str, Sequence[str]]

    @property
    def participant(self) -> str:
        return self.cells["participant_code"]

    def who(self, seat: str) -> dict[str, str]:
        """The cells ``WHO`` of a seat; empty for a robot, and for a participant who never came."""
        if seat in self.people:
            return dict(zip(WHO, self.people[seat]))
        if seat in self.options.get("robots", {}):
            return dict.fromkeys(WHO, "")
        return {column: self.cells[column] for column in WHO}  # empty where several sit at the table

    @property
    def hand_id(self) -> str:
        return self.cells["hand_id"]

    @cached_property
    def number(self) -> int:
        return self.whole("hand")

    @property
    def deal(self) -> str:
        return self.cells["action"].removeprefix("deal ")

    @property
    def options(self) -> dict[str, Any]:
        """The settings in force; BadFile if the cell holds none."""
        try:
            return _options(self.cells["settings"])
        except ValueError:
            raise self.bad("The cell settings is no JSON object.") from None

    @property
    def created_ms(self) -> int:
        return self.time("session_created_utc")

    @property
    def shown_ms(self) -> int | None:
        """None for a hand that was closed before it was shown."""
        return self.time("shown_utc") if self.cells["shown_utc"] else None

    @property
    def end(self) -> Event | None:
        """The row ``end …``, None while the hand is open. (A refused text may read so too.)"""
        return next(
            (event for event in self.events if event.accepted and event.action.startswith("end ")), None
        )

    def whole(self, column: str) -> int:
        return _whole(self.cells[column], column, self.file, self.line)

    def time(self, column: str) -> int:
        return _time(self.cells[column], column, self.file, self.line)

    def bad(self, sentence: str) -> BadFile:
        """The error to raise for this hand."""
        return BadFile(self.file, sentence, self.line)


def read(lines: Iterable[str], name: str, also: Sequence[str] = ()) -> Iterator[TableHand]:
    """The hands of a table; ``also`` names columns that are needed besides ``COLUMNS``.

    BadFile names the line of whatever is not as the server writes it.
    """
    heading, rows = _table(lines, name, (*COLUMNS, *also))
    event_cells = itemgetter(*map(heading.index, _EVENT))
    seat_and_who = itemgetter(*map(heading.index, ("seat", *WHO)))
    read_hands: set[str] = set()
    for hand_id, of_hand in groupby(rows, key=_cell(heading, "hand_id")):
        (line, first), *others = of_hand
        cells = dict(zip(heading, first))
        for column in ("participant_label", "action"):
            cells[column] = plain(cells[column])
        events = tuple(_event(event_cells(row), name, line) for line, row in others)
        people = {
            seat: (code, plain(label), is_bot)
            for seat, code, label, is_bot in {seat_and_who(row) for _line, row in others}
            if seat
        }
        hand = TableHand(name, line, cells, events, people)
        if not cells["action"].startswith("deal "):
            raise hand.bad(
                f"The hand {hand_id!r} begins without its deal; "
                "the rows of a hand must stand together, in the order of the export."
            )
        if hand_id in read_hands:
            raise hand.bad(f"The hand {hand_id!r} is dealt a second time in this table.")
        read_hands.add(hand_id)
        yield hand


def sizes(lines: Iterable[str], name: str) -> Iterator[tuple[str, int]]:
    """Each hand's id and the number of its rows."""
    heading, rows = _table(lines, name, COLUMNS)
    for hand_id, of_hand in groupby(rows, key=_cell(heading, "hand_id")):
        yield hand_id, sum(1 for _ in of_hand)


Row = tuple[int, list[str]]  # line number, cells


def _table(lines: Iterable[str], name: str, needed: Sequence[str]) -> tuple[list[str], Iterator[Row]]:
    """The heading, and the rows below it."""
    lines = iter(lines)
    first = next(lines, "")
    # A spreadsheet may have saved the table with another separator.
    separator = max(",;\t", key=first.count)
    rows = _rows(chain([first], lines), separator, name)
    _, heading = next(rows, (1, []))
    missing = [column for column in needed if column not in heading]
    if missing:
        raise BadFile(
            name,
            f"Needed is a table of actions (custom_export); this one has no column {', '.join(missing)}.",
            1,
        )
    return heading, rows


def _rows(lines: Iterable[str], separator: str, name: str) -> Iterator[Row]:
    """The rows, all as wide as the heading; a line is the one where its row ends."""
    reader = csv.reader(lines, delimiter=separator)
    width = 0
    try:
        for row in reader:
            width = width or len(row)
            if len(row) != width and row:
                raise BadFile(
                    name,
                    f"This row has {len(row)} cells where the heading has {width}; is the file cut off?",
                    reader.line_num,
                )
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise BadFile(name, f"This is no row of a CSV table ({error}).", reader.line_num) from None


def _cell(heading: list[str], column: str):
    place = heading.index(column)
    return lambda row: row[1][place]


def _event(cells: Sequence[str], name: str, line: int) -> Event:
    """One row, from its cells ``_EVENT``."""
    number, seat, action, client_ms, server_time, accepted, reason = cells
    accepted = accepted.removesuffix(".0")
    if accepted not in _ACCEPTED:
        raise BadFile(name, f"accepted must be 1, 0 or empty, not {quote(accepted)}.", line)
    return Event(
        _whole(number, "action_number", name, line) if number else None,
        seat,
        plain(action),
        _whole(client_ms, "client_ms", name, line) if client_ms else None,
        _time(server_time, "server_time_utc", name, line),
        _ACCEPTED[accepted],
        plain(reason),
    )


def _whole(text: str, column: str, name: str, line: int) -> int:
    found = _WHOLE.fullmatch(text)
    if not found:
        raise BadFile(name, f"{column} must be a whole number, not {quote(text)}.", line)
    return int(found[1])


def _time(text: str, column: str, name: str, line: int) -> int:
    try:
        return (datetime.fromisoformat(text.replace("Z", "+00:00")) - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, TypeError):
        raise BadFile(
            name, f"{column} must be a time like 2026-11-20T14:03:07.412Z, not {quote(text)}.", line
        ) from None


@lru_cache(maxsize=64)
def _options(text: str) -> dict[str, Any]:
    """The same few settings stand in every hand of a session."""
    options = json.loads(text)
    if not isinstance(options, dict):
        raise ValueError
    return options
