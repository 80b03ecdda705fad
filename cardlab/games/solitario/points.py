"""Finds the most points with which a position of Solitario can be solved, all cards known, and the line.

Time and bonus are left out. Every solution turns up all cards of the columns, and lays each card home once
more than it brings it back. So all solutions have the same points (ruling 24), minus what they *lose*:

- 45 for a card of the stock that goes home without having been laid on a column,
- 15 for a card that comes back from its foundation and goes home again,
- 175 for turning over the stock.

The search is A*: it next takes the position with the lowest bound of the total loss, which is the loss so far
and to come, so its first solution is optimal. ``points_kernel.py`` has the inner loops and the bound.
Positions are those of ``solver.py``, with the place where the waste ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cardlab.games.solitario.packs import Pack
from cardlab.games.solitario.scoring import Counts
from cardlab.games.solitario.solver import Position, Search

NODES = 500_000  # maximum number of positions kept


class Best(NamedTuple):
    """The most points, None if not proved, and the ``line`` that gets them.

    ``nodes`` is the number of positions kept.
    """

    points: int | None
    line: tuple[str, ...]
    nodes: int


def import_kernel() -> Any:
    """Imports and returns the kernel, which takes a while if it is compiled."""
    from cardlab.games.solitario import points_kernel

    return points_kernel


def find_most_points(
    position: Position, pack: Pack, *, draw: int = 1, ace_on_two: bool = False, nodes: int = NODES
) -> Best:
    """Returns the most points that solving a position can still bring.

    ``draw``, ``ace_on_two`` and the line are as in :func:`~cardlab.games.solitario.solver.solve`.
    """
    kernel, search = import_kernel(), Search(position, pack, draw, ace_on_two, nodes + 1)
    search.set_up(draw)
    search.levels[kernel.WASTE] = (1 << len(position.waste)) - 1
    slots = 2 << nodes.bit_length()
    moves, heads, table = (search.integers(size) for size in (256, kernel.BUCKETS, 2 * slots))
    answer, kept, at = kernel.search(search.deal, search.levels, moves, heads, table, slots - 1, nodes)
    if answer != kernel.SOLVED:
        return Best(None, (), kept)
    points = _points_without_loss(position, pack) - 5 * int(search.levels[at + kernel.LOSS])
    played: list[int] = []
    while at:
        played.append(int(search.levels[at + kernel.MOVE]))
        at = search.levels[at + kernel.PARENT]
    return Best(points, search.line(played[::-1]), kept)


def _points_without_loss(position: Position, pack: Pack) -> int:
    return Counts(
        from_stock=len(position.stock) + len(position.waste),
        turned_up=sum(len(hidden) for hidden, _run in position.columns),
        sent_home=len(pack.cards) - sum(position.home),
    ).points
