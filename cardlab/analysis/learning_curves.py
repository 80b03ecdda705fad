"""Fits learning curves to the times of one participant: a constant, a power and an exponential function.

The power law of practice may arise from averaging over people, so curves are fitted to each person
(Heathcote, Brown & Mewhort, Psychon. Bull. Rev. 7 (2000) 185). With n, the number of the hand:

=============  =================================================
constant       y = asymptote
power          y = asymptote + gain · n ** −rate
exponential    y = asymptote + gain · exp(−rate · (n − 1))
=============  =================================================

The standard deviation of times grows with their mean, so errors are normal in log y, with the standard
deviation ``log_sd``. A good day or a tired hour lasts for several hands, so the errors of successive hands
may be correlated (AR(1)). Parameters are maximum-likelihood estimates. Forms are compared by Akaike's
criterion for small samples (AICc, Hurvich & Tsai, Biometrika 76 (1989) 297); lower is better. Both functions
always have an asymptote: a power function with one parameter fewer would win against exponential functions
that it does not resemble.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize

from cardlab.analysis.inference.clusters import Floats

MIN_HANDS = 8  # AICc needs at least two values more than parameters, of which there are up to five
MIN_RATE, MAX_RATE = 0.01, 5.0  # practically a straight line; everything is learned in the first hand
MAX_CORRELATION = 0.95
MAX_SHARE = 1 - 1e-6  # of the first value that practice can remove; times do not fall to 0
# A form is preferred to the constant if its AICc is lower by more than this. The test of its two further
# parameters is non-regular, so AICc alone would find learning in up to 12 % of people who do not learn. An
# exponential function overfits more, above all in the first hands: in new data its deviance rises by about 2
# more than that of a power function. With equal margins, true power functions of 40 hands would win in only
# two thirds of the cases.
MIN_ADVANTAGE = {"constant": 0.0, "power": 3.0, "exponential": 4.2}

SHAPES: dict[str, Callable[[Floats, Any], Floats]] = {  # functions of the number of the hand and the rate
    "power": lambda places, rate: places**-rate,
    "exponential": lambda places, rate: np.exp(-rate * (places - 1)),
}

# The grid at whose best point the optimizer starts. Both shapes are 1 in the first hand, so a curve is its
# first value times (1 − share + share · shape), where share = gain / (asymptote + gain).
_RATES = np.geomspace(MIN_RATE, MAX_RATE, 16)
_SHARES = np.array([*np.linspace(0.05, 0.95, 10), 0.99, 0.999, MAX_SHARE])
_CORRELATIONS = np.linspace(0, 0.9, 7)


class Curve(NamedTuple):
    """A fitted curve. Parameters that its form does not have are NaN.

    ``correlation`` is that of the errors of two successive hands, ``log_sd`` the standard deviation of log y.
    """

    form: str
    asymptote: float
    gain: float
    rate: float
    correlation: float
    log_sd: float
    aicc: float

    def predict(self, places: npt.ArrayLike) -> Floats:
        """Returns the curve at these hand numbers: medians, which are geometric means too."""
        places = np.asarray(places, dtype=float)
        if self.form == "constant":
            return np.full(len(places), self.asymptote)
        return self.asymptote + self.gain * SHAPES[self.form](places, self.rate)


def fit_curves(places: npt.ArrayLike, values: npt.ArrayLike) -> list[Curve]:
    """Fits the three forms to times at these hand numbers, which count from 1.

    Values that are NaN or not positive are left out. Returns an empty list for fewer than ``MIN_HANDS``
    values or if all are equal.
    """
    place, value = np.asarray(places, dtype=float), np.asarray(values, dtype=float)
    order = np.argsort(place, kind="stable")
    order = order[value[order] > 0]
    place, value = place[order], value[order]
    if len(value) < MIN_HANDS or np.ptp(value) == 0:
        return []
    logs = np.log(value)
    return [_fit_constant(logs), *(_fit_form(form, place, logs) for form in SHAPES)]


def best_curve(curves: Sequence[Curve]) -> Curve:
    """Returns the curve with the lowest AICc, after ``MIN_ADVANTAGE`` has been added to it."""
    return min(curves, key=lambda curve: curve.aicc + MIN_ADVANTAGE[curve.form])


class _Fit(NamedTuple):
    """The best level and the error variance around a shape, with −2 log likelihood (``deviance``)."""

    deviance: Any
    level: Any
    variance: Any


def _fit_level(logs: Floats, correlation: float) -> _Fit:
    """Fits a level to logarithms with AR(1) errors, for each row of ``logs``, of shape (…, hands).

    The values are whitened, the first one by the stationary variance (Prais & Winsten 1954).
    """
    n, first = logs.shape[-1], np.sqrt(1 - correlation**2)
    white = logs - correlation * np.concatenate([np.zeros_like(logs[..., :1]), logs[..., :-1]], axis=-1)
    white[..., 0] *= first
    ones = np.full(n, 1 - correlation)
    ones[0] = first
    level = white @ ones / (ones @ ones)
    variance = ((white - level[..., None] * ones) ** 2).mean(axis=-1)
    deviance = n * (np.log(2 * np.pi * np.maximum(variance, 1e-20)) + 1) - 2 * np.log(first)
    return _Fit(deviance, level, variance / (1 - correlation**2))


@lru_cache(maxsize=256)  # participants with the same hands need the same grid
def _log_shapes(form: str, places: bytes) -> Floats:
    shapes = SHAPES[form](np.frombuffer(places), _RATES[:, None])
    shares = _SHARES[:, None, None]
    return np.log(1 - shares + shares * shapes).reshape(-1, shapes.shape[-1])


def _fit_constant(logs: Floats) -> Curve:
    """Fits the constant with independent or AR(1) errors, whichever has the lower AICc."""
    bounds = (0, MAX_CORRELATION)
    best = optimize.minimize_scalar(
        lambda one: _fit_level(logs, one).deviance, bounds=bounds, method="bounded"
    )
    curves = []
    for correlation, parameters in ((0.0, 2), (float(best.x), 3)):
        deviance, level, variance = _fit_level(logs, correlation)
        aicc = _aicc(deviance, len(logs), parameters)
        curves.append(
            Curve("constant", float(np.exp(level)), np.nan, np.nan, correlation, float(variance**0.5), aicc)
        )
    return min(curves, key=lambda curve: curve.aicc)


def _fit_form(form: str, place: Floats, logs: Floats) -> Curve:
    """Fits the curve of a form with independent or AR(1) errors, whichever has the lower AICc.

    Share, rate and correlation are optimized from the best point of a grid; they determine the level.
    """
    left = logs - _log_shapes(form, place.tobytes())
    shape = (len(_CORRELATIONS), len(_SHARES), len(_RATES))
    grid = np.array([_fit_level(left, correlation).deviance for correlation in _CORRELATIONS]).reshape(shape)
    curves = []
    for correlations in (_CORRELATIONS[:1], _CORRELATIONS):
        part = grid[: len(correlations)]
        row, share, rate = np.unravel_index(int(part.argmin()), part.shape)
        start = correlations[row], _SHARES[share], np.log(_RATES[rate])
        bounds = [
            (0, correlations[-1] and MAX_CORRELATION),
            (0, MAX_SHARE),
            (np.log(MIN_RATE), np.log(MAX_RATE)),
        ]
        curves.append(_polish(form, place, logs, start, bounds))
    return min(curves, key=lambda curve: curve.aicc)


def _polish(
    form: str, place: Floats, logs: Floats, start: Sequence[float], bounds: Sequence[tuple[float, float]]
) -> Curve:
    """Fits correlation, share and logarithm of the rate within their bounds, beginning at ``start``."""

    def fit(point: Sequence[float]) -> _Fit:
        correlation, share, log_rate = point
        shape = np.log(1 - share + share * SHAPES[form](place, np.exp(log_rate)))
        return _fit_level(logs - shape, correlation)

    found = optimize.minimize(lambda point: fit(point).deviance, start, bounds=bounds, method="L-BFGS-B").x
    best = min(start, found, key=lambda point: fit(point).deviance)
    deviance, level, variance = fit(best)
    first, (correlation, share, log_rate) = np.exp(level), best
    free = 2 + sum(low < high for low, high in bounds)  # level and error variance, and the free parameters
    aicc = _aicc(deviance, len(logs), free)
    numbers = first * (1 - share), first * share, np.exp(log_rate), correlation, np.sqrt(variance), aicc
    return Curve(form, *map(float, numbers))


def _aicc(deviance: float, n: int, parameters: int) -> float:
    return float(deviance + 2 * parameters * n / (n - parameters - 1))
