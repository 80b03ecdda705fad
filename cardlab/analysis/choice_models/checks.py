"""Compares models, and checks whether a model produces choices like those of the participant."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from cardlab.analysis.choice_models.data import Choices
from cardlab.analysis.choice_models.fitting import fit_person, make_weak_prior
from cardlab.analysis.choice_models.model import Model, Values, advantage_of_right

FOLDS = 5
SIMULATIONS = 200

STATISTICS: Mapping[str, tuple[str, Callable[[Choices], float]]] = {
    "right": ("share of right", lambda choices: _mean(choices, choices.chosen == 1)),
    "best": (
        "share of best responses to equally likely columns",
        lambda choices: _mean(choices, (advantage_of_right(choices.own, 0.5) > 0) == (choices.chosen == 1)),
    ),
    "repeats": (
        "share of choices that repeat the previous turn's column",
        lambda choices: _mean(choices, np.append(False, choices.chosen[1:] == choices.chosen[:-1])),
    ),
}
"""The statistics of posterior-predictive checks, with their meanings."""


def _mean(choices: Choices, is_so: npt.NDArray[np.bool_]) -> float:
    return float(is_so[choices.counted].mean())


def aicc(log_likelihood: float, parameters: int, choices: int) -> float | None:
    """Returns AICc (Hurvich and Tsai 1989); None for at most ``parameters`` + 1 choices."""
    if choices <= parameters + 1:
        return None
    correction = 2 * parameters * (parameters + 1) / (choices - parameters - 1)
    return 2 * parameters - 2 * log_likelihood + correction


def bic(log_likelihood: float, parameters: int, choices: int) -> float:
    """Returns the BIC (Schwarz 1978)."""
    return parameters * math.log(choices) - 2 * log_likelihood


def cross_validate(model: Model, choices: Choices) -> float:
    """Returns the held-out log-likelihood in ``FOLDS``-fold cross-validation, summed over the folds.

    A fold is a run of consecutive counted turns. The others are fitted with the weak prior, because maximum
    likelihood can choose impossible values. Later turns are used too: this measures a fit, not a forecast.
    """
    counted = np.flatnonzero(choices.counted)
    total = 0.0
    for part in np.array_split(counted, min(FOLDS, len(counted))):
        held_out = np.zeros(len(choices.chosen), dtype=bool)
        held_out[part] = True
        fit = fit_person(model, choices.counting(choices.counted & ~held_out), make_weak_prior(model))
        total += model.log_likelihood(fit.values, choices.counting(held_out))
    return total


def two_sided_p(observed: float, simulated: npt.NDArray[np.float64]) -> float:
    """Returns the two-sided Monte Carlo p of an observed value among simulated ones."""
    low, high = (simulated <= observed + 1e-12).sum(), (simulated >= observed - 1e-12).sum()
    return min(1.0, 2 * (1 + int(min(low, high))) / (1 + len(simulated)))


def check_predictions(model: Model, values: Values, choices: Choices, seed: int = 1) -> dict[str, float]:
    """Returns the two-sided predictive p of each of ``STATISTICS``, from choices simulated at the estimates.

    A value near 0 says that the model does not produce such choices.
    """
    rng = np.random.default_rng(seed)
    simulated = [model.draw(values, choices, rng) for _ in range(SIMULATIONS)]
    p_values = {}
    for name, (_meaning, statistic) in STATISTICS.items():
        observed = statistic(choices)
        p_values[name] = two_sided_p(observed, np.array([statistic(each) for each in simulated]))
    return p_values
