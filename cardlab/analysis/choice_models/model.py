"""Defines the parts of a model: its parameters, the probabilities of its choices, and its simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from cardlab.analysis.choice_models.data import Choices, Floats, Integers

Values = Sequence[float]  # of the parameters, in the order of the model


class Parameter(NamedTuple):
    """A parameter with its bounds. It is fitted on an unbounded scale, logarithmic or linear."""

    name: str
    low: float
    high: float
    meaning: str
    is_log: bool = False

    def from_unbounded(self, position: float) -> float:
        """Returns the value at a position on the unbounded scale."""
        share = 1 / (1 + math.exp(-position))
        if self.is_log:
            return self.low * math.exp(share * math.log(self.high / self.low))
        return self.low + (self.high - self.low) * share

    def to_unbounded(self, value: float) -> float:
        """Returns the position on the unbounded scale of a value within the bounds."""
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        share = min(max(share, 1e-6), 1 - 1e-6)
        return math.log(share / (1 - share))


PRECISION = Parameter(
    "lambda", 0.01, 10, "precision of the choice, per point: 0 is random choice, high a best response", True
)


class Model(NamedTuple):
    """A model of choice.

    ``respond`` returns for each turn the probability of right, given the values of the parameters and the
    turns before it. ``simulate`` draws choices; it is needed only if ``respond`` depends on own choices.
    """

    name: str
    source: str
    parameters: tuple[Parameter, ...]
    respond: Callable[[Values, Choices], Floats]
    simulate: Callable[[Values, Choices, np.random.Generator], Integers] | None = None

    def draw(self, values: Values, choices: Choices, rng: np.random.Generator) -> Choices:
        """Returns the turns with choices drawn from the model."""
        if self.simulate:
            return choices.with_chosen(self.simulate(values, choices, rng))
        chances = self.respond(values, choices)
        return choices.with_chosen((rng.random(len(chances)) < chances).astype(np.int64))

    def log_likelihood(self, values: Values, choices: Choices) -> float:
        """Returns the log-likelihood of the counted choices."""
        right = self.respond(values, choices)
        chances = np.where(choices.chosen == 1, right, 1 - right)[choices.counted]
        return float(np.log(np.maximum(chances, 1e-12)).sum())


def logistic(gain: Floats) -> Floats:
    """Returns the logit choice probability of the second of two choices, if it is better by ``gain``."""
    chances: Floats = expit(gain)
    return chances


def advantage_of_right(payoffs: Floats, chance_of_right: Floats | float) -> Floats:
    """Returns how much better right is, of shape (turns), if the other plays right with this chance."""
    if_left, if_right = (payoffs[:, 1] - payoffs[:, 0]).T
    mean: Floats = if_left + (if_right - if_left) * chance_of_right
    return mean


def other_view(choices: Choices) -> Floats:
    """Returns the other's points by the other's column and then the participant's."""
    payoffs: Floats = choices.other.transpose(0, 2, 1)
    return payoffs


RANDOM = Model("random", "equal chances", (), lambda _values, choices: np.full(len(choices.chosen), 0.5))
