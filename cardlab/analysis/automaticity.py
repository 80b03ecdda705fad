"""Tests decision times for signs that a participant's decisions have become automatic.

**A change point.** Learning by practice is smooth, but a new method or routine changes the times from one
hand to the next. The test compares a power law of practice with and without a step, fitted to log times with
AR(1) errors. Its statistic is the greatest likelihood ratio over all change points (Quandt, J. Am. Stat.
Assoc. 55 (1960) 324; Andrews, Econometrica 61 (1993) 821). The change point is searched for and the series
are short, so p comes from a parametric bootstrap without a step.

**Restructuring.** Faster decisions vary less. If only the speed changes, the standard deviation falls in
proportion to the mean, and the coefficient of variation (CV) stays the same. A lower CV means that some slow
and variable processes are no longer used (Segalowitz & Segalowitz, Appl. Psycholinguist. 14 (1993) 369;
Logan, Psychol. Rev. 95 (1988) 492).

**Slow decisions.** The ex-Gaussian distribution, a normal variable (``mu``, ``sigma``) plus an exponential
one (``tau``), separates the tail of slow times from the rest (Ratcliff, Psychol. Bull. 86 (1979) 446; Luce,
Response Times, 1986). Its parameters are descriptive; they do not measure processes.
"""

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from cardlab.analysis.inference.clusters import Floats

MIN_LATENCIES = 30  # in each half, for a CV and an ex-Gaussian distribution
MIN_HANDS = 16  # to test for a change
MIN_SIDE = 4  # hands before and after a change
REPETITIONS = 999  # of a simulation or permutation

_CORRELATIONS = np.linspace(0, 0.9, 10)


class Change(NamedTuple):
    """The most likely change of level.

    ``before`` is the number of values before it, ``ratio`` the level after it divided by that before, and
    ``p`` the probability of a likelihood ratio at least as large without a change.
    """

    before: int
    ratio: float
    p: float


class ExGaussian(NamedTuple):
    """The parameters of an ex-Gaussian distribution, in the unit of the times; their mean is mu + tau."""

    mu: float
    sigma: float
    tau: float


def find_change(values: npt.ArrayLike, seed: int = 1) -> Change | None:
    """Returns the most likely change of level in a series of positive times.

    None for fewer than ``MIN_HANDS`` values, or if all are equal.
    """
    logs = np.log(np.asarray(values, dtype=float))
    if len(logs) < MIN_HANDS or np.ptp(logs) == 0:
        return None
    without_change = _fit_changes(logs[None])
    normal = np.random.default_rng(seed).normal(size=(REPETITIONS, len(logs)))
    simulated = _fit_changes(correlate_errors(normal, float(without_change.correlation[0])))
    p = (1 + (simulated.ratio >= without_change.ratio[0]).sum()) / (1 + REPETITIONS)
    return Change(int(without_change.place[0]), exp(without_change.height[0]), float(p))


class _Fits(NamedTuple):
    """The best fits of several series.

    ``ratio`` is the greatest log likelihood ratio, ``place`` the number of values before the step, and
    ``height`` the height of the step in log time.
    """

    ratio: Floats
    place: npt.NDArray[np.int64]
    height: Floats
    correlation: Floats  # without a step, by restricted maximum likelihood, which is less biased


def _fit_changes(logs: Floats) -> _Fits:
    """Fits a power function to each series (row of ``logs``), without a step and with one at each place."""
    rows, n = logs.shape
    places = np.arange(1, n + 1)
    indices = np.arange(MIN_SIDE, n - MIN_SIDE + 1)
    design = np.array([np.ones(n), np.log(places)])
    steps = (places > indices[:, None]).astype(float)
    best_without, best_restricted = np.full(rows, -np.inf), np.full(rows, -np.inf)
    best_with = np.full((rows, len(indices)), -np.inf)
    correlations: Floats = np.zeros(rows)
    heights: Floats = np.zeros((rows, len(indices)))
    for correlation in _CORRELATIONS:
        trend = _whiten(design, correlation)
        basis = np.linalg.qr(trend.T)[0]
        left, step = (
            white - white @ basis @ basis.T
            for white in (_whiten(logs, correlation), _whiten(steps, correlation))
        )
        squares, size = (left**2).sum(axis=1), (step**2).sum(axis=1)
        height = left @ step.T / size
        jacobian = log(1 - correlation**2) / 2
        without = jacobian - n / 2 * np.log(squares)
        with_step = jacobian - n / 2 * np.log(np.maximum(squares[:, None] - height**2 * size, 1e-20))
        restricted = (
            jacobian
            - (n - len(design)) / 2 * np.log(squares)
            - np.linalg.slogdet(trend @ trend.T).logabsdet / 2
        )
        correlations = np.where(restricted > best_restricted, correlation, correlations)
        heights = np.where(with_step > best_with, height, heights)
        best_without = np.maximum(best_without, without)
        best_restricted = np.maximum(best_restricted, restricted)
        best_with = np.maximum(best_with, with_step)
    best = best_with.argmax(axis=1)
    chosen = np.arange(rows), best
    return _Fits(best_with[chosen] - best_without, indices[best], heights[chosen], correlations)


def _whiten(values: Floats, correlation: float) -> Floats:
    """Whitens rows with AR(1) errors; the first value by the stationary variance (Prais & Winsten)."""
    white = values.astype(float)
    white[:, 1:] -= correlation * values[:, :-1]
    white[:, 0] *= np.sqrt(1 - correlation**2)
    return white


def correlate_errors(white: Floats, correlation: float) -> Floats:
    """Returns the rows with AR(1) errors that ``_whiten`` would turn into ``white``."""
    values: Floats = white.copy()
    values[:, 0] /= np.sqrt(1 - correlation**2)
    for place in range(1, values.shape[1]):
        values[:, place] += correlation * values[:, place - 1]
    return values


def coefficient_of_variation(latencies: npt.ArrayLike) -> float | None:
    """Returns the standard deviation divided by the mean; None below ``MIN_LATENCIES``."""
    times = np.asarray(latencies, dtype=float)
    return float(times.std(ddof=1) / times.mean()) if len(times) >= MIN_LATENCIES else None


def permute_restructuring(early: Sequence[Floats], late: Sequence[Floats], seed: int = 1) -> float | None:
    """Returns the one-sided permutation p of a lower CV in the late hands, if only the speed has changed.

    Each hand is an array of latencies. They are divided by the mean of their half; then whole hands are
    permuted between the halves, because latencies of a hand depend on each other. Returns None if a half has
    fewer than ``MIN_LATENCIES``.
    """
    halves = [np.concatenate([np.zeros(0), *hands]) for hands in (early, late)]
    if min(map(len, halves)) < MIN_LATENCIES:
        return None
    scaled = [hand / half.mean() for half, hands in zip(halves, (early, late)) for hand in hands]
    moments = np.array([[len(hand), hand.sum(), (hand**2).sum()] for hand in scaled])
    chance, is_late = np.random.default_rng(seed), np.arange(len(scaled)) >= len(early)
    sides = np.array([is_late, *(chance.permutation(is_late) for _repetition in range(REPETITIONS))])
    differences = _squared_cv(sides @ moments) - _squared_cv(~sides @ moments)
    return float((differences <= differences[0] + 1e-12).mean())


def _squared_cv(sums: Floats) -> Floats:
    """Returns squared CVs from the number of latencies, their sums and the sums of their squares."""
    count, total, squares = sums.T
    mean = total / count
    squared: Floats = (squares / count - mean**2) / mean**2
    return squared


def fit_ex_gaussian(latencies: npt.ArrayLike) -> ExGaussian | None:
    """Returns the maximum-likelihood estimates; None below ``MIN_LATENCIES`` or without variation.

    The optimizer starts at the estimates by the method of moments.
    """
    times = np.asarray(latencies, dtype=float)
    if len(times) < MIN_LATENCIES or np.ptp(times) == 0:
        return None
    scale = times.std()
    scaled = (times - times.mean()) / scale  # so that the optimizer's steps and tolerances fit any unit
    tau = np.clip((max(stats.skew(scaled), 0.0) / 2) ** (1 / 3), 0.2, 0.95)

    def minus_log_likelihood(point: Floats) -> float:
        mu, log_sigma, log_tau = point
        sigma, slow = np.exp(np.clip([log_sigma, log_tau], -6, 3))
        return float(-stats.exponnorm.logpdf(scaled, slow / sigma, mu, sigma).sum())

    start = np.array([-tau, log(1 - tau**2) / 2, log(tau)])
    best = optimize.minimize(
        minus_log_likelihood, start, method="Nelder-Mead", options={"maxiter": 2000, "xatol": 1e-4}
    )
    mu, log_sigma, log_tau = best.x
    sigma, slow = np.exp(np.clip([log_sigma, log_tau], -6, 3))
    return ExGaussian(float(times.mean() + scale * mu), float(scale * sigma), float(scale * slow))
