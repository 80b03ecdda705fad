"""Computes tables of actions through Dask dataframes, on the cores of this machine or on a cluster.

The rows are those of :mod:`cardlab.analysis.hands`, made by the same functions and in the same order. Dask is
an optional requirement (requirements-dask.txt), so it is imported in functions.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.analysis import hands, sources
from cardlab.analysis.chunks import Chunk, split_table
from cardlab.analysis.folding import check_hand
from cardlab.analysis.source_hand import PARTICIPANT_CELLS, DamagedHand, Row, SourceHand
from cardlab.games.contract import OPEN, BadFile
from cardlab.games.events import LEAVE, Event, server_note
from cardlab.games.registry import Game, games_by_name

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

PART_BYTES = 16_000_000
SECONDS_TO_ANSWER = 5
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+")

# Columns besides those of the table: the line where a hand begins, its participant, the row that ends it, the
# damage of its rows, and any other error.
_LINE, _PARTICIPANT, _OVER, _DAMAGE, _ERROR = "_line", "_participant", "_over", "_damage", "_error"

Compute = Callable[[Sequence[Any]], Iterator[Any]]  # delayed values → values, in the same order


@contextmanager
def open_reader(scheduler: str | None = None, part_bytes: int = PART_BYTES) -> Iterator[sources.TableReader]:
    """Opens a table reader for :func:`cardlab.analysis.sources.read_hands` that computes hands through Dask.

    Raises BadFile as :func:`open_dask`.
    """
    with open_dask(scheduler) as compute:
        yield lambda path: read_table(path, compute, part_bytes)


@contextmanager
def open_dask(scheduler: str | None = None) -> Iterator[Compute]:
    """Opens the cluster of the scheduler at an address, by default the cores of this machine.

    The result computes delayed values in their order. Raises BadFile if Dask is not installed or no cluster
    answers.
    """
    try:
        import dask.dataframe
        import distributed  # noqa: F401
    except ImportError:
        raise BadFile(
            "--engine dask",
            "Dask is not installed. It needs a separate environment without oTree: pip install "
            "-r requirements-dask.txt",
        ) from None
    with (
        dask.config.set({"dataframe.convert-string": False}),
        _open_cluster(scheduler) if scheduler else _open_cores() as compute,
    ):
        yield compute


def read_table(path: Path, compute: Compute, part_bytes: int = PART_BYTES) -> Iterator[SourceHand]:
    """Yields the hands of a table like :func:`cardlab.analysis.sources.read_table`. Raises BadFile."""
    game = _find_game(path)
    if game is None:
        return
    for computed in compute(build_frame(list(split_table(path, part_bytes)), game).to_delayed()):
        yield from _read_frame(computed, str(path))


def build_frame(parts: Sequence[Chunk], game: Game) -> DataFrame:
    """Returns the table of hands of all chunks, a partition for each.

    It has the columns of :func:`cardlab.analysis.hands.table_columns` and five that begin with an underscore,
    all of them text.
    """
    import dask.dataframe
    import pandas as pd

    meta = pd.DataFrame(columns=_columns(game), dtype=object)
    return dask.dataframe.from_map(compute_chunk, parts, game_name=game.name, meta=meta)


def compute_chunk(part: Chunk, game_name: str) -> Any:
    """Returns the rows of a chunk as a pandas data frame.

    An error of a hand is in its row. An error that ends the chunk is in a row without a hand.
    """
    import pandas as pd

    game = games_by_name()[game_name]
    columns = _columns(game)
    cells = [[row.get(name, "") for name in columns] for row in _chunk_rows(part, game)]
    return pd.DataFrame(cells, columns=columns, dtype=object)


def _find_game(path: Path) -> Game | None:
    """Returns the game of the table's first hand, None if there is no hand. Raises BadFile."""
    for hand in sources.read_table(path):
        return hands.find_game(hand)
    return None


def _columns(game: Game) -> list[str]:
    return [*hands.table_columns(game), _LINE, _PARTICIPANT, _OVER, _DAMAGE, _ERROR]


def _chunk_rows(part: Chunk, game: Game) -> Iterator[dict[str, str]]:
    try:
        for hand in part.hands():
            yield from _hand_rows(hand, game)
    except BadFile as error:
        yield {_LINE: str(error.line), _ERROR: error.message}


def _hand_rows(hand: SourceHand, game: Game) -> list[dict[str, str]]:
    about = {_LINE: str(hand.line), _PARTICIPANT: hand.participant}
    own = {**hand.cells, "deal": hand.deal, **about}
    try:
        check_hand(hand)
        if hand.cells["app"] not in game.apps:
            return [own]  # sources.read_hands raises the error
        about[_OVER] = hand.end.action if hand.end else ""
        rows = list(hands.measure_hand(hand, game))
    except DamagedHand as error:
        return [{**own, _DAMAGE: error.message}]
    except BadFile as error:
        return [{**own, _ERROR: error.message}]
    names = hands.table_columns(game)
    texts = [{name: str(value) for name in names if (value := row.get(name)) is not None} for row in rows]
    return [{**texts[0], **about}, *texts[1:]]


def _read_frame(computed: Any, file: str) -> Iterator[SourceHand]:
    """Yields the hands of a computed chunk. Raises BadFile where the chunk could not be read."""
    hand_rows: list[dict[str, str]] = []
    for cells in computed.to_numpy().tolist():  # `to_dict` took a third of all the time
        row = dict(zip(computed.columns, cells))
        if row[_LINE] and hand_rows:
            yield _build_hand(hand_rows, file)
            hand_rows = []
        if row[_ERROR] and not row["hand_id"]:
            raise BadFile(file, row[_ERROR], int(row[_LINE]))
        hand_rows.append(row)
    if hand_rows:
        yield _build_hand(hand_rows, file)


def _build_hand(rows: list[dict[str, str]], file: str) -> SourceHand:
    """Returns the hand of these rows. Its only events are those that end it."""
    first, line = rows[0], int(rows[0][_LINE])
    cells = {**first, "participant_code": first[_PARTICIPANT], "action": f"deal {first['deal']}"}
    people = {
        row["seat"]: [row[name] for name in PARTICIPANT_CELLS] for row in rows if row["participant_code"]
    }
    if first[_OVER]:
        events = [Event(None, "", first[_OVER], None, 0)]
    else:
        events = [
            server_note(row["seat"], f"{LEAVE}{row['outcome']}", 0) for row in rows if row["outcome"] != OPEN
        ]
    error = BadFile(file, first[_ERROR], line) if first[_ERROR] else None
    computed = _ComputedRows(rows, error)
    return SourceHand(file, line, cells, tuple(events), people, first[_DAMAGE], computed)


class _ComputedRows(NamedTuple):
    """The rows of a hand that a worker has computed, all cells as text, or the error of the hand."""

    computed: Sequence[Row]
    error: BadFile | None

    def rows(self) -> Iterator[Row]:
        """Yields the rows. Raises the error of the hand."""
        if self.error:
            raise self.error
        yield from self.computed

    def replay(self, seat: str | None) -> dict[str, Any]:
        """Raises TypeError, because replays are not made through Dask."""
        raise TypeError("A hand that was computed by Dask has no steps.")


@contextmanager
def _open_cores() -> Iterator[Compute]:
    """Computes chunks in worker processes, a batch at a time."""
    import dask

    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), ignore_ctrl_c) as pool:

        def compute(delayed: Sequence[Any]) -> Iterator[Any]:
            for begin in range(0, len(delayed), 2 * cores):
                yield from dask.compute(*delayed[begin : begin + 2 * cores], scheduler="processes", pool=pool)

        try:
            yield compute
        except BrokenProcessPool:
            raise BadFile(
                "--engine dask",
                "A worker process was killed, perhaps because memory ran out. Use smaller parts.",
            ) from None


def ignore_ctrl_c() -> None:
    """Ignores Ctrl-C in a worker process; the process that waits for the workers handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _open_cluster(address: str) -> Iterator[Compute]:
    """Computes chunks on a cluster, a few more at a time than the cluster has threads."""
    import asyncio  # takes long to load

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised as one sentence
    try:
        if not _ADDRESS.fullmatch(address):
            raise ValueError
        client = Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, ValueError, TimeoutError, asyncio.TimeoutError):
        raise BadFile(
            address,
            "No Dask scheduler answers at this address. An address has the form tcp://192.0.2.7:8786.",
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
        except (TimeoutError, asyncio.TimeoutError):
            raise BadFile(address, "This Dask cluster has no workers.") from None

        def compute(delayed: Sequence[Any]) -> Iterator[Any]:
            waiting = iter(delayed)
            threads = sum(client.nthreads().values())
            under_way = deque(client.compute(one) for one in islice(waiting, 2 + threads))
            while under_way:
                yield _take_result(under_way.popleft(), address)
                under_way.extend(client.compute(one) for one in islice(waiting, 1))

        yield compute


def _take_result(future: Any, address: str) -> Any:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 whatever a worker raises
        raise BadFile(
            address,
            f"A worker failed ({type(error).__name__}: {error}). Workers need the packages of "
            "requirements-dask.txt, Card Lab's folder in PYTHONPATH, and the source files under "
            "the same paths.",
        ) from None
