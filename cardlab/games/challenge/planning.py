"""Describes choices in Challenge for models of planning, and defines players of known planning depth.

A player of planning depth *d* and noise *t* computes the value of each move after *d* more actions of best
play (``search.scores``; depth 0 evaluates the position after the move), and chooses a move with a probability
proportional to exp(value / t). ``cardlab.analysis.games.challenge.planning_models`` fits this model and the
alternatives, players that do not search (``heuristics``).

Players may also drop features of the evaluation, each with the same probability at each choice, and prune
moves from their search (``variants``).

Values are in the units of ``evaluation``; a forced win or loss counts ±``CERTAIN``, whatever its distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from random import Random
from typing import Any, NamedTuple

from cardlab.games.challenge.heuristics import HEURISTICS, features, previous_suit, ranks
from cardlab.games.challenge.position import Position, legal_moves
from cardlab.games.challenge.search import Search
from cardlab.games.challenge.values import CERTAIN
from cardlab.games.challenge.variants import FULL, Variant

DEPTHS = range(9)
NODES = 100_000  # budget per position and depth; if it is exhausted, the deepest completed depth is used
NOISE = 10  # of the simulated players


class Choice(NamedTuple):
    """A choice among moves, and the index of the ``chosen`` one.

    ``scores[depth]`` has the values of the moves, ``ranks[heuristic]`` their ranks, in the order of
    ``HEURISTICS``, and ``features[move]`` the properties of a move (``heuristics.FEATURES``).
    ``limited[variant][depth]`` has the values in each of the ``variants.VARIANTS``, or nothing.
    """

    scores: tuple[tuple[int, ...], ...]
    chosen: int
    ranks: tuple[tuple[int, ...], ...]
    features: tuple[tuple[int, ...], ...]
    limited: tuple[tuple[tuple[int, ...], ...], ...] = ()


def bounded(scores: Mapping[str, int]) -> dict[str, int]:
    """Limits the values to ±``CERTAIN``, the value of a forced win or loss."""
    return {move: max(-CERTAIN, min(CERTAIN, worth)) for move, worth in scores.items()}


def scores_by_depth(
    position: Position,
    earlier: Iterable[Position] = (),
    depths: Sequence[int] = DEPTHS,
    nodes: int = NODES,
    variant: Variant = FULL,
) -> Iterator[dict[str, int]]:
    """Yields the values of the legal moves at each of the ascending depths, with ``nodes`` for each.

    After a budget is exhausted, repeats the values of the deepest completed search.
    """
    search, moves, spent = Search(position, earlier, variant), dict[str, int](), False
    for depth in depths:
        if not spent:
            limit = search.nodes + nodes
            moves = bounded(search.scores(depth, nodes))
            spent = search.nodes > limit
        yield moves


def choice(
    position: Position,
    earlier: Sequence[Position],
    move: str,
    depths: Sequence[int] = DEPTHS,
    nodes: int = NODES,
    variants: Sequence[Variant] = (),
) -> Choice:
    """Returns a chosen move with the values, ranks and features of all legal moves, in alphabetical order."""
    moves, suit = sorted(legal_moves(position)), previous_suit(position, earlier)

    def values(variant: Variant) -> tuple[tuple[int, ...], ...]:
        scores = scores_by_depth(position, earlier, depths, nodes, variant)
        return tuple(tuple(at[one] for one in moves) for at in scores)

    return Choice(
        values(FULL),
        moves.index(move),
        tuple(tuple(ranks(heuristic, position, earlier, moves)) for heuristic in HEURISTICS),
        tuple(features(position, one, suit) for one in moves),
        tuple(map(values, variants)),
    )


def spread(items: Sequence[Any], max_items: int) -> list[Any]:
    """Returns at most ``max_items`` of the items, evenly spread."""
    if len(items) <= max_items:
        return [*items]
    return [items[number * len(items) // max_items] for number in range(max_items)]


def softmax_move(
    position: Position,
    earlier: Iterable[Position],
    depth: int,
    chance: Random,
    noise: float = NOISE,
    variant: Variant = FULL,
) -> str:
    """Draws the move of a player of this depth and noise."""
    (scores,) = scores_by_depth(position, earlier, (depth,), variant=variant)
    best_worth = max(scores.values())
    shares = [exp((worth - best_worth) / noise) for worth in scores.values()]
    return chance.choices([*scores], shares)[0]
