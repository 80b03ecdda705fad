"""Compares the sequences of moves of a participant with those of players without memory on the same deals.

Equal deals and good play lead to equal sequences without any routine. So the null model is a player who plays
the same hands as accurately as the participant, but forgets every hand. It chooses each move with a
probability proportional to exp(−cost / noise), where the cost is the expected number of moves that the move
loses, and equally good moves are equally likely (logit choice: McFadden 1974). Without noise it plays as well
as the strategy ``informed``, with much noise like ``random``. The noise is the participant's
maximum-likelihood estimate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import exp, log, log2
from random import Random
from statistics import fmean
from typing import NamedTuple

from scipy import optimize

from cardlab.games.ttt import belief, board
from cardlab.games.ttt.belief import Moment

MIN_NOISE, MAX_NOISE = 0.02, 1000.0  # plays as well as possible; every move is equally likely
CHUNK = 3  # moves
PLAYERS = 200  # without memory


class Played(NamedTuple):
    """A hand of one player: the deal, ViewCard, MaxRounds, and the moves."""

    layout: board.Layout
    goal: str
    first: str
    view_card: str
    max_rounds: int
    sequence: str

    def moments(self) -> Iterator[Moment]:
        """Yields the moments before each move."""
        moment = self.first_moment()
        for move in self.sequence:
            yield moment
            _cost, moment = moment[move]

    def first_moment(self) -> Moment:
        """Returns the moment after the deal."""
        return belief.first_moment(self.layout, self.goal, self.first, self.view_card)


def transition_entropy(sequences: Sequence[str]) -> float:
    """Returns the entropy of a move given the move before it in the hand, in bits."""
    pairs = Counter(pair for sequence in sequences for pair in pairwise(f" {sequence}"))
    totals = Counter(pair[0] for pair in pairs.elements())
    size = totals.total()
    return sum(count / size * log2(totals[pair[0]] / count) for pair, count in pairs.items())


def repeated_chunks(sequences: Sequence[str]) -> float:
    """Returns the share of the series of three moves that occurred in an earlier hand."""
    earlier: set[str] = set()
    repeated = []
    for sequence in sequences:
        chunks = [sequence[start : start + CHUNK] for start in range(len(sequence) - CHUNK + 1)]
        repeated += [chunk in earlier for chunk in chunks]
        earlier.update(chunks)
    return fmean(repeated) if repeated else 0.0


def repeated_sequences(sequences: Sequence[str]) -> float:
    """Returns the share of the hands with the same moves as an earlier hand."""
    return 1 - len(set(sequences)) / len(sequences)


class Statistic(NamedTuple):
    """A statistic of the sequences of a participant, in the order of play.

    ``sign`` is 1 if a routine increases it, else −1.
    """

    compute: Callable[[Sequence[str]], float]
    sign: int
    meaning: str


STATISTICS = {
    statistic.compute.__name__: statistic
    for statistic in (
        Statistic(transition_entropy, -1, "entropy of a move given the move before it, in bits"),
        Statistic(repeated_chunks, 1, "share of the series of three moves that occurred in an earlier hand"),
        Statistic(repeated_sequences, 1, "share of the hands with the same moves as an earlier hand"),
    )
}


class Chance(NamedTuple):
    """A statistic of a participant with that of players without memory.

    ``chance`` is their mean. ``p`` is the one-sided Monte Carlo p, low if the participant has more routine.
    """

    observed: float
    chance: float
    p: float


def fit_noise(hands: Sequence[Played]) -> float:
    """Returns the maximum-likelihood noise of the participant, in moves, with three significant digits."""
    choices = Counter(
        (moment.costs[move], tuple(moment.costs.values()))
        for hand in hands
        for move, moment in zip(hand.sequence, hand.moments())
    )

    def minus_log_likelihood(log_noise: float) -> float:
        noise = exp(log_noise)
        return sum(
            count * (chosen / noise + log(sum(exp(-cost / noise) for cost in costs)))
            for (chosen, costs), count in choices.items()
        )

    bounds = log(MIN_NOISE), log(MAX_NOISE)
    best = optimize.minimize_scalar(minus_log_likelihood, bounds=bounds, method="bounded")
    return float(f"{exp(best.x):.3g}")


def compare_with_chance(
    hands: Sequence[Played], noise: float, seed: str, players: int = PLAYERS
) -> dict[str, Chance]:
    """Returns each of ``STATISTICS`` with its value for players without memory.

    Parameters:
        hands: the participant's hands in the order of play.
        noise: the noise of the simulated players, in moves.
        seed: the seed of their random numbers.
        players: the number of simulated players.
    """
    chance, weights = Random(seed), Weights(noise)
    simulated = [[play_hand(hand, weights, chance) for hand in hands] for _player in range(players)]
    own = [hand.sequence for hand in hands]
    compared = {}
    for name, (compute, sign, _meaning) in STATISTICS.items():
        observed, drawn = compute(own), [compute(sequences) for sequences in simulated]
        as_extreme = sum(sign * value >= sign * observed - 1e-12 for value in drawn)
        compared[name] = Chance(observed, fmean(drawn), (1 + as_extreme) / (1 + players))
    return compared


class Weights(dict[float, float]):
    """The unnormalized probability of a move, exp(−cost / noise), by its cost."""

    def __init__(self, noise: float) -> None:
        self._noise = noise

    def __missing__(self, cost: float) -> float:
        self[cost] = exp(-cost / self._noise)
        return self[cost]


def play_hand(hand: Played, weights: Weights, chance: Random) -> str:
    """Returns the moves of a player without memory, up to the solution or MaxRounds."""
    moment, moves = hand.first_moment(), ""
    while (costs := moment.costs) and len(moves) < hand.max_rounds:
        (move,) = chance.choices(list(costs), [weights[cost] for cost in costs.values()])
        moves += move
        _cost, moment = moment[move]
    return moves
