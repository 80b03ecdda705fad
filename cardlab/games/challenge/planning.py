"""How deep somebody looks ahead at Challenge, told from the moves that they chose.

A player of planning depth *d* and noise *t* knows of each move what it is worth if both sides go on best for
*d* more actions (``search.worths``; depth 0 judges what is there after the move), and takes a move with a
probability proportional to exp(worth / t). Of depths 0 … 8 that is the planning depth which makes the moves
of a participant likeliest, each depth with the noise that suits it best.

The idea is that of van Opheusden et al., Nature 618 (2023), 1000–1005, who fit a model of play to the moves
of people and read off how deep it plans. Theirs grows a tree by best-first search, prunes it, overlooks
features, and has feature weights of its own for each participant; its likelihood must be simulated, and its
depth is a mean. This one has two parameters, the same evaluation for everybody, and a likelihood that is
computed: a depth here says with which search somebody's moves agree best, not what went on in a mind.

A depth above 0 does not by itself show that somebody looks ahead. The moves of a player who never searches
may agree with those of a deeper search better than with those of a shallower one, and then the fit credits
that player with a depth. So each choice also has what the players in ``REFERENCES``, who look nowhere ahead,
choose in the same position: a participant's fit is to be held against theirs (:func:`as_chosen_by`).

Worths are in the units of ``evaluation``; a forced win or loss counts ±``CERTAIN``, however far off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, inf, log
from random import Random
from typing import Any, NamedTuple

from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.position import Position
from cardlab.games.challenge.search import Search

DEPTHS = range(9)
NODES = 100_000  # looked at for a position and depth; where they do not suffice, a lesser depth stands for it
CERTAIN = 500  # the evaluation gives more for one move in forty at most
NOISE = 10  # of the simulated players
REFERENCES = ("greedy", "random")  # strategies that do not search
LIKELIER = 1.92  # log-likelihood by which a depth in the interval may fall short: half of chi², 1 df, 95 %

_LEAST, _MOST = 1e-9, 10.0  # of 1 / noise
_STEPS = 60  # halvings of it


class Choice(NamedTuple):
    """A choice among moves: ``worths[depth]`` has what each was worth, ``chosen`` is the number of one, and
    ``references`` has the number that each of ``REFERENCES`` chooses."""

    worths: tuple[tuple[int, ...], ...]
    chosen: int
    references: tuple[int, ...] = ()


class Fit(NamedTuple):
    """The planning depth of somebody.

    ``low`` and ``high`` bound the depths that are nearly as likely: their log-likelihood is at most
    ``LIKELIER`` less. ``noise`` goes with ``depth``; it is infinite for who plays as if at random.
    ``gain`` is how much better a choice is foretold than by chance, in nats; ``profile`` has the
    log-likelihood of each depth.
    """

    depth: int
    low: int
    high: int
    noise: float
    choices: int
    gain: float
    profile: tuple[float, ...]


def bounded(worths: Mapping[str, int]) -> dict[str, int]:
    """The worths within ±``CERTAIN``, which a forced win or loss counts."""
    return {move: max(-CERTAIN, min(CERTAIN, worth)) for move, worth in worths.items()}


def by_depth(
    position: Position,
    earlier: Iterable[Position] = (),
    depths: Sequence[int] = DEPTHS,
    nodes: int = NODES,
) -> Iterator[dict[str, int]]:
    """What each legal move is worth at each of the depths, which go up, with ``nodes`` for each; where
    they do not suffice, what the deepest search before it has found."""
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
    """A move that was chosen, with what a player of each depth would have known and what players who do not
    search choose. The random one draws by a fixed seed."""
    before = list(earlier)
    worths = list(by_depth(position, before, depths, nodes))
    moves = sorted(worths[0])
    chance = Random(f"{len(before)} moves before, {sorted(position.hands[position.mover])}, {moves}")
    references = moves.index(greedy_move(position)), moves.index(random_move(position, chance))
    return Choice(tuple(tuple(at[one] for one in moves) for at in worths), moves.index(move), references)


def as_chosen_by(reference: str, choices: Iterable[Choice]) -> list[Choice]:
    """The same choices as one of ``REFERENCES`` makes them."""
    number = REFERENCES.index(reference)
    return [one._replace(chosen=one.references[number]) for one in choices]


def spread(things: Sequence[Any], most: int) -> list[Any]:
    """At most so many of the things, evenly spread over them."""
    if len(things) <= most:
        return [*things]
    return [things[number * len(things) // most] for number in range(most)]


def log_likelihood(choices: Iterable[Choice], depth: int, sharpness: float) -> float:
    """Of the choices, for a player of this depth; ``sharpness`` is 1 / noise."""
    return sum(_log_share(one.worths[depth], one.chosen, sharpness) for one in choices)


def _log_share(worths: Sequence[int], chosen: int, sharpness: float) -> float:
    most = max(worths)
    whole = sum(exp(sharpness * (worth - most)) for worth in worths)
    return sharpness * (worths[chosen] - most) - log(whole)


def _slope(choices: Iterable[Choice], depth: int, sharpness: float) -> float:
    """The derivative of the log-likelihood: what the choices were worth less what was to be expected."""
    slope = 0.0
    for one in choices:
        worths = one.worths[depth]
        most = max(worths)
        shares = [exp(sharpness * (worth - most)) for worth in worths]
        slope += worths[one.chosen] - sum(map(float.__mul__, shares, map(float, worths))) / sum(shares)
    return slope


def sharpest(choices: Sequence[Choice], depth: int) -> float:
    """The 1 / noise that makes the choices likeliest: the log-likelihood is concave in it, so halving finds
    it. 0 for who plays against the worths."""
    low, high = _LEAST, _MOST
    if _slope(choices, depth, low) <= 0:
        return 0.0
    for _step in range(_STEPS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _slope(choices, depth, middle) > 0 else (low, middle)
    return low


def fitted(choices: Sequence[Choice]) -> Fit | None:
    """The planning depth that makes the choices likeliest, of those that they have worths for; None of no
    choice. Of equal depths the least."""
    if not choices:
        return None
    depths = range(len(choices[0].worths))
    sharpness = [sharpest(choices, depth) for depth in depths]
    profile = [log_likelihood(choices, depth, sharpness[depth]) for depth in depths]
    best = max(depths, key=profile.__getitem__)
    near = [depth for depth in depths if profile[best] - profile[depth] <= LIKELIER]
    by_chance = log_likelihood(choices, best, 0.0)
    return Fit(
        depth=best,
        low=near[0],
        high=near[-1],
        noise=1 / sharpness[best] if sharpness[best] else inf,
        choices=len(choices),
        gain=(profile[best] - by_chance) / len(choices),
        profile=tuple(profile),
    )


def softmax_move(
    position: Position, earlier: Iterable[Position], depth: int, chance: Random, noise: float = NOISE
) -> str:
    """What a player of this depth and noise takes, drawn."""
    (worths,) = by_depth(position, earlier, (depth,))
    most = max(worths.values())
    shares = [exp((worth - most) / noise) for worth in worths.values()]
    return chance.choices([*worths], shares)[0]
