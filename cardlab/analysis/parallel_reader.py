"""Reads large tables of actions in several worker processes, on this machine or through Dask.

Each worker measures the hands of a chunk of the table, with the same functions as a single process.
:func:`cardlab.analysis.sources.read_hands` gets the hands in order and checks them against each other.
"""

import argparse
import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from cardlab.analysis import hands, sources
from cardlab.analysis.chunks import Chunk, split_table
from cardlab.analysis.dask_engine import open_dask
from cardlab.analysis.folding import check_hand
from cardlab.analysis.parallel import Compute, check_engine, open_cores
from cardlab.analysis.source_hand import DamagedHand, SourceHand
from cardlab.analysis.spreadsheets import TableFile
from cardlab.games.contract import BadFile
from cardlab.games.events import END, Event
from cardlab.games.registry import games_by_app

_END = Event(None, "", END, None, 0)  # stands for the row that ends a hand

CHUNK_BYTES = 2_000_000
BYTES_PER_PROCESS = 20_000_000  # because starting a process takes as long as reading some megabytes
_CHUNKS_PER_PROCESS = 3  # submitted in advance

# The cells of a measured hand that the main process needs.
_CELLS = ("session_code", "app", "participant_code", "hand_id", "hand", "action", "card_lab_version")


class _MeasuredHand(NamedTuple):
    """The data of a hand that a worker returns.

    ``is_whole`` and ``damage`` are like those of ``SourceHand``. ``lines`` are its rows in the table of hands
    as CSV. ``departures`` are the events by which participants left an open hand, None if the hand is over.
    ``check_error`` and ``row_error`` are the messages of other errors while checking the hand and making its
    rows.
    """

    line: int | None
    cells: Sequence[str]
    people: Mapping[str, Sequence[str]]
    departures: tuple[Event, ...] | None
    is_whole: bool
    lines: Sequence[str] = ()
    damage: str | None = ""
    check_error: str = ""
    row_error: str = ""


class _MeasuredChunk(NamedTuple):
    """The hands of a chunk, the byte where it ends, and the message and line of the error that stopped it."""

    end: int
    hands: list[_MeasuredHand]
    error: tuple[str, int | None] | None = None


@contextmanager
def open_reader(arguments: argparse.Namespace) -> Iterator[sources.TableReader]:
    """Opens a table reader for the table of hands on the engine that the arguments select.

    On this machine it uses by default one process per ``BYTES_PER_PROCESS``, at most one per core. Raises
    BadFile if a worker is killed.
    """
    check_engine(arguments)
    with ExitStack() as pools:

        def read(table: TableFile) -> Iterator[SourceHand]:
            if arguments.engine == "dask" and not table.is_restored:  # workers may be on other machines
                compute = pools.enter_context(open_dask(compute_chunk, arguments.scheduler))
                return read_table(table, compute, CHUNK_BYTES)
            count = arguments.jobs or min(os.cpu_count() or 1, table.path.stat().st_size // BYTES_PER_PROCESS)
            if count <= 1:
                return sources.read_table(table)
            compute = pools.enter_context(open_cores(compute_chunk, count, ahead=_CHUNKS_PER_PROCESS * count))
            return read_table(table, compute, CHUNK_BYTES)

        yield read


def read_table(table: TableFile, compute: Compute, chunk_bytes: int) -> Iterator[SourceHand]:
    """Yields the hands of a table in the order of :func:`cardlab.analysis.sources.read_table`.

    They have their rows in the table of hands, and only the events that end them. ``compute`` applies
    :func:`compute_chunk` to chunks of at least ``chunk_bytes``. Raises BadFile.
    """
    file = table.name
    chunks: Iterator[_MeasuredChunk] = compute(split_table(table, chunk_bytes))
    for chunk in sources.show_progress(chunks, table, lambda chunk: chunk.end):
        for measured_hand in chunk.hands:
            yield _WorkerHand(file, measured_hand)
        if chunk.error:
            raise BadFile(file, *chunk.error)


def compute_chunk(chunk: Chunk) -> _MeasuredChunk:
    """Measures the hands of a chunk."""
    measured_hands: list[_MeasuredHand] = []
    gc.disable()  # there are no reference cycles, and garbage collection takes a tenth of the time
    try:
        measured_hands.extend(map(_measure, chunk.hands()))
    except BadFile as error:
        return _MeasuredChunk(chunk.end, measured_hands, (error.message, error.line))
    finally:
        gc.enable()
    return _MeasuredChunk(chunk.end, measured_hands)


def _measure(hand: SourceHand) -> _MeasuredHand:
    cells = [hand.cells.get(name, "") for name in _CELLS]
    departures = (
        None if hand.end else tuple([event for event in hand.events if event.leave_outcome is not None])
    )
    measured_hand = _MeasuredHand(hand.line, cells, hand.people, departures, hand.is_whole)
    game = games_by_app().get(hand.cells["app"])
    try:
        check_hand(hand)
    except DamagedHand as error:
        return measured_hand._replace(damage=error.message)
    except BadFile as error:
        return measured_hand._replace(check_error=error.message)
    try:
        return measured_hand._replace(lines=hands.csv_lines(hand, game)) if game else measured_hand
    except BadFile as error:
        return measured_hand._replace(row_error=error.message)


class _WorkerHand(SourceHand):
    """A hand that a worker has measured. Raises its errors where a single process would raise them."""

    def __init__(self, file: str, measured: _MeasuredHand) -> None:
        cells = dict(zip(_CELLS, measured.cells))
        super().__init__(file, measured.line, cells, measured.departures or (), measured.people)
        self.is_whole = measured.is_whole
        self.end = _END if measured.departures is None else None
        self._measured = measured

    def find_damage(self) -> str | None:
        if self._measured.check_error:
            raise self.error_at(self._measured.check_error)
        return self._measured.damage

    @property
    def lines(self) -> Sequence[str]:
        if self._measured.row_error:
            raise self.error_at(self._measured.row_error)
        return self._measured.lines
