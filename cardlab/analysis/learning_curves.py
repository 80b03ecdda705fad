"""Fits learning curves to the hands of one participant: a constant, a power and an exponential function.

The power law of practice arises from averaging over people, so curves are fitted to each person (Heathcote,
Brown & Mewhort, Psychon. Bull. Rev. 7 (2000) 185). With n, the number of the hand, the three forms are:

=============  =================================================
constant       y = asymptote
power          y = asymptote + gain · n ** −rate
exponential    y = asymptote + gain · exp(−rate · (n − 1))
=============  =================================================

Asymptote and gain are not negative. The fit is by least squares. Akaike's criterion (AIC) is
n · ln(RSS / n) + 2 k, where the k parameters include the variance; lower is better.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardlab.analysis.inference.clusters import Floats

MIN_HANDS = 8  # twice the number of parameters
RATES = 40  # points of the grid search for the rate
MIN_RATE, MAX_RATE = 0.01, 5.0  # practically a straight line; everything is learned in the first hand
ROUNDS = 4  # of the grid search; each makes the rate twenty times as precise

SHAPES: dict[str, Callable[[Floats, Any], Floats]] = {  # functions of the number of the hand and the rate
    "power": lambda places, rate: places**-rate,
    "exponential": lambda places, rate: np.exp(-rate * (places - 1)),
}


class Curve(NamedTuple):
    """A fitted curve. Parameters that its form does not have are NaN."""

    form: str
    asymptote: float
    gain: float
    rate: float
    rss: float
    aic: float

    def predict(self, places: npt.ArrayLike) -> Floats:
        """Returns the values of the curve at these hand numbers."""
        places = np.asarray(places, dtype=float)
        if self.form == "constant":
            return np.full(len(places), self.asymptote)
        return self.asymptote + self.gain * SHAPES[self.form](places, self.rate)


def fit_curves(places: npt.ArrayLike, values: npt.ArrayLike) -> list[Curve]:
    """Fits the three forms to values at these hand numbers, which count from 1. NaN values are left out.

    Returns an empty list for fewer than ``MIN_HANDS`` values or if all are equal.
    """
    place, value = np.asarray(places, dtype=float), np.asarray(values, dtype=float)
    is_known = ~np.isnan(value)
    place, value = place[is_known], value[is_known]
    if len(value) < MIN_HANDS or np.ptp(value) == 0:
        return []
    rss = float(((value - value.mean()) ** 2).sum())
    constant = Curve("constant", float(value.mean()), np.nan, np.nan, rss, _aic(rss, len(value), 2))
    return [constant, *(_fit_form(form, place, value) for form in SHAPES)]


def best_curve(curves: Sequence[Curve]) -> Curve:
    """Returns the curve with the lowest AIC; of equals the first."""
    return min(curves, key=lambda curve: curve.aic)


class _Grid(NamedTuple):
    """The shapes of a form at several rates (rates × hands), and the sums that every fit needs."""

    rates: Floats
    shapes: Floats
    means: Floats
    deviations: Floats
    variation: Floats
    squares: Floats


@lru_cache(maxsize=256)  # participants with the same hands need the same grids
def _build_grid(form: str, places: bytes, least: float, most: float) -> _Grid:
    begin, end = np.log10(least), np.log10(most)
    rates = 10.0 ** (np.arange(RATES) * ((end - begin) / (RATES - 1)) + begin)  # a faster np.geomspace
    rates[0], rates[-1] = least, most
    shapes = SHAPES[form](np.frombuffer(places), rates[:, None])
    means = shapes.mean(axis=1)
    deviations = shapes - means[:, None]
    variation = np.maximum((deviations**2).sum(axis=1), 1e-300)
    return _Grid(rates, shapes, means, deviations, variation, (shapes**2).sum(axis=1))


def _fit_form(form: str, place: Floats, value: Floats) -> Curve:
    """Fits a form: the rate by grid search, refined around the best point, the rest by linear regression."""
    places, least, most = place.tobytes(), MIN_RATE, MAX_RATE
    for _finer in range(ROUNDS):
        grid = _build_grid(form, places, least, most)
        asymptotes, gains, losses = _fit_linear(grid, value)
        best = int(np.argmin(losses))
        least, most = float(grid.rates[max(0, best - 1)]), float(grid.rates[min(RATES - 1, best + 1)])
    parameters = asymptotes[best], gains[best], grid.rates[best], losses[best]
    asymptote, gain, rate, rss = map(float, parameters)
    return Curve(form, asymptote, gain, rate, rss, _aic(rss, len(value), 4))


def _fit_linear(grid: _Grid, value: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the asymptote and gain of each shape, neither negative, and the residual sum of squares."""
    mean = value.mean()
    gain = np.maximum(0, grid.deviations @ (value - mean) / grid.variation)
    asymptote = mean - gain * grid.means
    below = asymptote < 0
    if below.any():
        gain = np.where(below, np.maximum(0, grid.shapes @ value / grid.squares), gain)
        asymptote = np.maximum(0, asymptote)
    left = value - asymptote[:, None] - gain[:, None] * grid.shapes
    return asymptote, gain, (left**2).sum(axis=1)


def _aic(rss: float, n: int, parameters: int) -> float:
    return float(n * np.log(max(rss, 1e-12) / n) + 2 * parameters)
