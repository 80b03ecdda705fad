"""Large tables of actions read by several processes: each takes a part and tells what its hands come to.

What can be said of a hand by itself is said there, by the same functions as here, up to its rows in the table
of hands. What hands say of each other is left to :func:`cardlab.analysis.sources.read_hands`, which gets
them in their order.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from cardlab.analysis import hands, sources
from cardlab.analysis.chunks import Chunk, split_table
from cardlab.analysis.folding import check_hand
from cardlab.analysis.parallel import Compute, open_cores
from cardlab.analysis.source_hand import DamagedHand, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.events import END, Event
from cardlab.games.registry import games_by_app

_END = Event(None, "", END, None, 0)  # stands for the row that ends a hand

PART_BYTES = 2_000_000
PAYS_FROM = 20_000_000  # bytes for each process; to start one takes as long as to read some megabytes
_AHEAD = 3  # parts that are under way, or wait to be taken, for each process

# What is asked of a hand whose rows are known.
_CELLS = ("session_code", "app", "participant_code", "hand_id", "hand", "action", "card_lab_version")


class _Told(NamedTuple):
    """A hand as a worker tells it: ``lines`` has its rows, and ``left`` of one that is not over the events by
    which somebody left it, None if it is. What is wrong with it stands in ``damage``, in ``unplayable`` what
    is wrong beyond that, in ``untold`` what is found when its rows are made."""

    line: int | None
    cells: Sequence[str]
    people: dict[str, Sequence[str]]
    left: tuple[Event, ...] | None
    lines: Sequence[str] = ()
    damage: str | None = ""
    unplayable: str = ""
    untold: str = ""


class _Part(NamedTuple):
    """The hands of a part that ends at a byte, and what ends them if it cannot be read any further: a
    sentence and its line."""

    end: int
    hands: list[_Told]
    error: tuple[str, int | None] | None = None


@contextmanager
def open_reader(jobs: int | None = None) -> Iterator[sources.TableReader]:
    """What reads tables for the table of hands, each by so many processes; if no number is given by as many
    as pay, one for each core at most. BadFile if a process is ended from outside."""
    with ExitStack() as begun:

        def read(path: Path) -> Iterator[SourceHand]:
            count = jobs or min(os.cpu_count() or 1, path.stat().st_size // PAYS_FROM)
            if count <= 1:
                return sources.read_table(path)
            compute = begun.enter_context(open_cores(compute_chunk, count, ahead=_AHEAD * count))
            return read_table(path, compute, PART_BYTES)

        yield read


def read_table(path: Path, compute: Compute, part_bytes: int) -> Iterator[SourceHand]:
    """The hands of a table, as :func:`cardlab.analysis.sources.read_table` tells them, with no more than what
    ends them and their rows in the table of hands. ``compute`` does :func:`compute_chunk`. Raises BadFile."""
    file = str(path)
    found: Iterator[_Part] = compute(split_table(path, part_bytes))
    for part in sources.show_progress(found, path, lambda part: part.end):
        for told in part.hands:
            yield _Hand(file, told)
        if part.error:
            raise BadFile(file, *part.error)


def compute_chunk(part: Chunk) -> _Part:
    """What the hands of a part come to."""
    found: list[_Told] = []
    gc.disable()  # there are no cycles, and to look for them takes a tenth of the time
    try:
        found.extend(map(_told, part.hands()))
    except BadFile as error:
        return _Part(part.end, found, (error.message, error.line))
    finally:
        gc.enable()
    return _Part(part.end, found)


def _told(hand: SourceHand) -> _Told:
    cells = [hand.cells.get(name, "") for name in _CELLS]
    left = None if hand.end else tuple([event for event in hand.events if event.leave_outcome is not None])
    told, game = _Told(hand.line, cells, hand.people, left), games_by_app().get(hand.cells["app"])
    try:
        check_hand(hand)
    except DamagedHand as error:
        return told._replace(damage=error.message)
    except BadFile as error:
        return told._replace(unplayable=error.message)
    try:
        return told._replace(lines=hands.csv_lines(hand, game)) if game else told
    except BadFile as error:
        return told._replace(untold=error.message)


class _Hand(SourceHand):
    """A hand that a worker has told. Whatever is wrong with it is raised where it would be found here."""

    def __init__(self, file: str, told: _Told) -> None:
        self.file, self.line, self.people, self.events = file, told.line, told.people, told.left or ()
        self.cells = dict(zip(_CELLS, told.cells))
        self.end = _END if told.left is None else None
        self._told = told

    @property
    def damage(self) -> str | None:
        if self._told.unplayable:
            raise self.error_at(self._told.unplayable)
        return self._told.damage

    @property
    def lines(self) -> Sequence[str]:
        if self._told.untold:
            raise self.error_at(self._told.untold)
        return self._told.lines
