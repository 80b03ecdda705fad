"""Tests the difference of two means by permutation, with Welch's t over clusters, and inverts the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, inf, nan
from typing import Any

import numpy as np
from scipy import stats

from cardlab.analysis.inference.bayes_factors import bayes_factor
from cardlab.analysis.inference.clusters import DRAWS, LEVEL, ROUNDING, SEED, Floats, Values, sum_by_side

_EXPANSIONS, _BISECTIONS = 12, 16  # of a bound: doublings of its distance, then halvings of its error


@dataclass(frozen=True)
class DifferenceTest:
    """Tests of the difference of means between values with ``is_first`` true and false.

    The statistic is Welch's t, the difference divided by its standard error between clusters. A permutation
    test of the difference itself would reject far too often if the smaller group varies more, because it
    tests equality of the distributions, not of the means (Janssen, Stat. Probab. Lett. 36 (1997) 9; Chung &
    Romano, Ann. Stat. 41 (2013) 484).

    If no cluster has values on both sides, whole clusters change sides; otherwise both sides are exchanged
    within clusters. If there are at most ``draws`` permutations, all are used. Otherwise ``draws`` are drawn,
    and the data themselves count as one more (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39).

    Attributes:
        sums, counts: of the values of each side and cluster, 2 × clusters. Values are centred and divided by
            ``scale``, the range of all values.
        relabelings: which clusters are on the first side, or exchange their sides; one row per permutation,
            the first row for the data.
        is_within: whether both sides are exchanged within clusters.
        ways: how many permutations there are.
        is_complete: whether all of them are in ``relabelings``.
    """

    sums: Floats
    counts: Floats
    scale: float
    relabelings: Floats
    is_within: bool
    ways: int
    is_complete: bool

    @classmethod
    def create(
        cls, values: Values, first: Values, clusters: Values, draws: int = DRAWS
    ) -> DifferenceTest | None:
        """Creates a test; None if a side has fewer than two clusters, or if all values are equal."""
        number, is_first = np.asarray(values, dtype=float), np.asarray(first, dtype=bool)
        is_known = ~np.isnan(number)
        number, is_first = number[is_known], is_first[is_known]
        _names, cluster = np.unique(np.asarray(clusters)[is_known], return_inverse=True)
        fewest = min(len(np.unique(cluster[side])) for side in (is_first, ~is_first))
        if fewest < 2 or np.ptp(number) == 0:
            return None
        scale = float(np.ptp(number))
        sums, counts = sum_by_side((number - number.mean()) / scale, is_first, cluster)
        size, is_within = sums.shape[1], bool((counts > 0).all(axis=0).any())
        if is_within:
            ways, relabelings = 2**size, _draw_swaps(size, draws)
        else:
            side = (counts[0] > 0).astype(float)
            ways = comb(size, int(side.sum()))
            relabelings = np.vstack([side, _draw_sides(size, int(side.sum()), draws)])
        return cls(sums, counts, scale, relabelings, is_within, ways, ways <= draws)

    @property
    def can_reject(self) -> bool:
        """Whether the least possible p, of two permutations, is below 1 − ``LEVEL``."""
        return 2 / self.ways < 1 - LEVEL

    @property
    def difference(self) -> float:
        """The difference of means."""
        return float(self._differences[0][0]) * self.scale

    @property
    def standard_error(self) -> float:
        """The standard error of the difference of means between clusters; 0 if no side varies."""
        return float(np.sqrt(self._variances[0][0])) * self.scale

    def t(self, shift: float = 0.0) -> Floats:
        """Returns the t of the data, then that of each permutation, if the true difference is ``shift``."""
        x, differences, variances = shift / self.scale, self._differences, self._variances
        terms = variances[0], x * variances[1], x**2 * variances[2]
        variance = sum(terms)
        variance = np.where(variance < ROUNDING * sum(map(np.abs, terms)), 0, variance)
        return _studentize(differences[0] + x * differences[1], variance)

    @cached_property
    def _at_three_shifts(self) -> list[tuple[Floats, Floats]]:
        """The differences and variances of all permutations if the true difference is −1, 0 and 1 scale."""
        found = []
        for shift in (-1.0, 0.0, 1.0):
            sums = self.sums - np.array([[shift], [0.0]]) * self.counts
            if self.is_within:
                found.append(compare_within_clusters(sums, self.counts, self.relabelings))
            else:
                sums, counts = sums.sum(axis=0), self.counts.sum(axis=0)
                found.append(compare_between_clusters(sums, counts, self.relabelings))
        return found

    @cached_property
    def _differences(self) -> tuple[Floats, Floats]:
        """The coefficients of the differences, which are linear in the shift."""
        below, at, above = (difference for difference, _variance in self._at_three_shifts)
        return at, (above - below) / 2

    @cached_property
    def _variances(self) -> tuple[Floats, Floats, Floats]:
        """The coefficients of the variances, which are quadratic in the shift."""
        below, at, above = (variance for _difference, variance in self._at_three_shifts)
        return at, (above - below) / 2, (above + below) / 2 - at

    def p(self, shift: float = 0.0, measure: Callable[[Any], Any] = np.abs) -> float:
        """Returns the p of the hypothesis that the true difference is ``shift``.

        ``measure`` says how far a t is from the hypothesis: its size, or for a one-sided test itself or its
        negative.
        """
        t = measure(self.t(shift))
        own, others = t[0], t[1:][~np.isnan(t[1:])]
        margin = 1e-9 * abs(own) if np.isfinite(own) else 0
        beyond = int((others >= own - margin - ROUNDING).sum())
        return beyond / len(others) if self.is_complete else (beyond + 1) / (len(others) + 1)

    def interval(self) -> tuple[float, float]:
        """Returns the bounds of the differences that the test does not reject at 1 − ``LEVEL``.

        So the interval contains 0 if and only if the p of no difference is at least 1 − ``LEVEL``.
        """
        difference, error = self.difference, self.standard_error
        accepts_0 = self.p() >= 1 - LEVEL
        low, high = (self._bound(difference, sign * error, accepts_0) for sign in (-1, 1))
        return low, high

    def equivalence_p(self, bound: float) -> float:
        """Returns the p of a true difference of at least ``bound`` in size: two one-sided tests (Schuirmann).

        By the t distribution, if there are too few clusters to permute.
        """
        if self.can_reject:
            return max(self.p(-bound, lambda t: t), self.p(bound, np.negative))
        nearest = (bound - abs(self.difference)) / self.standard_error
        return float(stats.t.sf(nearest, self._freedom()))

    def welch(self) -> tuple[float, float, float]:
        """Returns p and interval by Welch's or the paired t distribution, for clusters too few to permute."""
        difference, error = self.difference, self.standard_error
        freedom = self._freedom()
        t = difference / error if error else inf
        half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * error
        return float(2 * stats.t.sf(abs(t), freedom)), difference - half, difference + half

    def bayes_factor(self) -> float:
        """Returns how many times likelier the t over clusters is under a difference than without one.

        NaN if no side varies.
        """
        if self.standard_error == 0:
            return nan
        first, second = (int((counts > 0).sum()) for counts in self.counts)
        size, freedom = first * second / (first + second), first + second - 2
        if self.is_within:
            size, freedom = self.sums.shape[1], self.sums.shape[1] - 1
        return bayes_factor(self.difference / self.standard_error, size, freedom)

    def _freedom(self) -> float:
        """Returns Welch's degrees of freedom, or the number of clusters minus one within clusters."""
        if self.is_within:
            return self.sums.shape[1] - 1
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


def permutation_p(values: Values, first: Values, clusters: Values, draws: int = DRAWS) -> float:
    """Returns the two-sided p of :class:`DifferenceTest`.

    NaN if a side has fewer than two clusters, because its variance cannot be estimated; 1 if all values are
    equal.
    """
    if test := DifferenceTest.create(values, first, clusters, draws):
        return test.p()
    number, is_first = np.asarray(values, dtype=float), np.asarray(first, dtype=bool)
    names = [np.asarray(clusters)[side & ~np.isnan(number)] for side in (is_first, ~is_first)]
    return 1.0 if min(len(np.unique(own)) for own in names) >= 2 else nan


def compare_between_clusters(sums: Floats, counts: Floats, sides: Floats) -> tuple[Floats, Floats]:
    """Returns the difference of means and its variance for each row of ``sides``.

    ``sides`` (ways × clusters) is 1 for the clusters of the first side. ``sums`` and ``counts`` are those of
    the values of each cluster.
    """
    moments = np.array([np.ones(len(sums)), sums, counts, sums**2, sums * counts, counts**2])
    first = np.array([sides @ moment for moment in moments])  # faster than one product of matrices
    means, variances = [], []
    for own in (first, moments.sum(axis=1)[:, None] - first):
        sizes, total, n, squares, products, counts_squared = own
        mean = total / n
        deviations = squares - 2 * mean * products + mean**2 * counts_squared
        deviations[deviations < ROUNDING * (squares + mean**2 * counts_squared)] = 0
        means.append(mean)
        variances.append(deviations * sizes / (sizes - 1) / n**2)
    return means[0] - means[1], variances[0] + variances[1]


def compare_within_clusters(sums: Floats, counts: Floats, swaps: Floats) -> tuple[Floats, Floats]:
    """Returns the difference of means and its variance for each row of ``swaps``.

    ``swaps`` (ways × clusters) is 1 where a cluster exchanges its sides. ``sums`` and ``counts`` are those of
    the values of each side and cluster (2 × clusters). For clusters with one value on each side, the variance
    is that of the paired t.
    """
    cells = np.array([sums[0], counts[0], sums[1], counts[1]])
    kept, exchanged = (np.einsum("ic,jc->cij", own, own) for own in (cells, cells[[2, 3, 0, 1]]))
    size = sums.shape[1]
    products = kept.sum(axis=0) + (swaps @ (exchanged - kept).reshape(size, 16)).reshape(-1, 4, 4)
    total = cells.sum(axis=1) + swaps @ (cells[[2, 3, 0, 1]] - cells).T
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total[:, 0] / total[:, 1], total[:, 2] / total[:, 3]
        # A cluster's contribution to the difference of means is the product of these weights and its cells.
        n, m = total[:, 1], total[:, 3]
        weights = np.column_stack([1 / n, -means[0] / n, -1 / m, means[1] / m])
        deviations = np.einsum("wi,wij,wj->w", weights, products, weights)
        scale = np.einsum("wi,wij,wj->w", abs(weights), abs(products), abs(weights))
    deviations[deviations < ROUNDING * scale] = 0
    return means[0] - means[1], deviations * size / (size - 1)


def _studentize(differences: Floats, variances: Floats) -> Floats:
    """Divides differences by the root of their variances: infinite for variance 0, but 0 stays 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = differences / np.sqrt(variances)
    return np.where(np.abs(differences) < ROUNDING, 0.0, t)


def _draw_swaps(size: int, draws: int) -> Floats:
    """Returns which of ``size`` clusters exchange their sides, one row per permutation; none in the first."""
    if 2**size <= draws:
        swaps = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    else:
        swaps = np.random.default_rng(SEED).integers(2, size=(draws, size))
    return np.vstack([np.zeros((1, size)), swaps])


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
