"""The logit quantal response equilibrium (McKelvey and Palfrey 1995).

Both players respond to each other with the same precision. If there are several equilibria, the one on the
principal branch is used, which begins with random choice at precision 0.
"""

import math
from functools import lru_cache

import numpy as np

from cardlab.analysis.choice_models.data import Choices, Floats
from cardlab.analysis.choice_models.model import (
    PRECISION,
    Model,
    Values,
    advantage_of_right,
    logistic,
    other_view,
)

STEPS = 160  # precisions at which the branch is computed
_NEWTON_STEPS = 6
_LEAST_STEP = 1e-8  # the error is about the square of the last step
_PRECISIONS = np.geomspace(PRECISION.low, PRECISION.high, STEPS)


@lru_cache(maxsize=1024)
def follow_branch(own_points: bytes, other_points: bytes) -> Floats:
    """Returns the log odds of right at each of the precisions, of shape (STEPS, turns).

    The points are those of ``Choices`` as bytes, so that the same turns with other choices, or with other
    turns counted, have the same branch in the cache.

    The equilibrium solves x = precision × gain(q) and y = precision × gain(p) for the log odds x of the
    participant and y of the other, by Newton's method from the solution at the previous precision.
    """
    own, other = (np.frombuffer(points).reshape(-1, 2, 2) for points in (own_points, other_points))
    own_left, own_slope = _gain_line(own)
    other_left, other_slope = _gain_line(other)
    x, y = np.zeros(len(own)), np.zeros(len(own))
    branch = np.empty((STEPS, len(own)))
    for step, precision in enumerate(_PRECISIONS):
        for _ in range(_NEWTON_STEPS):
            p, q = logistic(x), logistic(y)
            own_error = x - precision * (own_left + own_slope * q)
            other_error = y - precision * (other_left + other_slope * p)
            own_effect = precision * own_slope * q * (1 - q)
            other_effect = precision * other_slope * p * (1 - p)
            determinant = 1 - own_effect * other_effect
            determinant = np.where(np.abs(determinant) < 0.05, 0.05, determinant)
            x_step = np.clip((own_error + own_effect * other_error) / determinant, -2, 2)
            y_step = np.clip((other_error + other_effect * own_error) / determinant, -2, 2)
            x, y = x - x_step, y - y_step
            if max(np.abs(x_step).max(), np.abs(y_step).max()) < _LEAST_STEP:
                break
        branch[step] = x
    return branch


def _gain_line(payoffs: Floats) -> tuple[Floats, Floats]:
    """Returns the gain of right if the other plays left, and how it changes with the chance of right."""
    left = advantage_of_right(payoffs, 0.0)
    return left, advantage_of_right(payoffs, 1.0) - left


def _respond(values: Values, choices: Choices) -> Floats:
    place = (STEPS - 1) * math.log(values[0] / PRECISION.low, PRECISION.high / PRECISION.low)
    below = min(int(place), STEPS - 2)
    branch = follow_branch(choices.own.tobytes(), other_view(choices).tobytes())
    odds: Floats = branch[below] + (place - below) * (branch[below + 1] - branch[below])
    return logistic(odds)


MODEL = Model("qre", "McKelvey and Palfrey 1995", (PRECISION,), _respond)
