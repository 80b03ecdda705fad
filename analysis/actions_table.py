"""The table of actions (``custom_export``), the same in all games, read hand by hand.

A hand's rows stand together, its deal first, so no more than one hand is in memory at a time.
"""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from games.contract import BadFile
from games.events import Event
from games.tables import UNREADABLE, plain
from games.text_file import quote

COLUMNS = (  # what a reader cannot do without; docs/data-dictionary.md describes all
    *("session_code", "session_created_utc", "participant_code", "participant_label", "is_bot"),
    *("app", "hand", "hand_id", "seat", "action_number", "action", "accepted", "reason"),
    *("client_ms", "server_time_utc", "shown_utc", "practice", "settings"),
)

WHO = ("participant_code", "participant_label", "is_bot")
_EVENT = ("action_number", "seat", "action", "client_ms", "server_time_utc", "accepted", "reason")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_FRACTION = re.compile(r"\.([0-9]{3})Z")
_WHOLE = re.compile(r"(-?[0-9]{1,15})(\.0+)?")  # a table saved again by pandas has 3.0 for 3
_ACCEPTED = {"1": True, "0": False, "": None}

LEAVE = "leave "  # the note that somebody went on before the end, and the outcome for them

_TOLD = ("action_number", "seat", "action", "accepted", "client_ms", "settings")

ODD_SETTINGS = "The settings of this hand are not as the server writes them."
NO_DEAL = (
    "This hand begins without its deal; the rows of a hand must stand together, in the order of the export."
)


@dataclass(frozen=True)
class TableHand:
    """One hand: ``cells``, its deal row by column (apostrophes against spreadsheets taken off), and its
    events. ``people`` has the cells ``WHO`` of those whose rows are among them, by seat. ``file`` and
    ``line`` say where it begins. ``damage`` says what is wrong with its rows, "" if nothing is, None as long
    as nobody has played it again. Times are Unix milliseconds."""

    file: str
    line: int
    cells: dict[str, str]
    events: tuple[Event, ...]
    people: dict[str, Sequence[str]]
    damage: str | None = None

    __hash__ = object.__hash__  # a hand is remembered as the one that it is, whatever it tells

    @property
    def participant(self) -> str:
        return self.cells["participant_code"]

    @property
    def codes(self) -> set[str]:
        """The codes of the participants who sat at the table."""
        return {self.participant, *(code for code, *_ in self.people.values())} - {""}

    @property
    def played(self) -> set[Played]:
        """Of each of them, which hand it is."""
        session, app = self.cells["session_code"], self.cells["app"]
        return {Played(session, app, code, self.number) for code in self.codes}

    @property
    def remaining(self) -> set[str]:
        """Those of them who have not left before the end of the hand."""
        left = {
            event.seat
            for event in self.events
            if event.accepted is None and event.action.startswith(LEAVE) and event.seat in self.people
        }
        return self.codes - {self.people[seat][0] for seat in left}

    def who(self, seat: str) -> dict[str, str]:
        """The cells ``WHO`` of a seat; empty for a robot, and for a participant who never came."""
        if seat in self.people:
            return dict(zip(WHO, self.people[seat]))
        if seat in self.robots:
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
        """The settings in force; BadFile if the cell holds none, or some that no game could have."""
        try:
            return _options(self.cells["settings"])
        except _OddSettings:
            raise self.bad(ODD_SETTINGS) from None
        except (ValueError, RecursionError):
            raise self.bad("The cell settings is no JSON object.") from None

    @property
    def robots(self) -> dict[str, str]:
        """The robots of the table by their seats."""
        return self.options.get("robots") or {}

    @property
    def created_ms(self) -> int:
        return self.time("session_created_utc")

    @property
    def shown_ms(self) -> int | None:
        """None for a hand that was closed before it was shown."""
        return self.time("shown_utc") if self.cells["shown_utc"] else None

    @cached_property
    def end(self) -> Event | None:
        """The row ``end …``, None while the hand is open. (A refused text may read so too.)"""
        for event in self.events:
            if event.accepted and event.action.startswith("end "):
                return event
        return None

    def whole(self, column: str) -> int:
        return self._read(_whole, column)

    def time(self, column: str) -> int:
        return self._read(_time, column)

    def _read(self, reader: Callable[[str, str], int], column: str) -> int:
        try:
            return reader(self.cells[column], column)
        except ValueError as error:
            raise self.bad(str(error)) from None

    def bad(self, sentence: str) -> BadFile:
        """The error to raise for this hand."""
        return BadFile(self.file, sentence, self.line)

    def damaged(self, sentence: str) -> Damaged:
        """The error to raise if its rows can be read, but not all of them can be true."""
        return Damaged(self.file, sentence, self.line)


class Damaged(BadFile):
    """A hand whose rows contradict each other or the rules, so that nothing it tells can be relied on."""


class _OddSettings(Exception):
    """Settings that are JSON, but not such as the server writes."""


Who = tuple[str, str, str]  # session, app and participant


class Played(NamedTuple):
    """That a participant has played a hand, by its number in the app."""

    session: str
    app: str
    participant: str
    hand: int

    @property
    def who(self) -> Who:
        return self[:3]


class Heading(NamedTuple):
    """A table's columns, what separates its cells (a spreadsheet may have saved it with another mark than
    the comma), and the lines that the heading takes."""

    columns: Sequence[str]
    separator: str
    lines: int

    def cells(self, *columns: str) -> Callable[[list[str]], Any]:
        """What takes the cells of some columns out of a row."""
        return itemgetter(*map(self.columns.index, columns))


class Once:
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


def read(lines: Iterable[str], name: str, also: Sequence[str] = ()) -> Iterator[TableHand]:
    """The hands of a table; ``also`` names columns that are needed besides ``COLUMNS``.

    BadFile names the line of whatever cannot be read.
    """
    lines = iter(lines)
    yield from hands_below(heading(lines, name, also), lines, name)


def heading(lines: Iterator[str], name: str, also: Sequence[str] = ()) -> Heading:
    """The heading, of whose lines it takes no more. BadFile if a column that is needed is not there."""
    first = next(lines, "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(chain([first], lines), delimiter=separator)
    try:
        columns = next(filter(None, reader), [])
    except csv.Error as error:
        raise _no_table(error, name, reader.line_num) from None
    missing = [column for column in (*COLUMNS, *also) if column not in columns]
    if missing:
        raise BadFile(
            name,
            f"Needed is a table of actions (custom_export); this one has no column {', '.join(missing)}.",
            1,
        )
    return Heading(columns, separator, reader.line_num)


def hands_below(
    heading: Heading, lines: Iterable[str], name: str, above: int | None = None
) -> Iterator[TableHand]:
    """The hands of rows that stand below ``above`` lines, those of the heading unless it is told."""
    event_cells, who_cells = heading.cells(*_EVENT), heading.cells(*WHO)
    begun: _Begun | None = None
    for line, row, is_first in _rows(heading, lines, name, above):
        who = who_cells(row)
        if is_first:
            if begun:
                yield begun.hand(name)
            cells = dict(zip(heading.columns, row))
            begun = _Begun(line, cells, who[0])
            if _dealt(cells, name, line):
                continue
            if cells["action"] == UNREADABLE:
                begun.damage = cells.get("notice") or NO_DEAL
                continue
            begun.damage = NO_DEAL  # and the row tells something else
        try:
            event = _event(event_cells(row))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
        begun.add(event, who)
    if begun:
        yield begun.hand(name)


class _Begun:
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
            self._people[seat] = (code, plain(label), is_bot.removesuffix(".0"))
        if self._codes.setdefault(seat, code) != code and not self.damage:
            one, other = map(quote, (self._codes[seat], code))
            self.damage = f"Rows of the same seat of the hand dealt here are of {one} and of {other}."

    def hand(self, file: str) -> TableHand:
        alone, *seated = self._codes.values()
        seated = list(filter(None, seated))  # robots have none
        if not self.damage and (len(set(seated)) < len(seated) or alone and {alone, *seated} != {alone}):
            names = ", ".join(map(quote, filter(None, self._codes.values())))
            self.damage = f"The hand dealt here has participants whom it cannot have together: {names}."
        events = tuple(self._events)
        return TableHand(file, self._line, self._cells, events, self._people, self.damage)


class Digest(NamedTuple):
    """What a table tells of a hand, in short. ``rows`` has eight bytes for each row, so that one digest
    begins like the other if they are of one hand at different moments. ``played`` as
    :attr:`TableHand.played`, and for rows of nobody; ``line`` is where the hand begins."""

    hand_id: str
    line: int
    rows: bytes
    played: set[Played]


def digests(lines: Iterable[str], name: str) -> Iterator[Digest]:
    """The hands of a table in short, read only so far that they can be compared. Raises BadFile."""
    lines = iter(lines)
    top = heading(lines, name)
    hand_id_of, told_cells = top.cells("hand_id"), top.cells(*_TOLD)
    played_cells = top.cells("session_code", "app", "participant_code", "hand")
    digest, rows, before = None, array("q"), None
    for line, row, is_first in _rows(top, lines, name):
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
            digest.played.add(Played(*who, _whole(number, "hand")))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
    if digest:
        yield digest._replace(rows=rows.tobytes())


def _rows(
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
        raise _no_table(error, name, above + reader.line_num) from None


def _no_table(error: csv.Error, name: str, line: int) -> BadFile:
    return BadFile(name, f"This is no row of a CSV table ({error}).", line)


def _dealt(cells: dict[str, str], name: str, line: int) -> bool:
    """Whether a hand's first row is its deal. Its cells become what the server means: without apostrophes,
    and with 0 where a table saved again by pandas has 0.0."""
    for column in ("participant_label", "action"):
        cells[column] = plain(cells[column])
    for column in ("practice", "is_bot"):
        cells[column] = cells[column].removesuffix(".0")
    if cells["practice"] not in _ACCEPTED:
        raise BadFile(name, f"practice must be 1, 0 or empty, not {quote(cells['practice'])}.", line)
    return cells["action"].startswith("deal ")


def _event(cells: Sequence[str]) -> Event:
    """One row, from its cells ``_EVENT``. ValueError says in a sentence what is wrong with it."""
    number, seat, action, client_ms, server_time, accepted, reason = cells
    return Event._make(
        (
            _number(number) if number else None,
            seat,
            plain(action),
            _whole(client_ms, "client_ms") if client_ms else None,
            _time(server_time, "server_time_utc"),
            _ACCEPTED[accepted] if accepted in _ACCEPTED else _accepted(accepted),
            plain(reason) if reason else "",
        )
    )


def _accepted(text: str) -> bool | None:
    text = text.removesuffix(".0")
    if text not in _ACCEPTED:
        raise ValueError(f"accepted must be 1, 0 or empty, not {quote(text)}.")
    return _ACCEPTED[text]


@lru_cache(maxsize=1024)
def _number(text: str) -> int:
    """The same few numbers stand in every hand."""
    return _whole(text, "action_number")


def _whole(text: str, column: str) -> int:
    if len(text) < 16 and text.isdigit() and text.isascii():
        return int(text)
    found = _WHOLE.fullmatch(text)
    if not found:
        raise ValueError(f"{column} must be a whole number, not {quote(text)}.")
    return int(found[1])


def _time(text: str, column: str) -> int:
    try:
        return _second(text[:19]) + _thousandths(text[19:])
    except (ValueError, TypeError):
        pass  # another way to write a time, or none
    try:
        return _unix_ms(text.replace("Z", "+00:00"))
    except (ValueError, TypeError):
        raise ValueError(
            f"{column} must be a time like 2026-11-20T14:03:07.412Z, not {quote(text)}."
        ) from None


def _unix_ms(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND


@lru_cache(maxsize=8192)
def _second(text: str) -> int:
    """Many rows are of the same second."""
    return _unix_ms(f"{text}+00:00")


@lru_cache(maxsize=1024)
def _thousandths(text: str) -> int:
    found = _FRACTION.fullmatch(text)
    if not found:
        raise ValueError
    return int(found[1])


@lru_cache(maxsize=64)
def _options(text: str) -> dict[str, Any]:
    """The same few settings stand in every hand of a session."""
    options = json.loads(text, parse_float=_finite, parse_constant=_finite)
    if not isinstance(options, dict):
        raise ValueError
    if not isinstance(options.get("robots") or {}, dict):
        raise _OddSettings
    return options


def _finite(text: str) -> float:
    """Python also reads Infinity, NaN and 1e999, which the server never writes."""
    number = float(text)
    if not math.isfinite(number):
        raise _OddSettings
    return number
