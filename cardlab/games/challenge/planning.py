"""Estimates the planning depth of a Challenge player from the chosen moves.

The model: a player of planning depth *d* and noise *t* computes the value of each move after *d* more actions
of best play (``search.worths``; depth 0 evaluates the position after the move), and chooses a move with a
probability proportional to exp(value / t). The planning depth is the depth 0 … 8 with the highest likelihood
of the participant's moves, each depth with its maximum-likelihood noise.

The idea is from van Opheusden et al., Nature 618 (2023), 1000–1005. Their model grows a tree by best-first
search, prunes it, overlooks features and has feature weights for each participant; its likelihood must be
simulated. This model has two parameters, one evaluation for everybody and an exact likelihood. A depth says
which search agrees best with the moves, not what a person thought.

A depth above 0 alone does not show that a participant looks ahead, because a deeper search may also agree
best with the moves of a player who never searches. So each choice has the moves of the ``REFERENCES``,
players who do not look ahead, in the same position. Compare a participant's fit with theirs
(:func:`reference_choices`).

Values are in the units of ``evaluation``; a forced win or loss counts ±``CERTAIN``, however far away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, inf, log
from random import Random
from typing import Any, NamedTuple

from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.position import Position
from cardlab.games.challenge.search import Search
from cardlab.games.challenge.values import CERTAIN

DEPTHS = range(9)
NODES = 100_000  # budget per position and depth; if it is exhausted, the deepest completed depth is used
NOISE = 10  # of the simulated players
REFERENCES = ("greedy", "random")  # strategies that do not search
LIKELIHOOD_MARGIN = 1.92  # of the interval of depths: half of the 95 % quantile of chi², 1 df

_LOWEST, _HIGHEST = 1e-9, 10.0  # bounds of 1 / noise
_BISECTIONS = 60


class Choice(NamedTuple):
    """A choice among moves: their values by depth (``worths[depth]``) and the index of the ``chosen`` one.

    ``references`` has the index of the move that each of ``REFERENCES`` chooses.
    """

    worths: tuple[tuple[int, ...], ...]
    chosen: int
    references: tuple[int, ...] = ()


class Fit(NamedTuple):
    """The planning depth of a player.

    ``low`` and ``high`` bound the depths whose log-likelihood is lower by at most ``LIKELIHOOD_MARGIN``.
    ``noise`` belongs to ``depth``; it is infinite for random play. ``gain`` is the mean log-likelihood per
    choice above chance, in nats; ``profile`` has the log-likelihood of each depth.
    """

    depth: int
    low: int
    high: int
    noise: float
    choices: int
    gain: float
    profile: tuple[float, ...]


def bounded(worths: Mapping[str, int]) -> dict[str, int]:
    """Limits the values to ±``CERTAIN``, the value of a forced win or loss."""
    return {move: max(-CERTAIN, min(CERTAIN, worth)) for move, worth in worths.items()}


def worths_by_depth(
    position: Position,
    earlier: Iterable[Position] = (),
    depths: Sequence[int] = DEPTHS,
    nodes: int = NODES,
) -> Iterator[dict[str, int]]:
    """Yields the values of the legal moves at each of the ascending depths, with ``nodes`` for each.

    After a budget is exhausted, repeats the values of the deepest completed search.
    """
    search, moves, spent = Search(position, earlier), dict[str, int](), False
    for depth in depths:
        if not spent:
            limit = search.nodes + nodes
            moves = bounded(search.worths(depth, nodes))
            spent = search.nodes > limit
        yield moves


def choice(
    position: Position,
    earlier: Iterable[Position],
    move: str,
    depths: Sequence[int] = DEPTHS,
    nodes: int = NODES,
) -> Choice:
    """Returns a chosen move with the values at each depth and the choices of ``REFERENCES``.

    The random reference has a fixed seed.
    """
    earlier_positions = list(earlier)
    worths = list(worths_by_depth(position, earlier_positions, depths, nodes))
    moves = sorted(worths[0])
    chance = Random(
        f"{len(earlier_positions)} moves before, {sorted(position.hands[position.mover])}, {moves}"
    )
    references = moves.index(greedy_move(position)), moves.index(random_move(position, chance))
    return Choice(tuple(tuple(at[one] for one in moves) for at in worths), moves.index(move), references)


def reference_choices(reference: str, choices: Iterable[Choice]) -> list[Choice]:
    """Returns the choices as made by one of ``REFERENCES``."""
    number = REFERENCES.index(reference)
    return [choice._replace(chosen=choice.references[number]) for choice in choices]


def spread(items: Sequence[Any], max_items: int) -> list[Any]:
    """Returns at most ``max_items`` of the items, evenly spread."""
    if len(items) <= max_items:
        return [*items]
    return [items[number * len(items) // max_items] for number in range(max_items)]


def log_likelihood(choices: Iterable[Choice], depth: int, sharpness: float) -> float:
    """Returns the log-likelihood of the choices for a player of this depth; ``sharpness`` is 1 / noise."""
    return sum(_log_share(choice.worths[depth], choice.chosen, sharpness) for choice in choices)


def _log_share(worths: Sequence[int], chosen: int, sharpness: float) -> float:
    best_worth = max(worths)
    total = sum(exp(sharpness * (worth - best_worth)) for worth in worths)
    return sharpness * (worths[chosen] - best_worth) - log(total)


def _slope(choices: Iterable[Choice], depth: int, sharpness: float) -> float:
    """Returns the derivative of the log-likelihood: the chosen values minus the expected values."""
    slope = 0.0
    for choice in choices:
        worths = choice.worths[depth]
        best_worth = max(worths)
        shares = [exp(sharpness * (worth - best_worth)) for worth in worths]
        slope += worths[choice.chosen] - sum(map(float.__mul__, shares, map(float, worths))) / sum(shares)
    return slope


def sharpest(choices: Sequence[Choice], depth: int) -> float:
    """Returns the maximum-likelihood 1 / noise; 0 if the choices prefer low values.

    The log-likelihood is concave in 1 / noise, so bisection of the derivative finds the maximum.
    """
    low, high = _LOWEST, _HIGHEST
    if _slope(choices, depth, low) <= 0:
        return 0.0
    for _step in range(_BISECTIONS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _slope(choices, depth, middle) > 0 else (low, middle)
    return low


def fit_depth(choices: Sequence[Choice]) -> Fit | None:
    """Returns the maximum-likelihood planning depth, of equals the smallest; None without choices."""
    if not choices:
        return None
    depths = range(len(choices[0].worths))
    sharpness = [sharpest(choices, depth) for depth in depths]
    profile = [log_likelihood(choices, depth, sharpness[depth]) for depth in depths]
    best_depth = max(depths, key=profile.__getitem__)
    near = [depth for depth in depths if profile[best_depth] - profile[depth] <= LIKELIHOOD_MARGIN]
    by_chance = log_likelihood(choices, best_depth, 0.0)
    return Fit(
        depth=best_depth,
        low=near[0],
        high=near[-1],
        noise=1 / sharpness[best_depth] if sharpness[best_depth] else inf,
        choices=len(choices),
        gain=(profile[best_depth] - by_chance) / len(choices),
        profile=tuple(profile),
    )


def softmax_move(
    position: Position, earlier: Iterable[Position], depth: int, chance: Random, noise: float = NOISE
) -> str:
    """Draws the move of a player of this depth and noise."""
    (worths,) = worths_by_depth(position, earlier, (depth,))
    best_worth = max(worths.values())
    shares = [exp((worth - best_worth) / noise) for worth in worths.values()]
    return chance.choices([*worths], shares)[0]
