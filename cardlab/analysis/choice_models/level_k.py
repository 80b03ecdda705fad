"""Level-k thinking and the cognitive hierarchy, with logit choice at every level.

Level 0 plays each column with probability 1/2. Level k responds to level k − 1 (Stahl and Wilson 1994; Nagel
1995). In the cognitive hierarchy, level k responds to the levels below it in the proportions of a Poisson
distribution with mean tau (Camerer, Ho and Chong 2004), and a participant is a draw from all levels.
"""

import math

import numpy as np

from cardlab.analysis.choice_models.data import Choices, Floats
from cardlab.analysis.choice_models.model import (
    PRECISION,
    Model,
    Parameter,
    Values,
    advantage_of_right,
    logistic,
    other_view,
)

HIGHEST = 6  # level of the cognitive hierarchy

TAU = Parameter("tau", 0.01, 8, "mean number of steps of thinking in the cognitive hierarchy", True)


def _level(level: int) -> Model:
    def respond(values: Values, choices: Choices) -> Floats:
        payoffs = choices.own, other_view(choices)
        chance: Floats = np.full(len(choices.chosen), 0.5)
        for step in range(level):
            # The last step is the participant's, the one before it the other's, and so on.
            chance = logistic(values[0] * advantage_of_right(payoffs[(level - 1 - step) % 2], chance))
        return chance

    return Model(f"level_{level}", "Stahl and Wilson 1994", (PRECISION,), respond)


LEVELS = tuple(_level(level) for level in (1, 2, 3))


def _respond_as_hierarchy(values: Values, choices: Choices) -> Floats:
    precision, tau = values
    weights = [math.exp(-tau) * tau**level / math.factorial(level) for level in range(HIGHEST + 1)]
    half = np.full(len(choices.chosen), 0.5)
    own, other = weights[0] * half, weights[0] * half  # weighted sums over the levels so far
    other_payoffs = other_view(choices)
    for level in range(1, HIGHEST + 1):
        below = sum(weights[:level])
        own_chance = logistic(precision * advantage_of_right(choices.own, other / below))
        other_chance = logistic(precision * advantage_of_right(other_payoffs, own / below))
        own, other = own + weights[level] * own_chance, other + weights[level] * other_chance
    return own / sum(weights)


COGNITIVE_HIERARCHY = Model(
    "cognitive_hierarchy", "Camerer, Ho and Chong 2004", (PRECISION, TAU), _respond_as_hierarchy
)
