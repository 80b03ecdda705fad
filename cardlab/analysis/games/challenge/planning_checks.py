"""Checks whether a model of planning in Challenge produces choices like those of the participant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardlab.analysis.choice_models import checks
from cardlab.analysis.games.challenge.planning_models import MODELS, Data, Estimate, Floats
from cardlab.games.challenge.heuristics import FEATURES

Chosen = npt.NDArray[np.int64]  # of shape (simulations, choices)


class Check(NamedTuple):
    """A statistic of the participant's choices, its mean under the model, and the two-sided p."""

    observed: float
    simulated: float
    p: float


def _losses(data: Data) -> Floats:
    """Returns the loss of each move by the deepest search, of shape (choices, moves)."""
    scores = np.where(data.legal, data.scores[-1], -np.inf)
    losses: Floats = scores.max(1, keepdims=True) - scores
    return losses


def _is_best(data: Data) -> Floats:
    best: Floats = (_losses(data) == 0).astype(float)
    return best


def _feature(name: str) -> Callable[[Data], Floats]:
    def values(data: Data) -> Floats:
        found: Floats = data.features[:, :, FEATURES.index(name)]
        return found

    return values


STATISTICS: Mapping[str, tuple[str, Callable[[Data], Floats]]] = {
    "best_share": ("share of choices with the highest value by the deepest search", _is_best),
    "loss": ("mean loss of a choice by the deepest search, in points", _losses),
    "pick_up_share": ("share of pick-ups among the choices", _feature("pick-up")),
    "trump_share": ("share of own trumps among the choices", _feature("own trump")),
}
"""The statistics with their meanings. Each is a mean over the choices of a value of the chosen move."""


def draw_choices(chances: Floats, count: int, seed: int) -> Chosen:
    """Returns ``count`` simulated choices for each row of probabilities."""
    rng = np.random.default_rng(seed)
    bounds = chances.cumsum(1)
    drawn = rng.random((count, len(chances), 1)) * bounds[:, -1:]
    chosen: Chosen = (drawn >= bounds).sum(2)
    return chosen


def check_predictions(model: str, estimate: Estimate, data: Data, seed: int = 1) -> dict[str, Check]:
    """Compares each statistic with choices that the model makes in the same positions at its estimates."""
    (found,) = (one for one in MODELS if one.name == model)
    chances = found.chances([*estimate.values.values()], data)
    simulated = draw_choices(chances, checks.SIMULATIONS, seed)
    return {
        name: _compare(values(data), data.chosen, simulated)
        for name, (_meaning, values) in STATISTICS.items()
    }


def _compare(values: Floats, chosen: Sequence[int] | Chosen, simulated: Chosen) -> Check:
    places = np.arange(len(values))
    observed, means = float(values[places, chosen].mean()), values[places, simulated].mean(1)
    return Check(observed, float(means.mean()), checks.two_sided_p(observed, means))
