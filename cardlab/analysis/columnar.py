"""Tables of actions read column by column, where pyarrow is installed: the same hands, several times as fast.

A part of a table is read at once, and what can be asked of whole columns is. Hands that are equal but for
their times (game, deal, settings and all rows) are folded once (:class:`HandTemplate`).
Whatever is not as the server writes it, a part, a hand or a row, is left to the plain reader, which says what
is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import compute
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

from cardlab.analysis import actions_table, sources
from cardlab.analysis.chunks import Chunk, split_table
from cardlab.analysis.hands import HandTemplate, time_columns, to_csv_cell, varying_columns
from cardlab.analysis.source_hand import PARTICIPANT_CELLS, Row, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.events import Event
from cardlab.games.tables import guard_formula

PART_BYTES = 1_000_000
MOST_KEPT = 100_000  # of the kinds of rows and of hands that are remembered

_KIND = ("action_number", "seat", "action", "accepted", "reason")

_QUOTED = ',"\r\n'  # a cell with one of these is written between quotes

_MOMENT = np.frombuffer(
    b"0000-00-00T00:00:00.000Z", np.uint8
)  # as cardlab.games.tables.format_utc writes one
_DIGITS = np.frombuffer(b"0", np.uint8) == _MOMENT
_A_MOMENT = "1970-01-01T00:00:00.000Z"
_EARLIEST_MS = -62_135_596_800_000  # there is no year 0


def read_table(path: Path, part_bytes: int = PART_BYTES, share: bool = True) -> Iterator[SourceHand]:
    """The hands of a table, as :func:`cardlab.analysis.sources.read_table` tells them. Raises BadFile.

    Without ``share`` hands that are equal but for their times are no more than read: they can be folded.
    """
    reader = Reader(share)
    for part in sources.show_progress(split_table(path, part_bytes), path, lambda part: part.begin):
        yield from reader.hands(part)


class Reader:
    """Reads parts, and remembers what those before have told."""

    def __init__(self, share: bool = True) -> None:
        self._known, self._plainly = _Known(share), False

    def hands(self, part: Chunk) -> Iterator[SourceHand]:
        """The hands of a part. Raises BadFile."""
        rows = part.read()
        try:
            if self._plainly:
                raise _NotClean
            columns = _Columns(part, rows, self._known)
        except (_NotClean, pyarrow.ArrowInvalid):
            yield from part.hands(rows)
            return
        self._plainly = not any(columns.clean)  # where several play, nothing is gained
        yield from columns.hands()
        self._known.forget_too_many()


class _NotClean(Exception):
    """Rows that are better read one by one."""


class _Known:
    """What the parts before have told.

    ``events`` has the kinds of rows, as an event whose times mean nothing, or None where they cannot be read.
    ``hands`` has each kind of hand that came: None after the first, then what they come to; False if they
    cannot be told together.
    """

    def __init__(self, share: bool) -> None:
        self.share = share
        self.events: list[Event | None] = []
        self.hands: dict[tuple[Any, ...], HandTemplate | bool | None] = {}
        self._kinds: dict[tuple[str, ...], int] = {}

    def kind(self, cells: tuple[str, ...]) -> int:
        """The number of a kind of rows."""
        if cells not in self._kinds:
            self._kinds[cells] = len(self.events)
            try:
                self.events.append(actions_table.parse_event(cells))
            except ValueError:
                self.events.append(None)
        return self._kinds[cells]

    def forget_too_many(self) -> None:
        """So little is kept, whatever a table has."""
        if max(len(self.events), len(self.hands)) > MOST_KEPT:
            self.__init__(self.share)


class _Columns:
    """The columns of a part. ``clean`` says of each hand whether it can be told from them."""

    def __init__(self, part: Chunk, rows: bytes, known: _Known) -> None:
        self._part, self._rows, self._known = part, rows, known
        self._ends = _line_ends(rows)
        told = _table(part, rows, self._ends)
        if told.num_rows != len(self._ends):  # there are lines within cells, or empty ones
            raise _NotClean
        first = _differs(told["hand_id"])
        self._begins = np.flatnonzero(first)
        self._timed, self._client_ms, good = _client_ms(told["client_ms"])
        self._server_ms, good_too = _server_ms(told["server_time_utc"])
        self._server_times = told["server_time_utc"]
        self.kinds = self._kinds_of(told, self._timed)
        readable = np.array([event is not None for event in known.events])
        good = (good & good_too & readable[self.kinds]) | first  # of the deal's row nobody asks these
        for column in PARTICIPANT_CELLS:
            good &= first | ~_differs(told[column])
        codes, seats = _codes(told["seat"])
        seats.append("")
        codes = np.where(first | (codes == seats.index("")), -1, codes)
        self._seat_codes = codes
        seat = np.maximum.reduceat(codes, self._begins)
        another = np.logical_or.reduceat((codes != -1) & (codes != seat[np.cumsum(first) - 1]), self._begins)
        self.clean = (np.logical_and.reduceat(good, self._begins) & ~another).tolist()
        self._seats = [seats[code] for code in seat]
        self._latest_ms = np.maximum.reduceat(np.where(first, 0, self._client_ms), self._begins)
        deals = told.take(_indices(self._begins))
        self._deals = list(zip(*map(_texts, deals.columns)))
        self._shown_ms, self._shown = _server_ms(deals["shown_utc"])
        numbered, _numbers, readable = _client_ms(deals["hand"])
        self._sharable = (self._shown & numbered & readable & known.share).tolist()

    @cached_property
    def client_ms(self) -> list[int | None]:
        """The client's time of each row."""
        return np.where(self._timed, self._client_ms, None).tolist()

    @cached_property
    def server_ms(self) -> list[int]:
        """The server's time of each row."""
        return self._server_ms.tolist()

    @cached_property
    def clock_gap_ms(self) -> list[int | None]:
        """How far the clocks of participant and server were apart at most in each hand; None where a row is
        no action that the rules took, or the participant's clock ran backwards. (What is told with the action
        after it says nothing of that.)"""
        first = np.zeros(len(self.kinds), bool)
        first[self._begins] = True
        timed = self._timed & ~first
        hand, rows = np.cumsum(first) - 1, np.flatnonzero(timed)
        taken = np.array([bool(event and event.accepted) for event in self._known.events])[self.kinds]
        smooth = self._shown & np.logical_and.reduceat(taken | first, self._begins)
        back = (np.diff(self._client_ms[rows]) < 0) & (np.diff(hand[rows]) == 0)
        smooth[hand[rows[1:][back]]] = False
        trace = np.zeros(len(first), bool)
        trace[:-1] = (np.diff(self._server_ms) == 0) & (np.diff(self._seat_codes) == 0) & ~first[1:]
        apart = np.abs(self._server_ms - self._shown_ms[hand] - self._client_ms)
        most = np.maximum.reduceat(np.where(timed & ~trace, apart, 0), self._begins)
        return np.where(smooth, most, None).tolist()

    def _kinds_of(self, told: pyarrow.RecordBatch, timed: Any) -> Any:
        """The kind of each row: all that an event tells but the times, and whether it has a client's."""
        codes, values = np.where(timed, 1, 0), [["", "0"]]
        for column in _KIND:
            own, texts = _codes(told[column])
            codes = codes * len(texts) + own
            values.append(texts)
        each, place = np.unique(codes, return_inverse=True)
        kinds = []
        for code in each.tolist():
            cells = []
            for texts in reversed(values):
                code, at = divmod(code, len(texts))
                cells.append(texts[at])
            reason, accepted, action, seat, number, client_ms = cells
            kinds.append(self._known.kind((number, seat, action, client_ms, _A_MOMENT, accepted, reason)))
        return np.array(kinds, np.int32)[place]

    def hands(self) -> Iterator[SourceHand]:
        """The hands of the part. Raises BadFile."""
        begins = self._begins.tolist()
        ends = [*begins[1:], len(self._ends)]
        found = [
            self._hand(number, begin, end) if clean else None
            for number, (clean, begin, end) in enumerate(zip(self.clean, begins, ends))
        ]
        self._write([hand for hand in found if isinstance(hand, TemplatedHand)])
        for hand, begin, end in zip(found, begins, ends):
            if hand:
                yield hand
                continue
            rows = self._rows[self._ends[begin - 1] + 1 if begin else 0 : self._ends[end - 1] + 1]
            yield from self._part.hands(rows, self._part.above + begin)

    def _hand(self, number: int, begin: int, end: int) -> SourceHand | None:
        """One hand; None if its first row is no deal, or one that cannot be read."""
        file, line = self._part.file, self._part.above + begin + 1
        cells = dict(zip(self._part.heading.columns, self._deals[number]))
        try:
            if not actions_table.clean_deal_row(cells, file, line):
                return None
        except BadFile:
            return None
        seat = self._seats[number]
        people = {seat: tuple([cells[name] for name in PARTICIPANT_CELLS])} if seat else {}
        hand = ColumnarHand(file, line, cells, people, self, begin + 1, end)
        hand.place = number
        alike = self._alike(hand, begin + 1, end) if self._sharable[number] else None
        return TemplatedHand(hand, alike) if alike else hand

    def _alike(self, hand: SourceHand, begin: int, end: int) -> HandTemplate | None:
        """What all hands come to that have these rows; None if they cannot be told together."""
        known, kinds = self._known, self.kinds[begin:end]
        kind = (hand.cells["app"], hand.cells["action"], hand.cells["settings"], kinds.tobytes())
        alike = known.hands.get(kind)
        if alike is None:
            alike = HandTemplate.of(hand, [known.events[kind] for kind in kinds.tolist()]) or False
            # Most that come but once would be kept for nothing.
            known.hands[kind] = alike if kind in known.hands else None
        return alike or None

    def _write(self, hands: Sequence[TemplatedHand]) -> None:
        """The lines of hands that are like others, made column by column."""
        game = hands[0].alike.game if hands else None
        hands = [hand for hand in hands if hand.alike.game is game]  # a table has but one
        if not game:
            return
        names = varying_columns(game)
        places = np.array([hand.place for hand in hands])
        ends = self._begins[places] + 1 + np.array([hand.alike.end for hand in hands])
        cells = {name: [hand.cells.get(name, "") for hand in hands] for name in names}
        cells["participant_label"] = [guard_formula(label) for label in cells["participant_label"]]
        cells["hand"] = [str(hand.number) for hand in hands]
        cells["ended_utc"] = self._server_times.take(_indices(ends)).to_pylist()
        cells["source"] = [hand.file for hand in hands]
        times = self._by_times(hands, places, ends)
        for hand, ended_utc, own in zip(hands, cells["ended_utc"], zip(*times.values())):
            hand.ended_utc, hand.times = ended_utc, own
        cells |= {name: list(map(str, column)) for name, column in times.items()}
        for hand, differ in zip(hands, zip(*(_as_cells(cells[name]) for name in names))):
            hand.lines = [hand.alike.line(differ)]

    def _by_times(self, hands: Sequence[TemplatedHand], places: Any, ends: Any) -> dict[str, Sequence[Any]]:
        """The columns of these hands that hang on times."""
        game = hands[0].alike.game
        ms = np.maximum(0, self._server_ms[ends] - self._shown_ms[places])
        # What the server has closed is over by its clock.
        client_ms = np.maximum(self._latest_ms[places], np.where(self._timed[ends], 0, ms))
        timed = {name: self._times_of(hands, places, name) for name in game.measures.TIMED}
        told = zip((ms / 1000).tolist(), (client_ms / 1000).tolist(), zip(*timed.values()))
        cells = [
            hand.alike.by_times(seconds, client_seconds, dict(zip(timed, times)))
            for hand, (seconds, client_seconds, times) in zip(hands, told)
        ]
        return dict(zip(time_columns(game), zip(*cells)))

    def _times_of(self, hands: Sequence[TemplatedHand], places: Any, name: str) -> list[int | str]:
        """The client's time of the event that tells a column of each hand."""
        at = [hand.alike.timed[name] for hand in hands]
        rows = self._begins[places] + 1 + [place or 0 for place in at]
        there = self._timed[rows] & [place is not None for place in at]
        return [ms if known else "" for ms, known in zip(self._client_ms[rows].tolist(), there.tolist())]

    def events(self, begin: int, end: int) -> Iterator[Event]:
        """The events of some rows."""
        kinds = map(self._known.events.__getitem__, self.kinds[begin:end].tolist())
        return map(_at, kinds, self.client_ms[begin:end], self.server_ms[begin:end])

    def event(self, row: int) -> Event:
        """The event of one row."""
        return _at(self._known.events[self.kinds[row]], self.client_ms[row], self.server_ms[row])


def _at(kind: Event, client_ms: int | None, server_ms: int) -> Event:
    """An event of a kind, at its times."""
    number, seat, action, _client_ms, _server_ms, accepted, reason = kind
    return Event(number, seat, action, client_ms, server_ms, accepted, reason)


class ColumnarHand(SourceHand):
    """A hand of a part's columns, in which ``place`` is its number, from 0. Its events are made when they are
    asked for."""

    place: int

    def __init__(
        self,
        file: str,
        line: int,
        cells: dict[str, str],
        people: dict[str, Sequence[str]],
        columns: _Columns,
        begin: int,
        end: int,
    ) -> None:
        self.file, self.line, self.cells, self.people = file, line, cells, people
        self._columns, self._begin, self._end = columns, begin, end

    @cached_property
    def events(self) -> tuple[Event, ...]:
        return tuple(self.each_event())

    @property
    def clock_gap_ms(self) -> int | None:
        return self._columns.clock_gap_ms[self.place]

    def each_event(self) -> Iterator[Event]:
        """The events one by one, for whoever does not need all of them."""
        return self._columns.events(self._begin, self._end)


class TemplatedHand(ColumnarHand):
    """A hand that is equal to others but for its times; ``times`` are the cells that hang on these."""

    damage = ""
    lines: Sequence[str] | None = None
    ended_utc: str
    times: Sequence[Any]

    def __init__(self, hand: ColumnarHand, alike: HandTemplate) -> None:
        self.__dict__.update(hand.__dict__)
        self.alike = alike

    @property
    def row_source(self) -> TemplatedHand:
        return self

    def rows(self) -> Iterator[Row]:
        told = self.alike.row(self.times)
        who = self.who(told["seat"])
        own = {"hand": self.number, "ended_utc": self.ended_utc, "source": self.file}
        yield {**self.cells, **who, **told, **own}

    @property
    def end(self) -> Event:
        return self._columns.event(self._begin + self.alike.end)


def _as_cells(column: Sequence[str]) -> Sequence[str]:
    """The cells as they stand in CSV."""
    together = "".join(column)
    return list(map(to_csv_cell, column)) if any(sign in together for sign in _QUOTED) else column


def _table(part: Chunk, rows: bytes, ends: Any) -> pyarrow.RecordBatch:
    """All cells, as text."""
    names = list(part.heading.columns)
    lengths = np.diff(ends, prepend=-1)
    odd = b"\0" in rows or _returns_within(rows, ends) or (b"\xef" in rows and b"\xef\xbb\xbf" in rows)
    odd = (
        odd or lengths.max() > csv.field_size_limit() or lengths.min() < len(names)
    )  # there is an empty line
    if odd or len(set(names)) < len(names):
        raise _NotClean
    told = read_csv(
        pyarrow.py_buffer(rows),
        ReadOptions(column_names=names, use_threads=False, block_size=len(rows) + 1),
        ParseOptions(delimiter=part.heading.separator, ignore_empty_lines=False),
        ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string()), strings_can_be_null=False),
    )
    (batch,) = told.combine_chunks().to_batches()
    return batch


def _line_ends(rows: bytes) -> Any:
    """Where the lines end, the last one too if nothing ends it."""
    ends = np.flatnonzero(np.frombuffer(rows, np.uint8) == ord("\n"))
    return ends if rows.endswith(b"\n") else np.append(ends, len(rows))


def _returns_within(rows: bytes, ends: Any) -> bool:
    """Whether there are carriage returns that are not of the end of a line."""
    before = np.frombuffer(rows, np.uint8)[ends[:-1] - 1]
    at_ends = np.count_nonzero(before == ord("\r")) + rows.endswith(b"\r\n")
    return bool(rows.count(b"\r") != at_ends)


def _differs(column: pyarrow.Array) -> Any:
    """Whether each cell is another than the one before; the first is."""
    found = np.ones(len(column), bool)
    found[1:] = _truths(compute.not_equal(column[1:], column[:-1]))
    return found


# pyarrow's own ways from and to numpy load pandas, which takes longer than all the rest of a small table.


def _indices(numbers: Any) -> pyarrow.Array:
    return pyarrow.Array.from_buffers(pyarrow.int64(), len(numbers), [None, pyarrow.py_buffer(numbers)])


def _text(text: bytes) -> pyarrow.Scalar:
    ends = pyarrow.py_buffer(np.array([0, len(text)], np.int32))
    return pyarrow.Array.from_buffers(pyarrow.string(), 1, [None, ends, pyarrow.py_buffer(text)])[0]


def _numbers(column: pyarrow.Array, kind: type) -> Any:
    return np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)]


def _truths(column: pyarrow.Array) -> Any:
    return _numbers(column.cast(pyarrow.uint8()), bool)


def _codes(column: pyarrow.Array) -> tuple[Any, list[str]]:
    """The cells as numbers of texts, and the texts."""
    encoded = column.dictionary_encode()
    return _numbers(encoded.indices, np.int32).astype(np.int64), encoded.dictionary.to_pylist()


def _texts(column: pyarrow.Array) -> list[str]:
    """The cells; those that are equal are one."""
    codes, texts = _codes(column)
    return [texts[code] for code in codes.tolist()]


def _client_ms(column: pyarrow.Array) -> tuple[Any, Any, Any]:
    """Whether a cell has a time, which (-1 for none), and whether it can be read here."""
    length = _numbers(compute.binary_length(column), np.int32)
    decimal = compute.ascii_is_decimal(column)
    numbers = compute.if_else(decimal, column, _text(b"-1")).cast(pyarrow.int64())
    good = (_truths(decimal) & (length < 16)) | (length == 0)
    return length > 0, _numbers(numbers, np.int64), good


def _server_ms(column: pyarrow.Array) -> tuple[Any, Any]:
    """The times, and whether a cell is written as the server writes one."""
    good = compute.equal(compute.binary_length(column), _indices(np.array([len(_MOMENT)]))[0])
    texts = compute.if_else(good, column, _text(_A_MOMENT.encode()))
    signs = np.frombuffer(texts.buffers()[2], np.uint8)[: len(texts) * len(_MOMENT)].reshape(-1, len(_MOMENT))
    written = np.where(_DIGITS, (signs >= ord("0")) & (signs <= ord("9")), signs == _MOMENT).all(1)
    if not written.all():
        texts = compute.if_else(pyarrow.array(written), texts, _text(_A_MOMENT.encode()))
    times = _numbers(texts.cast(pyarrow.timestamp("ms", "UTC")), np.int64)
    return times, _truths(good) & written & (times >= _EARLIEST_MS)
