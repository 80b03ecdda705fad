"""Reads large tables of actions in several worker processes, on this machine or through Dask.

Each worker takes a chunk of the table and measures its hands, with the same functions as a single process.
What hands say about each other is checked by :func:`cardlab.analysis.sources.read_hands`, which gets them in
their order.
"""

import argparse
import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from cardlab.analysis import hands, sources
from cardlab.analysis.chunks import Chunk, split_table
from cardlab.analysis.dask_engine import open_dask
from cardlab.analysis.folding import check_hand
from cardlab.analysis.parallel import Compute, check_engine, open_cores
from cardlab.analysis.source_hand import DamagedHand, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.events import END, Event
from cardlab.games.registry import games_by_app

_END = Event(None, "", END, None, 0)  # the row that ends a hand

PART_BYTES = 2_000_000
PAYS_FROM = 20_000_000  # bytes for each process; to start one takes as long as to read some megabytes
_AHEAD = 3  # chunks for each process that are being computed or wait to be taken

# The cells that are needed of a hand whose rows are known.
_CELLS = ("session_code", "app", "participant_code", "hand_id", "hand", "action", "card_lab_version")


class _MeasuredHand(NamedTuple):
    """What a worker sends about a hand.

    ``lines`` are its rows in the table of hands, as CSV. ``departures`` are the events by which somebody left
    a hand that is not over, None for one that is over. The errors are those of ``SourceHand.damage``, of
    checking the hand beyond that, and of making its rows.
    """

    line: int | None
    cells: Sequence[str]
    people: Mapping[str, Sequence[str]]
    departures: tuple[Event, ...] | None
    lines: Sequence[str] = ()
    damage: str | None = ""
    check_error: str = ""
    row_error: str = ""


class _MeasuredChunk(NamedTuple):
    """The hands of a chunk that ends at a byte, and the sentence and line of the error that ends it."""

    end: int
    hands: list[_MeasuredHand]
    error: tuple[str, int | None] | None = None


@contextmanager
def open_reader(arguments: argparse.Namespace) -> Iterator[sources.TableReader]:
    """Opens a table reader for the table of hands on the engine that the arguments choose.

    On this machine it uses by default as many processes as pay for a table of its size, at most one for each
    core. Raises BadFile if a worker is ended from outside.
    """
    check_engine(arguments)
    with ExitStack() as pools:

        def read(path: Path) -> Iterator[SourceHand]:
            if arguments.engine == "dask":
                compute = pools.enter_context(open_dask(compute_chunk, arguments.scheduler))
                return read_table(path, compute, PART_BYTES)
            count = arguments.jobs or min(os.cpu_count() or 1, path.stat().st_size // PAYS_FROM)
            if count <= 1:
                return sources.read_table(path)
            compute = pools.enter_context(open_cores(compute_chunk, count, ahead=_AHEAD * count))
            return read_table(path, compute, PART_BYTES)

        yield read


def read_table(path: Path, compute: Compute, part_bytes: int) -> Iterator[SourceHand]:
    """Yields the hands of a table in the order of :func:`cardlab.analysis.sources.read_table`.

    They have their rows in the table of hands, and no events but those that end them. ``compute`` applies
    :func:`compute_chunk`. Raises BadFile.
    """
    file = str(path)
    chunks: Iterator[_MeasuredChunk] = compute(split_table(path, part_bytes))
    for chunk in sources.show_progress(chunks, path, lambda chunk: chunk.end):
        for measured in chunk.hands:
            yield _Hand(file, measured)
        if chunk.error:
            raise BadFile(file, *chunk.error)


def compute_chunk(chunk: Chunk) -> _MeasuredChunk:
    """Measures the hands of a chunk."""
    measured: list[_MeasuredHand] = []
    gc.disable()  # there are no reference cycles, and searching for them takes a tenth of the time
    try:
        measured.extend(map(_measure, chunk.hands()))
    except BadFile as error:
        return _MeasuredChunk(chunk.end, measured, (error.message, error.line))
    finally:
        gc.enable()
    return _MeasuredChunk(chunk.end, measured)


def _measure(hand: SourceHand) -> _MeasuredHand:
    cells = [hand.cells.get(name, "") for name in _CELLS]
    departures = (
        None if hand.end else tuple([event for event in hand.events if event.leave_outcome is not None])
    )
    measured = _MeasuredHand(hand.line, cells, hand.people, departures)
    game = games_by_app().get(hand.cells["app"])
    try:
        check_hand(hand)
    except DamagedHand as error:
        return measured._replace(damage=error.message)
    except BadFile as error:
        return measured._replace(check_error=error.message)
    try:
        return measured._replace(lines=hands.csv_lines(hand, game)) if game else measured
    except BadFile as error:
        return measured._replace(row_error=error.message)


class _Hand(SourceHand):
    """A hand that a worker has measured. Its errors are raised where a single process would raise them."""

    def __init__(self, file: str, measured: _MeasuredHand) -> None:
        cells = dict(zip(_CELLS, measured.cells))
        super().__init__(file, measured.line, cells, measured.departures or (), measured.people)
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
