"""Checks whether learning curves find the true form, and no learning where there is none.

Times are lognormal with the standard deviation ``NOISE`` of their logarithms. Errors of successive hands may
be correlated. Curves fall from 10 to about 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.learning_curves import best_curve, fit_curves
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


def _check(form: str, hands: int, correlation: float = 0.0) -> Case:
    place = np.arange(1.0, hands + 1)
    truth = {
        "constant": np.full(hands, 5.0),
        "power": 2 + 8 * place**-0.8,
        "exponential": 2 + 8 * np.exp(-0.15 * (place - 1)),
    }[form]

    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        found = [
            best_curve(fit_curves(place, truth * np.exp(_draw_errors(rng, hands, correlation)))).form
            for _study in range(studies)
        ]
        if form == "constant":
            return [Figure("learning", sum(name != form for name in found), studies, 0, MAX_FALSE)]
        return [Figure(form, found.count(form), studies, MIN_RIGHT, 1)]

    return case


CASES: dict[str, Case] = {
    **{
        f"no learning, {hands} hands, correlation {correlation}": _check("constant", hands, correlation)
        for hands in (20, 40, 80)
        for correlation in (0, 0.4, 0.8)
    },
    **{
        f"{form} curve, {hands} hands": _check(form, hands)
        for form in ("power", "exponential")
        for hands in (40, 80)
    },
}
