"""Inequality aversion (Fehr and Schmidt 1999), with equal beliefs about the other's columns.

The utility of a cell is own points, minus alpha for each point that the other is ahead, minus beta for each
point that the participant is ahead.
"""

import numpy as np

from cardlab.analysis.choice_models.data import Choices, Floats
from cardlab.analysis.choice_models.model import (
    PRECISION,
    Model,
    Parameter,
    Values,
    advantage_of_right,
    logistic,
)

ENVY = Parameter("alpha", -1, 4, "dislike of being behind, in own points per point")
GUILT = Parameter("beta", -1, 2, "dislike of being ahead; negative for a wish to be ahead")


def find_utilities(envy: float, guilt: float, choices: Choices) -> Floats:
    """Returns the utility of each cell, of shape (turns, 2, 2)."""
    ahead = choices.own - choices.other
    utilities: Floats = choices.own - envy * np.maximum(-ahead, 0) - guilt * np.maximum(ahead, 0)
    return utilities


def _respond(values: Values, choices: Choices) -> Floats:
    precision, envy, guilt = values
    return logistic(precision * advantage_of_right(find_utilities(envy, guilt, choices), 0.5))


MODEL = Model("fehr_schmidt", "Fehr and Schmidt 1999", (PRECISION, ENVY, GUILT), _respond)
