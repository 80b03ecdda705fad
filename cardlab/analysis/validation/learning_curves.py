"""Checks whether learning curves find the true form, and no learning where there is none.

Times are lognormal with the standard deviation ``NOISE`` of their logarithms. Errors of successive hands may
be correlated. Curves fall from 10 to about 2.

The figure ``limit`` says how often any method can tell a true curve from the closest curve of the other form:
the success rate of the likelihood-ratio test that has equal error rates and knows both curves and the noise
(Neyman & Pearson 1933). A method that is right more often about one of them is right less often about the
other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import optimize

from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.learning_curves import MAX_RATE, MAX_SHARE, MIN_RATE, SHAPES, best_curve, fit_curves
from cardlab.analysis.validation.figure import Case, Figure

NOISE = 0.3
MAX_FALSE, MIN_RIGHT = 0.07, 0.8


def _draw_errors(rng: np.random.Generator, hands: int, correlation: float) -> Floats:
    """Returns errors of logarithms: an autoregressive process of order 1."""
    steps = rng.normal(size=hands) * NOISE
    errors = np.empty(hands)
    errors[0] = steps[0]
    for hand in range(1, hands):
        errors[hand] = correlation * errors[hand - 1] + np.sqrt(1 - correlation**2) * steps[hand]
    return errors


def find_closest(form: str, place: Floats, logs: Floats) -> Floats:
    """Returns the logarithms of the curve of a form that has the least squared distance to ``logs``."""

    def distance(point: Floats) -> Floats:
        share, log_rate = point
        difference = logs - np.log(1 - share + share * SHAPES[form](place, np.exp(log_rate)))
        return np.asarray(difference - difference.mean(), dtype=float)

    bounds = (0, np.log(MIN_RATE)), (MAX_SHARE, np.log(MAX_RATE))
    fits = [optimize.least_squares(distance, (0.7, np.log(rate)), bounds=bounds) for rate in (0.03, 0.3, 1)]
    return np.asarray(logs - min(fits, key=lambda fit: float(fit.cost)).fun, dtype=float)


def _check_flat(hands: int, correlation: float) -> Case:
    place = np.arange(1.0, hands + 1)

    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        curves = [
            best_curve(fit_curves(place, 5 * np.exp(_draw_errors(rng, hands, correlation))))
            for _study in range(studies)
        ]
        return [Figure("learning", sum(curve.form != "constant" for curve in curves), studies, 0, MAX_FALSE)]

    return case


def _check_form(form: str, hands: int) -> Case:
    place = np.arange(1, hands + 1).astype(float)
    times = {"power": 2 + 8 * place**-0.8, "exponential": 2 + 8 * np.exp(-0.15 * (place - 1))}[form]
    (other,) = SHAPES.keys() - {form}

    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        errors = np.array([_draw_errors(rng, hands, 0) for _study in range(studies)])
        forms = [best_curve(fit_curves(place, times * np.exp(own))).form for own in errors]
        gap = np.log(times) - find_closest(other, place, np.log(times))
        known = int((((errors + gap) ** 2).sum(axis=1) > (errors**2).sum(axis=1)).sum())
        return [Figure(form, forms.count(form), studies, MIN_RIGHT, 1), Figure("limit", known, studies, 0, 1)]

    return case


CASES: dict[str, Case] = {
    **{
        f"no learning, {hands} hands, correlation {correlation}": _check_flat(hands, correlation)
        for hands in (20, 40, 80)
        for correlation in (0, 0.4, 0.8)
    },
    **{
        f"{form} curve, {hands} hands": _check_form(form, hands)
        for form in ("power", "exponential")
        for hands in (40, 80)
    },
}
