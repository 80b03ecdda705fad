"""Tables of actions computed in parts through Dask dataframes: on this machine's cores, or on a cluster.

The rows are those of :mod:`cardlab.analysis.hands`, made by the same functions and taken in the same order.
Dask is an optional requirement (requirements-dask.txt), so it is imported when it is asked for.
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
from cardlab.analysis.chunks import Part, parts
from cardlab.analysis.folding import check
from cardlab.analysis.source_hand import WHO, Damaged, Row, ToldHand
from cardlab.games.contract import OPEN, BadFile
from cardlab.games.events import LEAVE, Event, server_note
from cardlab.games.registry import Game, games_by_name

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

PART_BYTES = 16_000_000
SECONDS_TO_ANSWER = 5
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+")

# Beside the columns of the table: what tells that a hand begins, its participant, the row that ends it, what
# its rows contradict, and what else is wrong with it.
_LINE, _PARTICIPANT, _OVER, _DAMAGE, _ERROR = "_line", "_participant", "_over", "_damage", "_error"

Compute = Callable[[Sequence[Any]], Iterator[Any]]  # delayed things → what they are, in the same order


@contextmanager
def reader(scheduler: str | None = None, part_bytes: int = PART_BYTES) -> Iterator[sources.Read]:
    """What reads a table for :func:`cardlab.analysis.sources.hands`, its hands computed as :func:`computing`
    says. Raises BadFile."""
    with computing(scheduler) as compute:
        yield lambda path: table(path, compute, part_bytes)


@contextmanager
def computing(scheduler: str | None = None) -> Iterator[Compute]:
    """What computes things that Dask has delayed, in their order.

    On the Dask cluster whose scheduler answers at an address, else on the cores of this machine. BadFile if
    Dask is not installed or no cluster answers.
    """
    try:
        import dask.dataframe
        import distributed  # noqa: F401
    except ImportError:
        raise BadFile(
            "--engine dask",
            "Dask is not installed here. It needs an environment of its own, without oTree: "
            "pip install -r requirements-dask.txt",
        ) from None
    with (
        dask.config.set({"dataframe.convert-string": False}),
        _on_cluster(scheduler) if scheduler else _on_cores() as compute,
    ):
        yield compute


def table(path: Path, compute: Compute, part_bytes: int = PART_BYTES) -> Iterator[ToldHand]:
    """The hands of a table, as :func:`cardlab.analysis.sources.table` tells them. Raises BadFile."""
    game = _game(path)
    if game is None:
        return
    for computed in compute(frame(list(parts(path, part_bytes)), game).to_delayed()):
        yield from _hands(computed, str(path))


def frame(parts: Sequence[Part], game: Game) -> DataFrame:
    """The table of hands of all parts, a partition each: the columns of
    :func:`cardlab.analysis.hands.columns` and five that begin with an underscore, all of them text."""
    import dask.dataframe
    import pandas as pd

    meta = pd.DataFrame(columns=_columns(game), dtype=object)
    return dask.dataframe.from_map(computed_part, parts, game_name=game.name, meta=meta)


def computed_part(part: Part, game_name: str) -> Any:
    """The rows of one part as a pandas data frame. What is wrong with a hand stands in its row; where the
    part cannot be read any further, in a row without a hand."""
    import pandas as pd

    game = games_by_name()[game_name]
    columns = _columns(game)
    cells = [[row.get(name, "") for name in columns] for row in _rows(part, game)]
    return pd.DataFrame(cells, columns=columns, dtype=object)


def _game(path: Path) -> Game | None:
    """The game of a table, from its first hand; BadFile if that is of none that stands, None without one."""
    for hand in sources.table(path):
        return hands.game_of(hand)
    return None


def _columns(game: Game) -> list[str]:
    return [*hands.columns(game), _LINE, _PARTICIPANT, _OVER, _DAMAGE, _ERROR]


def _rows(part: Part, game: Game) -> Iterator[dict[str, str]]:
    try:
        for hand in part.hands(part.read()):
            yield from _rows_of_hand(hand, game)
    except BadFile as error:
        yield {_LINE: str(error.line), _ERROR: error.message}


def _rows_of_hand(hand: ToldHand, game: Game) -> list[dict[str, str]]:
    about = {_LINE: str(hand.line), _PARTICIPANT: hand.participant}
    own = {**hand.cells, "deal": hand.deal, **about}
    try:
        check(hand)
        if hand.cells["app"] not in game.apps:
            return [own]  # whoever takes it will say that it is of another game
        about[_OVER] = hand.end.action if hand.end else ""
        rows = list(hands.measured(hand, game))
    except Damaged as error:
        return [{**own, _DAMAGE: error.message}]
    except BadFile as error:
        return [{**own, _ERROR: error.message}]
    names = hands.columns(game)
    texts = [{name: str(value) for name in names if (value := row.get(name)) is not None} for row in rows]
    return [{**texts[0], **about}, *texts[1:]]


def _hands(computed: Any, file: str) -> Iterator[ToldHand]:
    """The hands of a part's frame; BadFile where it could not be read."""
    of_hand: list[dict[str, str]] = []
    for cells in computed.to_numpy().tolist():  # `to_dict` took a third of all the time
        row = dict(zip(computed.columns, cells))
        if row[_LINE] and of_hand:
            yield _hand(of_hand, file)
            of_hand = []
        if row[_ERROR] and not row["hand_id"]:
            raise BadFile(file, row[_ERROR], int(row[_LINE]))
        of_hand.append(row)
    if of_hand:
        yield _hand(of_hand, file)


def _hand(rows: list[dict[str, str]], file: str) -> ToldHand:
    """The hand of these rows. Of its events it has what tells whether, and for whom, it is over."""
    first, line = rows[0], int(rows[0][_LINE])
    cells = {**first, "participant_code": first[_PARTICIPANT], "action": f"deal {first['deal']}"}
    people = {row["seat"]: [row[name] for name in WHO] for row in rows if row["participant_code"]}
    if first[_OVER]:
        events = [Event(None, "", first[_OVER], None, 0)]
    else:
        events = [
            server_note(row["seat"], f"{LEAVE}{row['outcome']}", 0) for row in rows if row["outcome"] != OPEN
        ]
    error = BadFile(file, first[_ERROR], line) if first[_ERROR] else None
    computed = _Computed(rows, error)
    return ToldHand(file, line, cells, tuple(events), people, first[_DAMAGE], computed)


class _Computed(NamedTuple):
    """What a worker has made of a hand: its rows, all cells as text, or what is wrong with it."""

    of_hand: Sequence[Row]
    error: BadFile | None

    def rows(self) -> Iterator[Row]:
        if self.error:
            raise self.error
        yield from self.of_hand


@contextmanager
def _on_cores() -> Iterator[Compute]:
    """A batch of parts at a time, each in a process of its own."""
    import dask

    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), leave_ctrl_c_alone) as pool:

        def compute(delayed: Sequence[Any]) -> Iterator[Any]:
            for begin in range(0, len(delayed), 2 * cores):
                yield from dask.compute(*delayed[begin : begin + 2 * cores], scheduler="processes", pool=pool)

        try:
            yield compute
        except BrokenProcessPool:
            raise BadFile(
                "--engine dask",
                "A process was ended from outside, perhaps for want of memory; take smaller parts.",
            ) from None


def leave_ctrl_c_alone() -> None:
    """It is for the process that waits for the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _on_cluster(address: str) -> Iterator[Compute]:
    """A few parts more than the cluster has threads are under way at a time."""
    import asyncio  # for the sake of one name, and it takes long to load

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # one sentence is enough
    try:
        if not _ADDRESS.fullmatch(address):
            raise ValueError
        client = Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, ValueError, TimeoutError, asyncio.TimeoutError):
        raise BadFile(
            address, "No Dask scheduler answers here; an address looks like tcp://192.0.2.7:8786."
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
                yield _result(under_way.popleft(), address)
                under_way.extend(client.compute(one) for one in islice(waiting, 1))

        yield compute


def _result(future: Any, address: str) -> Any:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 whatever befalls a worker
        raise BadFile(
            address,
            f"A worker failed ({type(error).__name__}: {error}). Workers need the packages of "
            "requirements-dask.txt, Card Lab's folder in PYTHONPATH, and the sources under the same paths.",
        ) from None
