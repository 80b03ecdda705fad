"""How practice makes faster: a power function and an exponential one fitted to what one participant did.

After Heathcote, Brown & Mewhort, Psychon. Bull. Rev. 7 (2000) 185: the power law of practice comes of
averaging over people, so curves are fitted person by person. The three forms, n being the number of the hand:

=============  =================================================
constant       y = asymptote
power          y = asymptote + gain · n ** −rate
exponential    y = asymptote + gain · exp(−rate · (n − 1))
=============  =================================================

Asymptote and gain are not negative. Fitted by least squares; Akaike's criterion is n · ln(RSS / n) + 2 k with
the variance among the k parameters, and less is better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

MIN_HANDS = 8  # hands, twice the parameters of a curve
RATES = 40  # at a time, from
LEAST, MOST = 0.01, 5.0  # a line for any session, and all is learnt at once
ROUNDS = 4  # each tells the rate twenty times as exactly

SHAPES: dict[str, Callable[[np.ndarray, float | np.ndarray], np.ndarray]] = {
    "power": lambda places, rate: places**-rate,
    "exponential": lambda places, rate: np.exp(-rate * (places - 1)),
}


class Curve(NamedTuple):
    """One form fitted: NaN stands for parameters that it does not have."""

    form: str
    asymptote: float
    gain: float
    rate: float
    rss: float
    aic: float

    def at(self, places: np.ndarray) -> np.ndarray:
        """What the curve says for these numbers of hands."""
        places = np.asarray(places, dtype=float)
        if self.form == "constant":
            return np.full(len(places), self.asymptote)
        return self.asymptote + self.gain * SHAPES[self.form](places, self.rate)


def fit_curves(places: Sequence[float], values: Sequence[float]) -> list[Curve]:
    """The three forms fitted to the values at these numbers of hands, from 1; none of fewer than ``FEWEST``
    or of values that all are equal."""
    place, value = np.asarray(places, dtype=float), np.asarray(values, dtype=float)
    told = ~np.isnan(value)
    place, value = place[told], value[told]
    if len(value) < MIN_HANDS or np.ptp(value) == 0:
        return []
    rss = float(((value - value.mean()) ** 2).sum())
    constant = Curve("constant", float(value.mean()), np.nan, np.nan, rss, _aic(rss, len(value), 2))
    return [constant, *(_fit_form(form, place, value) for form in SHAPES)]


def best_curve(curves: Sequence[Curve]) -> Curve:
    """The one with the least AIC; of equals the simplest."""
    return min(curves, key=lambda curve: curve.aic)


class _Grid(NamedTuple):
    """The shapes of a form at some rates (rates × hands), and of each what a fit to any values needs."""

    rates: np.ndarray
    shapes: np.ndarray
    middle: np.ndarray
    apart: np.ndarray
    variation: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, form: str, places: bytes, rates: np.ndarray) -> _Grid:
        shapes = SHAPES[form](np.frombuffer(places), rates[:, None])
        middle = shapes.mean(axis=1)
        apart = shapes - middle[:, None]
        variation = np.maximum((apart**2).sum(axis=1), 1e-300)
        return cls(rates, shapes, middle, apart, variation, (shapes**2).sum(axis=1))


@lru_cache(maxsize=256)  # participants with the same hands ask for many of them again
def _build_grid(form: str, places: bytes, least: float, most: float) -> _Grid:
    begin, end = np.log10(least), np.log10(most)
    rates = 10.0 ** (np.arange(RATES) * ((end - begin) / (RATES - 1)) + begin)  # as np.geomspace, but quickly
    rates[0], rates[-1] = least, most
    return _Grid.of(form, places, rates)


def _fit_form(form: str, place: np.ndarray, value: np.ndarray) -> Curve:
    """For each rate asymptote and gain follow; the rate is sought on a grid, then on finer ones around its
    best point."""
    places, least, most = place.tobytes(), LEAST, MOST
    for _finer in range(ROUNDS):
        grid = _build_grid(form, places, least, most)
        asymptotes, gains, losses = _fit_linear(grid, value)
        best = int(np.argmin(losses))
        least, most = float(grid.rates[max(0, best - 1)]), float(grid.rates[min(RATES - 1, best + 1)])
    found = asymptotes[best], gains[best], grid.rates[best], losses[best]
    asymptote, gain, rate, rss = (float(one) for one in found)
    return Curve(form, asymptote, gain, rate, rss, _aic(rss, len(value), 4))


def _fit_linear(grid: _Grid, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each of the shapes asymptote and gain, neither negative, and the sum of squares that they leave."""
    mean = value.mean()
    gain = np.maximum(0, grid.apart @ (value - mean) / grid.variation)
    asymptote = mean - gain * grid.middle
    below = asymptote < 0
    if below.any():
        gain = np.where(below, np.maximum(0, grid.shapes @ value / grid.squares), gain)
        asymptote = np.maximum(0, asymptote)
    left = value - asymptote[:, None] - gain[:, None] * grid.shapes
    return asymptote, gain, (left**2).sum(axis=1)


def _aic(rss: float, n: int, parameters: int) -> float:
    return float(n * np.log(max(rss, 1e-12) / n) + 2 * parameters)
