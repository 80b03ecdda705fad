"""The table of actions (``custom_export``), the same in all games, read hand by hand.

A hand's rows stand together, its deal first, so no more than one hand is in memory at a time.
"""

from __future__ import annotations

import csv
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from cardlab.analysis.cells import parse_time, parse_whole
from cardlab.analysis.source_hand import PARTICIPANT_CELLS, PlayedHand, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.events import Event
from cardlab.games.tables import UNREADABLE, unguard
from cardlab.games.text_file import quote

COLUMNS = (  # what a reader cannot do without; docs/data-dictionary.md describes all
    *("session_code", "session_created_utc", "participant_code", "participant_label", "is_bot"),
    *("app", "hand", "hand_id", "seat", "action_number", "action", "accepted", "reason"),
    *("client_ms", "server_time_utc", "shown_utc", "practice", "settings"),
)

_EVENT_COLUMNS = ("action_number", "seat", "action", "client_ms", "server_time_utc", "accepted", "reason")

_ACCEPTED = {"1": True, "0": False, "": None}

_DIGEST_COLUMNS = ("action_number", "seat", "action", "accepted", "client_ms", "settings")

NO_DEAL = (
    "This hand begins without its deal; the rows of a hand must stand together, in the order of the export."
)


class Heading(NamedTuple):
    """A table's columns, what separates its cells (a spreadsheet may have saved it with another mark than
    the comma), and the lines that the heading takes."""

    columns: Sequence[str]
    separator: str
    lines: int

    def cells(self, *columns: str) -> Callable[[list[str]], Any]:
        """What takes the cells of some columns out of a row."""
        return itemgetter(*map(self.columns.index, columns))


class SeenNames:
    """The names that have come; 8 bytes of each are kept, so that there may be millions."""

    def __init__(self) -> None:
        self._hashes: dict[int, array] = defaultdict(lambda: array("q"))

    def add(self, name: Hashable) -> bool:
        """Whether the name comes for the first time."""
        hashed = hash(name)
        alike = self._hashes[hashed & 0xFFFF]
        if hashed in alike:
            return False
        alike.append(hashed)
        return True


def read_hands(lines: Iterable[str], name: str, also: Sequence[str] = ()) -> Iterator[SourceHand]:
    """The hands of a table; ``also`` names columns that are needed besides ``COLUMNS``.

    BadFile names the line of whatever cannot be read.
    """
    lines = iter(lines)
    yield from read_hands_below(read_heading(lines, name, also), lines, name)


def read_heading(lines: Iterator[str], name: str, also: Sequence[str] = ()) -> Heading:
    """The heading, of whose lines it takes no more. BadFile if a column that is needed is not there."""
    first = next(lines, "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(chain([first], lines), delimiter=separator)
    try:
        columns = next(filter(None, reader), [])
    except csv.Error as error:
        raise _csv_error(error, name, reader.line_num) from None
    missing = [column for column in (*COLUMNS, *also) if column not in columns]
    if missing:
        raise BadFile(
            name,
            f"Needed is a table of actions (custom_export); this one has no column {', '.join(missing)}.",
            1,
        )
    return Heading(columns, separator, reader.line_num)


def read_hands_below(
    heading: Heading, lines: Iterable[str], name: str, above: int | None = None
) -> Iterator[SourceHand]:
    """The hands of rows that stand below ``above`` lines, those of the heading unless it is told."""
    event_cells, who_cells = heading.cells(*_EVENT_COLUMNS), heading.cells(*PARTICIPANT_CELLS)
    begun: _HandBuilder | None = None
    for line, row, is_first in _read_rows(heading, lines, name, above):
        who = who_cells(row)
        if is_first:
            if begun:
                yield begun.hand(name)
            cells = dict(zip(heading.columns, row))
            begun = _HandBuilder(line, cells, who[0])
            if clean_deal_row(cells, name, line):
                continue
            if cells["action"] == UNREADABLE:
                begun.damage = cells.get("notice") or NO_DEAL
                continue
            begun.damage = NO_DEAL  # and the row tells something else
        try:
            told = parse_event(event_cells(row))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
        begun.add(told, who)
    if begun:
        yield begun.hand(name)


class _HandBuilder:
    """A hand of which more rows may come."""

    def __init__(self, line: int, cells: dict[str, str], code: str) -> None:
        self.damage: str | None = None
        self._line, self._cells = line, cells
        self._events: list[Event] = []
        self._people: dict[str, Sequence[str]] = {}
        self._codes = {"": code}  # by seat

    def add(self, event: Event, who: Sequence[str]) -> None:
        seat, (code, label, is_bot) = event.seat, who
        self._events.append(event)
        if seat and seat not in self._people:
            self._people[seat] = (code, unguard(label), is_bot.removesuffix(".0"))
        if self._codes.setdefault(seat, code) != code and not self.damage:
            one, other = map(quote, (self._codes[seat], code))
            self.damage = f"Rows of the same seat of the hand dealt here are of {one} and of {other}."

    def hand(self, file: str) -> SourceHand:
        alone, *seated = self._codes.values()
        seated = list(filter(None, seated))  # robots have none
        if not self.damage and (len(set(seated)) < len(seated) or alone and {alone, *seated} != {alone}):
            names = ", ".join(map(quote, filter(None, self._codes.values())))
            self.damage = f"The hand dealt here has participants whom it cannot have together: {names}."
        events = tuple(self._events)
        return SourceHand(file, self._line, self._cells, events, self._people, self.damage)


class Digest(NamedTuple):
    """What a table tells of a hand, in short. ``rows`` has eight bytes for each row, so that one digest
    begins like the other if they are of one hand at different moments. ``played`` as
    :attr:`ToldHand.played`, and for rows of nobody; ``line`` is where the hand begins."""

    hand_id: str
    line: int
    rows: bytes
    played: set[PlayedHand]


def read_digests(lines: Iterable[str], name: str) -> Iterator[Digest]:
    """The hands of a table in short, read only so far that they can be compared. Raises BadFile."""
    lines = iter(lines)
    top = read_heading(lines, name)
    hand_id_of, told_cells = top.cells("hand_id"), top.cells(*_DIGEST_COLUMNS)
    played_cells = top.cells("session_code", "app", "participant_code", "hand")
    digest, rows, before = None, array("q"), None
    for line, row, is_first in _read_rows(top, lines, name):
        if is_first:
            if digest:
                yield digest._replace(rows=rows.tobytes())
            digest, rows = Digest(hand_id_of(row), line, b"", set()), array("q")
        # Saved again by pandas, a table has 3.0 for 3.
        rows.append(hash(tuple([cell.removesuffix(".0") for cell in told_cells(row)])))
        if (cells := played_cells(row)) == before and not is_first:
            continue
        before, (*who, number) = cells, cells
        try:
            digest.played.add(PlayedHand(*who, parse_whole(number, "hand")))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
    if digest:
        yield digest._replace(rows=rows.tobytes())


def _read_rows(
    heading: Heading, lines: Iterable[str], name: str, above: int | None = None
) -> Iterator[tuple[int, list[str], bool]]:
    """The line where each row ends, the row, as wide as the heading, and whether a hand begins with it."""
    reader = csv.reader(lines, delimiter=heading.separator)
    above = heading.lines if above is None else above
    width, hand_id_of, before = len(heading.columns), heading.cells("hand_id"), None
    try:
        for row in reader:
            if len(row) != width:
                if not row:
                    continue
                raise BadFile(
                    name,
                    f"This row has {len(row)} cells where the heading has {width}; is the file cut off?",
                    above + reader.line_num,
                )
            hand_id = hand_id_of(row)
            yield above + reader.line_num, row, hand_id != before
            before = hand_id
    except csv.Error as error:
        raise _csv_error(error, name, above + reader.line_num) from None


def _csv_error(error: csv.Error, name: str, line: int) -> BadFile:
    return BadFile(name, f"This is no row of a CSV table ({error}).", line)


def clean_deal_row(cells: dict[str, str], name: str, line: int) -> bool:
    """Whether a hand's first row is its deal. Its cells become what the server means: without apostrophes,
    and with 0 where a table saved again by pandas has 0.0."""
    for column in ("participant_label", "action"):
        cells[column] = unguard(cells[column])
    for column in ("practice", "is_bot"):
        cells[column] = cells[column].removesuffix(".0")
    if cells["practice"] not in _ACCEPTED:
        raise BadFile(name, f"practice must be 1, 0 or empty, not {quote(cells['practice'])}.", line)
    return cells["action"].startswith("deal ")


def parse_event(cells: Sequence[str]) -> Event:
    """One row, from its cells ``_EVENT``. ValueError says in a sentence what is wrong with it."""
    number, seat, action, client_ms, server_time, accepted, reason = cells
    return Event._make(
        (
            _parse_number(number) if number else None,
            seat,
            unguard(action),
            parse_whole(client_ms, "client_ms") if client_ms else None,
            parse_time(server_time, "server_time_utc"),
            _ACCEPTED[accepted] if accepted in _ACCEPTED else _parse_accepted(accepted),
            unguard(reason) if reason else "",
        )
    )


def _parse_accepted(text: str) -> bool | None:
    text = text.removesuffix(".0")
    if text not in _ACCEPTED:
        raise ValueError(f"accepted must be 1, 0 or empty, not {quote(text)}.")
    return _ACCEPTED[text]


@lru_cache(maxsize=1024)
def _parse_number(text: str) -> int:
    """The same few numbers stand in every hand."""
    return parse_whole(text, "action_number")
