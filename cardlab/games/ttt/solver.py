"""Solves Target the Two with all cards known: the least number of moves, and a shortest sequence.

There are 720 layouts and 2 keepers to move, so one breadth-first search backwards from all solved
positions gives the distances of all positions to a goal card. They are cached.
"""

from functools import cache
from itertools import permutations
from typing import overload

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board

# A position is an int, 2 × the layout's number + 0 or 1 for the keeper to move. So flipping the
# last bit gives the same layout with the other keeper to move.
LAYOUTS: tuple[board.Layout, ...] = tuple(permutations(TTT_PACK))
_NUMBER = {layout: number for number, layout in enumerate(LAYOUTS)}

Exchanges = frozenset[tuple[str, str]]  # (card in Target, card that replaces it)


def least_moves(layout: board.Layout, goal: str, first: str) -> int:
    """Returns the fewest moves, including passes, that bring ``goal`` into Target; 0 if it is there.

    ``layout`` is six cards in linear order (C Ck UP T N Nk), ``first`` the keeper to move. Every
    position can be solved in at most 5 moves. Raises ValueError for an invalid layout, goal or
    keeper.
    """
    return distances(goal)[position(layout, first)]


def shortest(layout: board.Layout, goal: str, first: str) -> str:
    """Returns a sequence of ``least_moves`` moves; among equals the first in the order U C N T P."""
    away, current, sequence = distances(goal), position(layout, first), ""
    while away[current]:
        move, current = next(
            (move, place_after)
            for move, place_after in zip(board.MOVES, _moves()[current], strict=True)
            if place_after is not None and away[place_after] == away[current] - 1
        )
        sequence += move
    return sequence


@overload
def distances(goal: str) -> tuple[int, ...]: ...
@overload
def distances(goal: str, into_target: Exchanges | None) -> tuple[int | None, ...]: ...
@cache
def distances(goal: str, into_target: Exchanges | None = None) -> tuple[int | None, ...]:
    """Returns for each position the fewest moves that bring ``goal`` into Target; None if impossible.

    ``into_target`` restricts the exchanges with Target; without it every position can be solved. Raises
    ValueError for a goal that is not a card of the pack.
    """
    if goal not in TTT_PACK:
        raise ValueError(f"The goal must be one of {' '.join(TTT_PACK)}, not '{goal}'.")
    away: list[int | None] = [None] * (2 * len(LAYOUTS))
    frontier = {place for place in range(len(away)) if _target(place) == goal}
    depth = 0
    while frontier:
        for place in frontier:
            away[place] = depth
        frontier = {
            place_before
            for place in frontier
            for place_before in _moves_before(place)
            if away[place_before] is None and _may_use(place_before, place, into_target)
        }
        depth += 1
    return tuple(away)


def position(layout: board.Layout, first: str) -> int:
    """Returns the number of a position, an index into ``distances``. Raises ValueError if it is invalid."""
    if layout not in _NUMBER:
        raise ValueError(f"The layout must hold each of {' '.join(TTT_PACK)} once, not '{' '.join(layout)}'.")
    if first not in board.KEEPERS:
        raise ValueError(f"The first mover must be ck or nk, not '{first}'.")
    return 2 * _NUMBER[layout] + board.KEEPERS.index(first)


@cache
def _moves() -> tuple[tuple[int | None, ...], ...]:
    """Returns for each position the position after each of MOVES; None for an illegal T."""
    return tuple(
        tuple(_after(layout, number, turn, keeper, move) for move in board.MOVES)
        for number, layout in enumerate(LAYOUTS)
        for turn, keeper in enumerate(board.KEEPERS)
    )


def _after(layout: board.Layout, number: int, turn: int, keeper: str, move: str) -> int | None:
    if move == "T" and not board.may_enter_target(layout, keeper):
        return None
    if move != "P":
        number = _NUMBER[board.swap(layout, board.KEEPER_PLACE[keeper], board.MOVE_PLACE[move])]
    return 2 * number + (1 - turn)


def _moves_before(place: int) -> list[int]:
    """Returns the positions from which one move leads to ``place``.

    An exchange is its own inverse, and T is legal in both directions. So these positions are those
    after the other keeper's moves from this layout, with that keeper on turn.
    """
    return [place_after ^ 1 for place_after in _moves()[place ^ 1] if place_after is not None]


def _target(place: int) -> str:
    return LAYOUTS[place >> 1][board.TARGET]


def _may_use(before: int, after: int, into_target: Exchanges | None) -> bool:
    cards = (_target(before), _target(after))
    return into_target is None or cards[0] == cards[1] or cards in into_target
