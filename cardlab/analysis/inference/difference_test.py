"""Tests the difference of two means, corrected for skewness, and inverts the test to an interval.

The statistic is Welch's or the paired t over clusters. For skewed values, such as numbers of moves, t itself
is skewed. Hall's monotone transformation (J. R. Stat. Soc. B 54 (1992) 221) removes most of this skewness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, inf, nan
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardlab.analysis.inference.bayes_factors import bayes_factor
from cardlab.analysis.inference.clusters import DRAWS, LEVEL, ROUNDING, SEED, Floats, Values, sum_by_side

PERMUTATION, WELCH, PAIRED = "permuted Welch's t", "Welch's t over clusters", "paired t over clusters"

_EXPANSIONS, _BISECTIONS = 12, 16  # of a bound: doublings of its distance, then halvings of its error
_SHIFTS = (-1.0, 0.0, 1.0, 2.0)  # at which polynomials of degree 3 are determined
_STRAIGHT = 1e-8  # smaller skewness does not change t


@dataclass(frozen=True)
class BetweenTest:
    """Tests the difference by a permutation test, if no cluster has values on both sides.

    Whole clusters are permuted. A permutation test of the difference itself would reject far too often if the
    smaller side varies more, because it tests equality of the distributions, not of the means (Janssen, Stat.
    Probab. Lett. 36 (1997) 9; Chung & Romano, Ann. Stat. 41 (2013) 484). The same holds for t if the smaller
    side is skewed, but hardly for t corrected for skewness.

    If there are at most ``draws`` permutations, all are used. Otherwise ``draws`` are drawn, and the data
    themselves count as one more (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39). If there are
    too few for the test to reject, Welch's t distribution is used, without correction.

    Attributes:
        sums, counts: of the values of each side and cluster, 2 × clusters. Values are centred and divided by
            ``scale``, the range of all values.
        sides: which clusters are on the first side; one row per permutation, the first row for the data.
        permutations: how many there are.
        is_complete: whether all of them are in ``sides``.
    """

    sums: Floats
    counts: Floats
    scale: float
    sides: Floats
    permutations: int
    is_complete: bool

    @classmethod
    def create(cls, sums: Floats, counts: Floats, scale: float, draws: int) -> BetweenTest:
        """Creates a test with at most ``draws`` permutations."""
        side = (counts[0] > 0).astype(float)
        size, first = len(side), int(side.sum())
        sides = np.vstack([side, _draw_sides(size, first, draws)])
        return cls(sums, counts, scale, sides, comb(size, first), comb(size, first) <= draws)

    @property
    def can_reject(self) -> bool:
        """Whether p is below 1 − ``LEVEL`` if only the data and their mirror image are so extreme."""
        return 2 / self.permutations < 1 - LEVEL

    @property
    def method(self) -> str:
        """The name of the method of p and interval."""
        return PERMUTATION if self.can_reject else WELCH

    @property
    def difference(self) -> float:
        """The difference of means."""
        return float(self._coefficients[0, 0, 0]) * self.scale

    @property
    def standard_error(self) -> float:
        """The standard error of the difference of means between clusters; 0 if no side varies."""
        return float(np.sqrt(self._coefficients[1, 0, 0])) * self.scale

    def t(self, shift: float) -> Floats:
        """Returns the corrected t of the data, then that of each permutation.

        ``shift`` is the true difference, by which the values of the first side are shifted.
        """
        powers = (shift / self.scale) ** np.arange(4)
        difference, variance, third = np.einsum("p,kpw->kw", powers, self._coefficients)
        rounding = ROUNDING * (np.abs(powers) @ np.abs(self._coefficients[1]))
        error = np.sqrt(np.where(variance < rounding, 0, variance))
        with np.errstate(invalid="ignore", divide="ignore"):
            t: Floats = np.where(np.abs(difference) < ROUNDING, 0.0, difference / error)
            skewness = np.where(error > 0, third / error**3, 0)
        return correct_skewness(t, skewness)

    @cached_property
    def _coefficients(self) -> Floats:
        """The polynomials of difference, variance and third moment in the shift: 3 × powers × permutations.

        Sums are linear in the shift, so these polynomials have the degrees 1, 2 and 3.
        """
        moments = [
            compare_between_clusters(
                (self.sums - np.array([[shift], [0.0]]) * self.counts).sum(axis=0),
                self.counts.sum(axis=0),
                self.sides,
            )
            for shift in _SHIFTS
        ]
        of_powers = np.linalg.inv(np.vander(_SHIFTS, increasing=True))
        of_powers[np.abs(of_powers) < ROUNDING] = 0
        coefficients: Floats = np.einsum("ps,skw->kpw", of_powers, np.array(moments))
        return coefficients

    def p(self, shift: float = 0.0) -> float:
        """Returns the two-sided p of the hypothesis that the true difference is ``shift``."""
        if self.can_reject or self.standard_error == 0:
            return self._permuted_p(shift)
        t, freedom = (self.difference - shift) / self.standard_error, self._freedom()
        return float(2 * stats.t.sf(abs(t), freedom))

    def equivalence_p(self, bound: float) -> float:
        """Returns the p of two one-sided tests (TOST) for a difference within ± ``bound``."""
        if self.can_reject:
            return max(self._permuted_p(-bound, lambda t: t), self._permuted_p(bound, np.negative))
        nearest = (bound - abs(self.difference)) / self.standard_error
        return float(stats.t.sf(nearest, self._freedom()))

    def _permuted_p(self, shift: float, extremity: Callable[[Any], Any] = np.abs) -> float:
        t = extremity(self.t(shift))
        own, others = t[0], t[1:][~np.isnan(t[1:])]
        margin = 1e-9 * abs(own) if np.isfinite(own) else 0
        beyond = int((others >= own - margin - ROUNDING).sum())
        return beyond / len(others) if self.is_complete else (beyond + 1) / (len(others) + 1)

    def interval(self) -> tuple[float, float]:
        """Returns the bounds of the differences that the test does not reject at 1 − ``LEVEL``.

        So the interval contains 0 if and only if the p of no difference is above 1 − ``LEVEL``.
        """
        difference, error = self.difference, self.standard_error
        if not self.can_reject:
            half = float(stats.t.ppf((1 + LEVEL) / 2, self._freedom())) * error
            return difference - half, difference + half
        accepts_0 = self.p() >= 1 - LEVEL
        low, high = (self._bound(difference, sign * error, accepts_0) for sign in (-1, 1))
        return low, high

    def bayes_factor(self) -> float:
        """Returns the Bayes factor BF₁₀ of t; NaN if no side varies."""
        if self.standard_error == 0:
            return nan
        first, second = (int((counts > 0).sum()) for counts in self.counts)
        t = self.difference / self.standard_error
        return bayes_factor(t, first * second / (first + second), first + second - 2)

    def _freedom(self) -> float:
        """Returns Welch's degrees of freedom."""
        parts = []
        for sums, counts in zip(self.sums, self.counts):
            own = counts > 0
            n, size = counts.sum(), int(own.sum())
            deviations = sums[own] - sums.sum() / n * counts[own]
            parts.append((size, size / (size - 1) * float((deviations**2).sum()) / n**2))
        variance = sum(part for _size, part in parts)
        return float(variance**2 / sum(part**2 / (size - 1) for size, part in parts))

    def _bound(self, difference: float, error: float, accepts_0: bool) -> float:
        """Returns the bound on the side of the sign of ``error``, infinite if nothing is rejected there."""
        inside, outside = difference, difference + 2 * error
        if difference * error < 0:  # 0 is on this side
            inside, outside = (0.0, outside - 2 * difference) if accepts_0 else (difference, 0.0)
        for _expansion in range(_EXPANSIONS):
            if self.p(outside) < 1 - LEVEL:
                break
            inside, outside = outside, difference + 2 * (outside - difference)
        else:
            return inf if error > 0 else -inf
        for _bisection in range(_BISECTIONS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if self.p(middle) < 1 - LEVEL else (middle, outside)
        return inside


@dataclass(frozen=True)
class WithinTest:
    """Tests the difference by a paired t test, if clusters have values on both sides.

    The paired t over clusters is corrected for skewness. As the skewness is estimated, too, t has one degree
    of freedom fewer: otherwise skewed differences of four clusters would be found too often (validation). A
    test that exchanges the sides within clusters at random would assume symmetric differences.

    Attributes:
        difference: the difference of means.
        contributions: what each cluster adds to it, beyond the means of both sides.
    """

    difference: float
    contributions: Floats

    method = PAIRED

    @classmethod
    def create(cls, sums: Floats, counts: Floats, scale: float) -> WithinTest:
        """Creates a test of the sums and counts of each side and cluster, of values divided by ``scale``."""
        totals = counts.sum(axis=1)
        means = sums.sum(axis=1) / totals
        first, second = (sums - means[:, None] * counts) / totals[:, None]
        contributions = first - second
        contributions[np.abs(contributions) < ROUNDING] = 0
        return cls(float(means[0] - means[1]) * scale, contributions * scale)

    @property
    def standard_error(self) -> float:
        """The standard error of the difference of means between clusters; 0 if differences do not vary."""
        size = len(self.contributions)
        return float(np.sqrt((self.contributions**2).sum() * size / (size - 1)))

    @property
    def _freedom(self) -> int:
        return max(1, len(self.contributions) - 2)

    @cached_property
    def _skewness(self) -> float:
        """The skewness of the difference of means; 0 for two clusters."""
        size = len(self.contributions)
        if size < 3:
            return 0.0
        third = float((self.contributions**3).sum()) * size**2 / ((size - 1) * (size - 2))
        return third / self.standard_error**3

    def t(self, shift: float) -> float:
        """Returns the corrected t if the true difference is ``shift``."""
        t = (self.difference - shift) / self.standard_error
        return float(correct_skewness(np.array(t), np.array(self._skewness)))

    def p(self, shift: float = 0.0) -> float:
        """Returns the two-sided p of the hypothesis that the true difference is ``shift``.

        If all differences are equal, this is the p of a sign test.
        """
        if self.standard_error == 0:
            return 1.0 if self.difference == shift else 2.0 ** (1 - len(self.contributions))
        return float(2 * stats.t.sf(abs(self.t(shift)), self._freedom))

    def interval(self) -> tuple[float, float]:
        """Returns the bounds of the differences that the test does not reject at 1 − ``LEVEL``."""
        limit = float(stats.t.ppf((1 + LEVEL) / 2, self._freedom))
        low, high = (_restore_skewness(sign * limit, self._skewness) for sign in (1, -1))
        return self.difference - low * self.standard_error, self.difference - high * self.standard_error

    def equivalence_p(self, bound: float) -> float:
        """Returns the p of two one-sided tests (TOST) for a difference within ± ``bound``."""
        above, below = self.t(-bound), self.t(bound)
        return float(max(stats.t.sf(above, self._freedom), stats.t.cdf(below, self._freedom)))

    def bayes_factor(self) -> float:
        """Returns the Bayes factor BF₁₀ of t; NaN if differences do not vary."""
        if self.standard_error == 0:
            return nan
        size = len(self.contributions)
        return bayes_factor(self.difference / self.standard_error, size, size - 1)


def create_test(
    values: Values, first: Values, clusters: Values, draws: int = DRAWS
) -> BetweenTest | WithinTest | None:
    """Returns a test of the difference of means between values with ``first`` true and false.

    ``clusters`` names the cluster of each value. Returns None if a side has fewer than two clusters, because
    its variance cannot be estimated, or if all values are equal.
    """
    number, is_first = np.asarray(values, dtype=float), np.asarray(first, dtype=bool)
    is_known = ~np.isnan(number)
    number, is_first = number[is_known], is_first[is_known]
    cluster = np.unique(np.asarray(clusters)[is_known], return_inverse=True)[1]
    if _count_fewest(is_first, cluster) < 2 or np.ptp(number) == 0:
        return None
    scale = float(np.ptp(number))
    sums, counts = sum_by_side((number - number.mean()) / scale, is_first, cluster)
    if (counts > 0).all(axis=0).any():
        return WithinTest.create(sums, counts, scale)
    return BetweenTest.create(sums, counts, scale, draws)


def difference_p(values: Values, first: Values, clusters: Values, draws: int = DRAWS) -> float:
    """Returns the two-sided p of no difference.

    NaN if a side has fewer than two clusters; 1 if all values are equal.
    """
    test = create_test(values, first, clusters, draws)
    if test is not None:
        return test.p()
    is_known, is_first = ~np.isnan(np.asarray(values, dtype=float)), np.asarray(first, dtype=bool)
    return 1.0 if _count_fewest(is_first[is_known], np.asarray(clusters)[is_known]) >= 2 else nan


def _count_fewest(is_first: npt.NDArray[np.bool_], clusters: npt.NDArray[Any]) -> int:
    """Returns the number of clusters of the side that has fewer."""
    return min(len(np.unique(clusters[side])) for side in (is_first, ~is_first))


def correct_skewness(t: Floats, skewness: Floats) -> Floats:
    """Returns t without the skewness that it inherits from that of the difference of means.

    This is Hall's transformation of t with the skewness γ: t + γt²/3 + γ²t³/27 + γ/6, which increases with t.
    """
    with np.errstate(invalid="ignore"):
        product = skewness * t / 3
        corrected = t * (1 + product * (1 + product / 3)) + skewness / 6
    found: Floats = np.where(np.isfinite(t), corrected, t)
    return found


def _restore_skewness(corrected: float, skewness: float) -> float:
    """Returns the t whose corrected value is given."""
    if abs(skewness) < _STRAIGHT:
        return corrected
    return float((np.cbrt(1 + skewness * (corrected - skewness / 6)) - 1) * 3 / skewness)


def compare_between_clusters(sums: Floats, counts: Floats, sides: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the difference of means, its variance and third moment for each row of ``sides``.

    ``sides`` (ways × clusters) is 1 for the clusters of the first side. ``sums`` and ``counts`` are those of
    the values of each cluster. The third moment is 0 if a side has two clusters.
    """
    powers = [(degree - n, n) for degree in range(4) for n in range(degree + 1)]
    moments = np.array([sums**power * counts**n for power, n in powers])
    of_first = np.array([sides @ moment for moment in moments])  # faster than one matrix product
    found = [
        _estimate_moments(dict(zip(powers, own)))
        for own in (of_first, moments.sum(axis=1)[:, None] - of_first)
    ]
    (mean, variance, third), (other_mean, other_variance, other_third) = found
    return mean - other_mean, variance + other_variance, third - other_third


def _estimate_moments(sums: dict[tuple[int, int], Floats]) -> tuple[Floats, Floats, Floats]:
    """Returns a mean, its variance and its third central moment.

    ``sums[p, n]`` are the sums over clusters of (sum of the values)ᵖ × (number of values)ⁿ.
    """
    size, n = sums[0, 0], sums[0, 1]
    mean = sums[1, 0] / n
    second_moments = sums[2, 0], -2 * mean * sums[1, 1], mean**2 * sums[0, 2]
    second = sum(second_moments)
    second = np.where(second < ROUNDING * (second_moments[0] + second_moments[2]), 0, second)
    third = sums[3, 0] - 3 * mean * sums[2, 1] + 3 * mean**2 * sums[1, 2] - mean**3 * sums[0, 3]
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(size > 2, size**2 / ((size - 1) * (size - 2)), 0)
    return mean, second * size / (size - 1) / n**2, np.where(second > 0, third * factor, 0) / n**3


@lru_cache(maxsize=8)
def _draw_sides(size: int, first: int, draws: int) -> Floats:
    """Returns which ``first`` of ``size`` clusters are on one side: all permutations, or random ones."""
    if comb(size, first) <= draws:
        chosen = np.array(list(combinations(range(size), first)))
    else:
        chosen = np.random.default_rng(SEED).random((draws, size)).argsort(axis=1)[:, :first]
    sides = np.zeros((len(chosen), size))
    np.put_along_axis(sides, chosen, 1, axis=1)
    return sides
