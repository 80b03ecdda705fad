"""Learning from turn to turn: beliefs, reinforcement, and experience-weighted attraction.

Payoffs differ between turns, so there are two things to learn. ``BELIEFS`` learns how often the other plays
right, and responds in the current game (weighted fictitious play, Cheung and Friedman 1997). ``EWA`` learns
how good the columns have been, whatever the current game (Camerer and Ho 1999). ``REINFORCEMENT`` is EWA
without the payoffs of the column that was not chosen, delta = 0 and kappa = 1 (Roth and Erev 1995). Learning
continues from hand to hand.
"""

import math

import numpy as np

from cardlab.analysis.choice_models.data import Choices, Floats, Integers
from cardlab.analysis.choice_models.model import (
    PRECISION,
    Model,
    Parameter,
    Values,
    advantage_of_right,
    logistic,
)

MEMORY = Parameter("phi", 0, 1, "weight of the past against the latest turn: 1 forgets nothing")
FOREGONE = Parameter("delta", 0, 1, "weight of the points that the other column would have earned")
GROWTH = Parameter("kappa", 0, 1, "0: attractions are mean points; 1: they are sums")


def find_beliefs(memory: float, choices: Choices) -> Floats:
    """Returns the belief that the other plays right, before each turn. It begins with 1/2."""
    left, right = 1.0, 1.0
    beliefs = np.empty(len(choices.others))
    for turn, other in enumerate(choices.others.tolist()):
        beliefs[turn] = right / (left + right)
        left, right = memory * left + (other == 0), memory * right + (other == 1)
    return beliefs


def _respond_to_beliefs(values: Values, choices: Choices) -> Floats:
    precision, memory = values
    return logistic(precision * advantage_of_right(choices.own, find_beliefs(memory, choices)))


BELIEFS = Model("beliefs", "Cheung and Friedman 1997", (PRECISION, MEMORY), _respond_to_beliefs)


def _learn(
    values: Values, choices: Choices, rng: np.random.Generator | None = None
) -> tuple[Floats, Integers]:
    """Returns the probability of right before each turn, and the choices; with ``rng`` they are drawn."""
    precision, memory, foregone, growth = values
    # Plain numbers, because arrays of two elements are ten times slower.
    points = choices.own[np.arange(len(choices.own)), :, choices.others].tolist()
    chosen, is_free = choices.chosen.tolist(), choices.counted.tolist()
    draws = rng.random(len(chosen)).tolist() if rng else []
    decay = memory * (1 - growth)
    experience, left, right = 1.0, 0.0, 0.0
    chances = np.empty(len(chosen))
    for turn, (left_points, right_points) in enumerate(points):
        gain = precision * (right - left)
        chance = chances[turn] = 1 / (1 + math.exp(-gain)) if gain > -500 else 0.0
        if rng and is_free[turn]:
            chosen[turn] = int(draws[turn] < chance)
        chose_right = chosen[turn]
        next_experience = decay * experience + 1
        kept = memory * experience
        left = (kept * left + (foregone if chose_right else 1) * left_points) / next_experience
        right = (kept * right + (1 if chose_right else foregone) * right_points) / next_experience
        experience = next_experience
    return chances, np.array(chosen)


EWA = Model(
    "ewa",
    "Camerer and Ho 1999",
    (PRECISION, MEMORY, FOREGONE, GROWTH),
    lambda values, choices: _learn(values, choices)[0],
    lambda values, choices, rng: _learn(values, choices, rng)[1],
)

REINFORCEMENT = Model(
    "reinforcement",
    "Roth and Erev 1995",
    (PRECISION, MEMORY),
    lambda values, choices: _learn((*values, 0, 1), choices)[0],
    lambda values, choices, rng: _learn((*values, 0, 1), choices, rng)[1],
)
