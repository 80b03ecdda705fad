"""Estimates the parameters of a model, for each person separately or for all people together.

Each person is fitted by maximum likelihood from several starting points. All people together are fitted by
empirical Bayes: their parameters are normally distributed on the unbounded scale, and mean and variance are
estimated by EM with Laplace's approximation (Huys et al. 2011, PLoS Computational Biology 7). The estimate of
a participant with few choices shrinks towards the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from cardlab.analysis.choice_models.data import Choices, Floats
from cardlab.analysis.choice_models.model import Model

BOUND = 6.0  # of positions on the unbounded scale; beyond it, parameters hardly change
STARTS = 4
EM_STEPS = 15
WEAK_VARIANCE = 4.0  # of the prior with which EM begins
_LEAST_VARIANCE = 0.02
_STEP = 1e-2  # for second differences
_SMALL_STEP = 1e-8  # for the gradient


class Prior(NamedTuple):
    """A normal distribution of each parameter on the unbounded scale."""

    mean: Floats
    variance: Floats


class Fit(NamedTuple):
    """The estimates of a person: positions on the unbounded scale, values, and the log-likelihood."""

    positions: Floats
    values: tuple[float, ...]
    log_likelihood: float


def make_weak_prior(model: Model) -> Prior:
    """Returns the prior with which EM begins. It keeps parameters away from their bounds."""
    count = len(model.parameters)
    return Prior(np.zeros(count), np.full(count, WEAK_VARIANCE))


def values_at(model: Model, positions: Sequence[float] | Floats) -> tuple[float, ...]:
    """Returns the values of the parameters at positions on the unbounded scale."""
    return tuple(
        parameter.from_unbounded(float(position)) for parameter, position in zip(model.parameters, positions)
    )


def fit_person(
    model: Model, choices: Choices, prior: Prior | None = None, start: Floats | None = None
) -> Fit:
    """Fits a model to a person: by maximum likelihood, or with a ``prior`` to the mode of the posterior.

    ``start`` is the only starting point; by default there are ``STARTS``.
    """
    if not model.parameters:
        return Fit(np.zeros(0), (), model.log_likelihood((), choices))

    def loss(positions: Floats) -> float:
        penalty = 0.0
        if prior:
            penalty = float((((positions - prior.mean) ** 2) / (2 * prior.variance)).sum())
        return penalty - model.log_likelihood(values_at(model, positions), choices)

    count = len(model.parameters)
    starts = [start] if start is not None else _make_starts(count)
    bounds = [(-BOUND, BOUND)] * count
    found = [
        minimize(_with_gradient(loss), begin, method="L-BFGS-B", jac=True, bounds=bounds) for begin in starts
    ]
    best = min(found, key=lambda result: float(result.fun))
    values = values_at(model, best.x)
    return Fit(best.x, values, model.log_likelihood(values, choices))


def _with_gradient(loss: Callable[[Floats], float]) -> Callable[[Floats], tuple[float, Floats]]:
    """Returns a function that computes the loss and its gradient, by one-sided differences towards 0.

    SciPy's numerical gradient takes longer than evaluating a model for the few turns of a participant.
    """

    def loss_and_gradient(positions: Floats) -> tuple[float, Floats]:
        at_positions, gradient = loss(positions), np.empty(len(positions))
        for place, position in enumerate(positions.tolist()):
            moved = positions.copy()
            moved[place] += -_SMALL_STEP if position > 0 else _SMALL_STEP
            gradient[place] = (loss(moved) - at_positions) / (moved[place] - position)
        return at_positions, gradient

    return loss_and_gradient


def _make_starts(count: int) -> list[Floats]:
    """Returns deterministic starting points: the middle, and points of a Halton sequence."""
    spread = qmc.Halton(count, scramble=False).random(STARTS)[1:]
    return [np.zeros(count), *(6 * spread - 3)]


def fit_people(model: Model, people: Sequence[Choices]) -> tuple[list[Fit], Prior]:
    """Fits a model to all people together, and returns the fit of each and the estimated distribution."""
    prior = make_weak_prior(model)
    fits = [fit_person(model, choices, prior) for choices in people]
    if not model.parameters or len(people) < 2:
        return fits, prior
    for _ in range(EM_STEPS):
        positions = np.array([fit.positions for fit in fits])
        spread = np.array(
            [_posterior_variance(model, choices, prior, fit) for choices, fit in zip(people, fits)]
        )
        mean = positions.mean(0)
        variance = np.maximum(((positions - mean) ** 2 + spread).mean(0), _LEAST_VARIANCE)
        change = float(np.abs(mean - prior.mean).max())
        prior = Prior(mean, np.minimum(variance, WEAK_VARIANCE))
        fits = [fit_person(model, choices, prior, fit.positions) for choices, fit in zip(people, fits)]
        if change < 0.01:
            break
    return fits, prior


def _posterior_variance(model: Model, choices: Choices, prior: Prior, fit: Fit) -> Floats:
    """Returns the variances of Laplace's approximation, at most those of the prior."""
    count = len(fit.positions)
    hessian = np.diag(1 / prior.variance)
    steps = _STEP * np.eye(count)

    def log_likelihood(positions: Floats) -> float:
        return model.log_likelihood(values_at(model, positions), choices)

    for i in range(count):
        for j in range(i + 1):
            corners = [
                sign_i * sign_j * log_likelihood(fit.positions + sign_i * steps[i] + sign_j * steps[j])
                for sign_i in (1, -1)
                for sign_j in (1, -1)
            ]
            second = -sum(corners) / (4 * _STEP**2)
            hessian[i, j] += second
            if i != j:
                hessian[j, i] += second
    try:
        variance = np.diag(np.linalg.inv(hessian))
    except np.linalg.LinAlgError:
        return prior.variance
    usable = (variance > 0) & (variance < prior.variance)
    clipped: Floats = np.where(usable, variance, prior.variance)
    return clipped
