"""Reads the table of actions (``custom_export``) hand by hand. All games have the same format.

The rows of a hand are consecutive and begin with its deal, so only one hand is in memory at a time.
"""

import csv
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from cardlab import row_chain
from cardlab.analysis.cells import parse_time, parse_whole
from cardlab.analysis.source_hand import PARTICIPANT_CELLS, PlayedHand, SourceHand
from cardlab.analysis.spreadsheet_cells import REMEDY, is_rounded
from cardlab.games.contract import BadFile
from cardlab.games.events import ARRIVE, Event
from cardlab.games.tables import UNREADABLE, unguard
from cardlab.games.text_file import quote

COLUMNS = (  # the required columns; docs/reference/data-dictionary.md describes all
    *("session_code", "session_created_utc", "participant_code", "participant_label", "is_bot"),
    *("app", "hand", "hand_id", "seat", "action_number", "action", "accepted", "reason"),
    *("client_ms", "server_time_utc", "shown_utc", "practice", "settings"),
)

_EVENT_COLUMNS = ("action_number", "seat", "action", "client_ms", "server_time_utc", "accepted", "reason")

_ACCEPTED = {"1": True, "0": False, "": None}

_DIGEST_COLUMNS = ("action_number", "seat", "action", "accepted", "client_ms", "settings")

NO_DEAL = "This hand begins without its deal. Rows are missing, or not in the order of the export."


LINE_COLUMN = "line_in_original"  # only in copies that cardlab.analysis.spreadsheets has made


class Heading(NamedTuple):
    """The columns of a table, the separator of its cells, and the number of lines of the heading.

    A spreadsheet may have replaced the commas with semicolons or tabs. ``is_sealed`` says that the file
    matches its seal, so the digests of its rows need not be checked.
    """

    columns: Sequence[str]
    separator: str
    lines: int
    is_sealed: bool = False

    def cells(self, *columns: str) -> Callable[[list[str]], Any]:
        """Returns a function that selects the cells of these columns from a row."""
        return itemgetter(*map(self.columns.index, columns))


class SeenNames:
    """The set of names seen so far. Stores an 8-byte hash of each, so that millions fit into memory."""

    def __init__(self) -> None:
        self._hashes: dict[int, array[int]] = defaultdict(lambda: array("q"))

    def add(self, name: Hashable) -> bool:
        """Adds a name, and returns whether it is new."""
        hashed = hash(name)
        bucket = self._hashes[hashed & 0xFFFF]
        if hashed in bucket:
            return False
        bucket.append(hashed)
        return True


def read_hands(
    lines: Iterable[str], name: str, also: Sequence[str] = (), is_sealed: bool = False
) -> Iterator[SourceHand]:
    """Yields the hands of a table. ``also`` names additional required columns.

    Raises BadFile with the line that cannot be read.
    """
    lines = iter(lines)
    heading = read_heading(lines, name, also)._replace(is_sealed=is_sealed)
    yield from read_hands_below(heading, lines, name)


def read_heading(lines: Iterator[str], name: str, also: Sequence[str] = ()) -> Heading:
    """Reads only the heading. Raises BadFile if a column is missing."""
    first_line = next(lines, "")
    separator = max(",;\t", key=first_line.count)
    reader = csv.reader(chain([first_line], lines), delimiter=separator)
    try:
        columns = next(filter(None, reader), [])
    except csv.Error as error:
        raise _csv_error(error, name, reader.line_num) from None
    missing = [column for column in (*COLUMNS, *also) if column not in columns]
    if missing:
        raise BadFile(
            name, f"This is not a table of actions (custom_export): it has no column {', '.join(missing)}.", 1
        )
    return Heading(columns, separator, reader.line_num)


def read_hands_below(
    heading: Heading, lines: Iterable[str], name: str, above: int | None = None
) -> Iterator[SourceHand]:
    """Yields the hands of the rows in ``lines``.

    ``above`` is the number of lines of the file before them, by default those of the heading.
    """
    event_cells, who_cells = heading.cells(*_EVENT_COLUMNS), heading.cells(*PARTICIPANT_CELLS)
    builder: _HandBuilder | None = None
    digests = _DigestCheck(heading)
    for line, row, is_first in digests.check(_read_rows(heading, lines, name, above)):
        identity = who_cells(row)
        if is_first or builder is None:
            if builder:
                yield builder.hand(name, digests.is_last_whole)
            cells = dict(zip(heading.columns, row))
            builder = _HandBuilder(line, cells, identity[0])
            if clean_deal_row(cells, name, line):
                continue
            if cells["action"] == UNREADABLE:
                builder.damage = cells.get("notice") or NO_DEAL
                continue
            builder.damage = NO_DEAL  # the row is an event
        try:
            event = parse_event(event_cells(row))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
        builder.add(event, identity)
    if builder:
        yield builder.hand(name, digests.is_last_whole)


_NumberedRow = tuple[int, list[str], bool]  # the line, the cells, and whether it begins a hand


class _DigestCheck:
    """Compares rows with their digests, if the table has any and is not sealed.

    ``is_last_whole`` says whether the last complete hand has all its rows, unaltered.
    """

    def __init__(self, heading: Heading) -> None:
        self.is_last_whole = True
        columns = [name for name in heading.columns if name != LINE_COLUMN]  # the last column
        self._columns = columns if row_chain.has_digests(columns) and not heading.is_sealed else None
        self._has_length = "record_lines" in columns
        self._is_copy = LINE_COLUMN in heading.columns

    def check(self, rows: Iterator[_NumberedRow]) -> Iterator[_NumberedRow]:
        """Yields the rows, and updates ``is_last_whole``."""
        if self._columns is None:
            yield from rows
            return
        width, place = len(self._columns), self._columns.index(row_chain.COLUMN)
        length_place = self._columns.index("record_lines") if self._has_length else 0
        chain, is_copy = row_chain.RowChain(self._columns), self._is_copy
        previous, is_whole, count, length = chain.first, True, 0, ""
        for line, row, is_first in rows:
            if is_first:
                self.is_last_whole = is_whole and (not length or length == str(count))
                previous, is_whole, count = chain.first, True, 0
                length = row[length_place] if self._has_length else ""
            digest, count = row[place], count + 1
            is_whole = is_whole and chain.digest_after(previous, row[:width] if is_copy else row) == digest
            previous = digest
            yield line, row, is_first
        self.is_last_whole = is_whole and (not length or length == str(count))


class _HandBuilder:
    """Collects the rows of a hand."""

    def __init__(self, line: int, cells: dict[str, str], code: str) -> None:
        self.damage: str | None = None
        self._line, self._cells = line, cells
        self._events: list[Event] = []
        self._people: dict[str, Sequence[str]] = {}
        self._codes = {"": code}  # by seat

    def add(self, event: Event, identity: Sequence[str]) -> None:
        """Adds a row after the deal. ``identity`` has its ``PARTICIPANT_CELLS``."""
        seat, (code, label, is_bot) = event.seat, identity
        self._events.append(event)
        if seat and seat not in self._people:
            self._people[seat] = (code, unguard(label), is_bot.removesuffix(".0"))
        if self._codes.setdefault(seat, code) != code and not self.damage:
            old_code, new_code = map(quote, (self._codes[seat], code))
            self.damage = (
                f"In the hand dealt here, rows of the same seat belong to {old_code} and to {new_code}."
            )

    def hand(self, file: str, is_whole: bool) -> SourceHand:
        """Returns the hand of the rows so far."""
        solo_code, *seated = self._codes.values()
        seated = list(filter(None, seated))  # robots have none
        if not self.damage and (
            len(set(seated)) < len(seated) or solo_code and {solo_code, *seated} != {solo_code}
        ):
            names = ", ".join(map(quote, filter(None, self._codes.values())))
            self.damage = f"The participants of the hand dealt here cannot belong to the same hand: {names}."
        if not self.damage:
            self.damage = self._describe_lost_code()
        events = tuple(self._events)
        return SourceHand(file, self._line, self._cells, events, self._people, self.damage, is_whole=is_whole)

    def _describe_lost_code(self) -> str | None:
        """Returns a sentence about a code that a spreadsheet has destroyed, None if there is none."""
        columns = [(name, self._cells[name]) for name in ("session_code", "hand_id")]
        columns += [("participant_code", code) for code in self._codes.values()]
        for column, cell in columns:
            if is_rounded(cell):
                return (
                    f"{column} of the hand dealt here is {cell}: a spreadsheet has replaced the code with a "
                    f"rounded number. {REMEDY}"
                )
        return None


class Digest(NamedTuple):
    """A summary of a hand of a table, for comparing tables.

    ``rows`` has an 8-byte hash of each row, so the digest of an earlier state of a hand is a prefix of the
    later one. ``line`` is where the hand begins. ``played`` is like :attr:`SourceHand.played`, but without
    participants who never arrived.
    """

    hand_id: str
    line: int
    rows: bytes
    played: set[PlayedHand]


def read_digests(lines: Iterable[str], name: str) -> Iterator[Digest]:
    """Yields the digests of the hands of a table. Raises BadFile."""
    lines = iter(lines)
    heading = read_heading(lines, name)
    hand_id, digest_cells = heading.cells("hand_id"), heading.cells(*_DIGEST_COLUMNS)
    played_cells = heading.cells("action", "session_code", "app", "participant_code", "hand")
    digest: Digest | None = None
    rows = array("q")
    for line, row, is_first in _read_rows(heading, lines, name):
        if is_first or digest is None:
            if digest:
                yield digest._replace(rows=rows.tobytes())
            digest, rows = Digest(hand_id(row), line, b"", set()), array("q")
        # pandas saves 3 as 3.0.
        rows.append(hash(tuple([cell.removesuffix(".0") for cell in digest_cells(row)])))
        action, session, app, participant, number = played_cells(row)
        if not is_first and action != ARRIVE:
            continue
        try:
            digest.played.add(PlayedHand(session, app, participant, parse_whole(number, "hand")))
        except ValueError as error:
            raise BadFile(name, str(error), line) from None
    if digest:
        yield digest._replace(rows=rows.tobytes())


def _read_rows(
    heading: Heading, lines: Iterable[str], name: str, above: int | None = None
) -> Iterator[_NumberedRow]:
    """Yields the line where each row ends, the row, and whether it begins a hand."""
    reader = csv.reader(lines, delimiter=heading.separator)
    above = heading.lines if above is None else above
    width, hand_id_of, previous_id = len(heading.columns), heading.cells("hand_id"), None
    line_of = heading.cells(LINE_COLUMN) if LINE_COLUMN in heading.columns else None
    try:
        for row in reader:
            if len(row) != width:
                if not row:
                    continue
                raise BadFile(
                    name,
                    f"This row has {len(row)} cells, but the heading has {width}. Perhaps the "
                    "file was cut off.",
                    above + reader.line_num,
                )
            hand_id = hand_id_of(row)
            line = int(line_of(row)) if line_of else above + reader.line_num
            yield line, row, hand_id != previous_id
            previous_id = hand_id
    except csv.Error as error:
        raise _csv_error(error, name, above + reader.line_num) from None


def _csv_error(error: csv.Error, name: str, line: int) -> BadFile:
    return BadFile(name, f"This row is not valid CSV ({error}).", line)


def clean_deal_row(cells: dict[str, str], name: str, line: int) -> bool:
    """Cleans the cells of a hand's first row in place, and returns whether it is a deal. Raises BadFile.

    Removes the apostrophes that guard spreadsheets, and the ".0" that pandas adds to whole numbers.
    """
    for column in ("participant_label", "action"):
        cells[column] = unguard(cells[column])
    for column in ("practice", "is_bot"):
        cells[column] = cells[column].removesuffix(".0")
    if cells["practice"] not in _ACCEPTED:
        raise BadFile(name, f"practice must be 1, 0 or empty, not {quote(cells['practice'])}.", line)
    return cells["action"].startswith("deal ")


def parse_event(cells: Sequence[str]) -> Event:
    """Returns the event of a row, from its ``_EVENT_COLUMNS``. Raises ValueError."""
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
    # Cached, because all hands have the same few numbers.
    return parse_whole(text, "action_number")
