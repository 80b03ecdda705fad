"""Checks the rows of one hand in a table: by their digests, and by cells that contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cardlab.games.events import ARRIVE
from cardlab.games.factors import COLUMN as FACTOR
from cardlab.games.text_file import quote
from cardlab.row_chain import RowChain

SAME_IN_HAND = ("session_code", "is_demo", "session_created_utc", "treatment", "app", "hand")
SAME_IN_SEAT = ("participant_code", "participant_label", "is_bot")
TIME_LENGTH = len("2026-11-20T14:03:07.412Z")
MAX_SEARCHES = 50  # for the place of a row, because each compares it with all rows of the hand


class Row(NamedTuple):
    """A row of a table, and the line where it ends."""

    line: int
    cells: list[str]


class Fault(NamedTuple):
    """What is wrong with a row."""

    line: int
    sentence: str


class ChainCheck:
    """Compares the rows of a hand with their digests.

    ``faults`` are those whose sentence is certain. ``unexplained`` are the lines of rows that match no
    digest: they were altered, or rows before them are missing. ``distinct`` counts rows without repeats.
    """

    def __init__(self, chain: RowChain, digest_place: int, rows: Sequence[Row]) -> None:
        self.faults: list[Fault] = []
        self.unexplained: list[int] = []
        self.distinct = 0
        self._chain, self._place = chain, digest_place
        self._digests = {row.cells[digest_place]: row.line for row in reversed(rows)}
        self._seen: dict[str, Row] = {}
        self._previous, self._before = [chain.first], list[str]()  # digests that may precede the next row
        self._searches = 0
        for row in rows:
            self._check(row)

    def _check(self, row: Row) -> None:
        digest = row.cells[self._place]
        if (seen := self._seen.get(digest)) and seen.cells == row.cells:
            self.faults.append(Fault(row.line, f"This row repeats line {seen.line}."))
            return
        self.distinct += 1
        self._seen.setdefault(digest, row)
        computed = [self._chain.digest_after(previous, row.cells) for previous in self._previous]
        if digest in computed:
            self._previous, self._before = [digest], []
        elif digest in [self._chain.digest_after(previous, row.cells) for previous in self._before]:
            self.faults.append(Fault(self.unexplained.pop(), "This row was added."))
            self._previous, self._before = [digest], []
        elif place := self._find_place(row):
            self.faults.append(Fault(row.line, f"This row is out of order. It belongs {place}."))
            self._previous, self._before = [digest], []
        else:
            self.unexplained.append(row.line)
            self._before = self._previous[:2]
            self._previous = [digest, *computed[:2]]

    def _find_place(self, row: Row) -> str:
        """Returns where a row belongs, "" if it follows no row of the hand."""
        self._searches += 1
        if self._searches > MAX_SEARCHES:
            return ""
        digest = row.cells[self._place]
        if self._chain.digest_after(self._chain.first, row.cells) == digest:
            return "to the beginning of the hand"
        for previous, line in self._digests.items():
            if self._chain.digest_after(previous, row.cells) == digest:
                return f"after line {line}"
        return ""


def chain_faults(check: ChainCheck, last_line: int, expected: int | None) -> Iterator[Fault]:
    """Yields the faults of a hand that should have ``expected`` rows (None: unknown)."""
    missing = 0 if expected is None else expected - check.distinct
    yield from check.faults
    for line in check.unexplained:
        if missing > 0:
            yield Fault(line, f"{_rows(missing)} before this one, or this row was altered.")
        else:
            yield Fault(line, "This row was altered, or does not belong here.")
    if missing > 0 and not check.unexplained:
        yield Fault(last_line, f"{_rows(missing)} after this one.")
    if missing < 0 and not check.unexplained and not check.faults:
        yield Fault(last_line, f"The hand should have {expected} rows, but has {check.distinct}.")


def _rows(count: int) -> str:
    return "1 row is missing" if count == 1 else f"{count} rows are missing"


class CellCheck:
    """Finds cells that contradict the other rows of their hand. ``heading`` is that of the table."""

    def __init__(self, heading: Sequence[str]) -> None:
        names = [*SAME_IN_HAND, *(name for name in heading if name.startswith(FACTOR))]
        self._same_in_hand = _places(heading, names)
        self._same_in_seat = _places(heading, SAME_IN_SEAT)
        self._place = {name: place for place, name in enumerate(heading)}

    def faults(self, hand: str, rows: Sequence[Row]) -> Iterator[Fault]:
        """Yields the faults of a hand."""
        yield from _contradictions(rows, self._same_in_hand)
        if (seat := self._place.get("seat")) is not None:
            for name in {row.cells[seat] for row in rows}:
                yield from _contradictions(
                    [row for row in rows if row.cells[seat] == name], self._same_in_seat
                )
        yield from self._wrong_ids(hand, rows)
        yield from self._wrong_times(rows)

    def _wrong_ids(self, hand: str, rows: Sequence[Row]) -> Iterator[Fault]:
        app, session = self._place.get("app"), self._place.get("session_code")
        if app is None or session is None:
            return
        for row in rows:
            begin = f"{row.cells[app]}-{row.cells[session]}-"
            if not hand.startswith(begin):
                yield Fault(row.line, f"hand_id should begin with {quote(begin)}.")

    def _wrong_times(self, rows: Sequence[Row]) -> Iterator[Fault]:
        """Yields faults of times that run backwards, or do not agree within a row."""
        time, created = self._place.get("server_time_utc"), self._place.get("session_created_utc")
        shown = self._place.get("shown_utc")
        latest: Row | None = None
        for row in rows:
            cells = row.cells
            if time is not None and len(cells[time]) == TIME_LENGTH:
                if latest and cells[time] < latest.cells[time]:
                    yield Fault(row.line, f"server_time_utc is earlier than in line {latest.line}.")
                elif not self._is_seen_at_arrival(row, rows):
                    latest = row
            if shown is not None and cells[shown] and not self._is_after_creation(row, shown, created):
                yield Fault(row.line, "shown_utc is earlier than session_created_utc.")
            if shown is not None and time is not None and cells[shown] not in ("", cells[time]):
                yield Fault(row.line, "shown_utc differs from server_time_utc.")
            if self._ends_too_early(row):
                yield Fault(row.line, "ended_utc is earlier than shown_utc.")

    def _is_seen_at_arrival(self, row: Row, rows: Sequence[Row]) -> bool:
        """Returns whether a row is the deal, and its time that of an arrival, when the hand was first shown.

        Participants who are advanced can leave a hand with several seats before anybody has seen it.
        """
        action, time = self._place.get("action"), self._place["server_time_utc"]
        if action is None or row is not rows[0]:
            return False
        return any(other.cells[action] == ARRIVE and other.cells[time] == row.cells[time] for other in rows)

    def _ends_too_early(self, row: Row) -> bool:
        """Returns whether a hand ended before it was shown.

        That is right, with 0 seconds, for a participant who left before.
        """
        shown, ended, seconds = map(self._place.get, ("shown_utc", "ended_utc", "seconds"))
        if shown is None or ended is None or not row.cells[ended]:
            return False
        has_left_before = seconds is not None and not row.cells[seconds].strip("0.,")
        return row.cells[ended] < row.cells[shown] and not has_left_before

    def _is_after_creation(self, row: Row, place: int, created: int | None) -> bool:
        if created is None:
            return True
        begin, time = row.cells[created], row.cells[place]
        return {len(begin), len(time)} != {TIME_LENGTH} or begin <= time


def _places(heading: Sequence[str], names: Sequence[str]) -> list[tuple[str, int]]:
    return [(name, heading.index(name)) for name in names if name in heading]


def _contradictions(rows: Sequence[Row], columns: Sequence[tuple[str, int]]) -> Iterator[Fault]:
    """Yields the rows that differ from most others in a column that should be the same in all."""
    for name, place in columns:
        if len({row.cells[place] for row in rows}) == 1:
            continue
        ((usual, _count),) = Counter(row.cells[place] for row in rows).most_common(1)
        for row in rows:
            if row.cells[place] != usual:
                yield Fault(
                    row.line,
                    f"{name} is {quote(row.cells[place])}, but {quote(usual)} in other rows of the hand.",
                )
