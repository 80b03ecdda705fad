"""Compares pairs of conditions: difference of means with its interval, effect sizes and p values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardlab.analysis.inference.clusters import (
    DRAWS,
    LEVEL,
    MIN_CLUSTERS,
    SEED,
    ClusteredSample,
    Floats,
    Values,
    bootstrap_weights,
    quantile_bounds,
    sum_by_side,
)
from cardlab.analysis.inference.intervals import BOOTSTRAP, BOUNDS, NEWCOMBE, NONE, STUDENT, estimate_interval
from cardlab.analysis.inference.permutation import permutation_p


class Comparison(NamedTuple):
    """The comparison of two conditions.

    ``difference`` is the mean of ``first`` minus that of ``second``, ``low`` and ``high`` its interval by
    ``method``. Both effect sizes are positive if ``first`` has the greater values. ``p`` is two-sided, by
    permutation of clusters; ``p_holm`` is adjusted for the number of pairs.
    """

    first: str
    second: str
    n_first: int
    n_second: int
    clusters_first: int
    clusters_second: int
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    difference: float
    low: float
    high: float
    method: str
    hedges_g: float
    rank_biserial: float
    p: float
    p_holm: float = nan


def compare_conditions(
    values: Values,
    conditions: Values,
    clusters: Values,
    draws: int = DRAWS,
    within: tuple[float, float] = BOUNDS,
) -> list[Comparison]:
    """Compares each pair of conditions, in the order of their names.

    A cluster may have values of several conditions. Then it is drawn with all of them, and the permutations
    exchange the two conditions within clusters. For shares the interval is Newcombe's if the bootstrap cannot
    be used (Stat. Med. 17 (1998) 873, method 10).

    Parameters:
        values: the numbers; NaN is left out.
        conditions: the condition of each value.
        clusters: the cluster of each value.
        draws: the number of bootstrap samples and permutations.
        within: the possible range of a mean, (0, 1) for shares.
    """
    number = np.asarray(values, dtype=float)
    is_known = ~np.isnan(number)
    number, condition = number[is_known], np.asarray(conditions).astype(str)[is_known]
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1][is_known]
    comparisons = []
    for first, second in combinations(np.unique(condition), 2):
        in_pair = np.isin(condition, (first, second))
        pair = _Pair.create(number[in_pair], condition[in_pair] == first, cluster[in_pair])
        comparisons.append(pair.compare(str(first), str(second), draws, within))
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison._replace(p_holm=p) for comparison, p in zip(comparisons, adjusted)]


class _Pair(NamedTuple):
    """The values of two conditions. ``is_first`` says of each value whether it belongs to the first."""

    values: Floats
    is_first: npt.NDArray[np.bool_]
    cluster: npt.NDArray[np.int64]
    first: ClusteredSample
    second: ClusteredSample

    @classmethod
    def create(cls, values: Floats, is_first: npt.NDArray[np.bool_], cluster: npt.NDArray[np.int64]) -> _Pair:
        first, second = (
            ClusteredSample.create(values[side], cluster[side]) for side in (is_first, ~is_first)
        )
        return cls(values, is_first, cluster, first, second)

    def compare(
        self, first_name: str, second_name: str, draws: int, within: tuple[float, float]
    ) -> Comparison:
        first, second = self.first, self.second
        low, high, method = self.difference_interval(draws, within)
        return Comparison(
            first=first_name,
            second=second_name,
            n_first=first.n,
            n_second=second.n,
            clusters_first=first.size,
            clusters_second=second.size,
            mean_first=first.mean,
            mean_second=second.mean,
            sd_first=first.deviation,
            sd_second=second.deviation,
            difference=first.mean - second.mean,
            low=low,
            high=high,
            method=method,
            hedges_g=hedges_g(first.values, second.values),
            rank_biserial=rank_biserial(first.values, second.values),
            p=permutation_p(self.values, self.is_first, self.cluster, draws),
        )

    def difference_interval(self, draws: int, within: tuple[float, float]) -> tuple[float, float, str]:
        """Returns the bounds of the difference of means and the method."""
        first, second = self.first, self.second
        difference, min_size = first.mean - second.mean, min(first.size, second.size)
        cluster = np.unique(self.cluster, return_inverse=True)[1]
        sums, counts = sum_by_side(self.values, self.is_first, cluster)
        is_crossed = bool((counts > 0).all(axis=0).any())
        agree = first.agrees and second.agrees
        if within == (0, 1) and (min_size < MIN_CLUSTERS or agree) and not is_crossed:
            return self._newcombe_interval(draws)
        if min_size < 2 or (agree and not is_crossed):
            return nan, nan, NONE
        # The contributions of the clusters to the error; the sum of their squares is the variance.
        deviations = (sums[0] - first.mean * counts[0]) / first.n - (
            sums[1] - second.mean * counts[1]
        ) / second.n
        if is_crossed:
            size = len(deviations)
            freedom, plugin = float(size - 1), float((deviations**2).sum())
            variance = plugin * size / (size - 1)
        else:
            freedom, plugin, variance = self._welch_variance()
        if not plugin > 0:
            return nan, nan, NONE
        t = float(stats.t.ppf((1 + LEVEL) / 2, freedom))
        if min_size < MIN_CLUSTERS:
            width = within[1] - within[0]
            half_width = t * sqrt(variance)
            return max(-width, difference - half_width), min(width, difference + half_width), STUDENT
        if is_crossed:
            weights = bootstrap_weights(len(deviations), draws)
            means = [(weights @ sums[side]) / np.maximum(weights @ counts[side], 1) for side in (0, 1)]
        else:
            means = [first.bootstrap_means(draws), second.bootstrap_means(draws, SEED + 1)]
        tail = float(stats.norm.cdf(-t * sqrt(variance / plugin)))
        return *quantile_bounds(means[0] - means[1], tail), BOOTSTRAP

    def _newcombe_interval(self, draws: int) -> tuple[float, float, str]:
        first, second = (
            estimate_interval(side.values, side.cluster, (0, 1), draws) for side in (self.first, self.second)
        )
        difference = self.first.mean - self.second.mean
        below = np.hypot(first.estimate - first.low, second.high - second.estimate)
        above = np.hypot(first.high - first.estimate, second.estimate - second.low)
        return float(difference - below), float(difference + above), NEWCOMBE

    def _welch_variance(self) -> tuple[float, float, float]:
        """Returns the degrees of freedom, and the variance without and with Bessel's correction."""
        sides = self.first, self.second
        variances = [side.variance for side in sides]
        variance = sum(variances)
        plugin = sum(own * (side.size - 1) / side.size for own, side in zip(variances, sides))
        terms = sum(own**2 / (side.size - 1) for own, side in zip(variances, sides))
        return variance**2 / terms, plugin, variance


def hedges_g(first: Values, second: Values) -> float:
    """Returns the difference of means in units of the pooled SD; NaN if the SD is undefined or 0.

    Has Hedges' correction for small samples, J. Educ. Stat. 6 (1981) 107.
    """
    first_values, second_values = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    freedom = len(first_values) + len(second_values) - 2
    if min(len(first_values), len(second_values)) < 1 or freedom < 1:
        return nan
    squares = sum(((side - side.mean()) ** 2).sum() for side in (first_values, second_values))
    if not squares > 0:
        return nan
    return float(
        (first_values.mean() - second_values.mean()) / sqrt(squares / freedom) * (1 - 3 / (4 * freedom - 1))
    )


def rank_biserial(first: Values, second: Values) -> float:
    """Returns the share of pairs with the greater value in ``first`` minus the share with the smaller one.

    This is Cliff's delta. NaN if a side has no value.
    """
    pairs = np.size(first) * np.size(second)
    if not pairs:
        return nan
    u = stats.mannwhitneyu(first, second, method="asymptotic").statistic
    return float(2 * u / pairs - 1)


def holm(ps: Sequence[float]) -> list[float]:
    """Returns the p values adjusted by Holm's method, Scand. J. Stat. 6 (1979) 65.

    NaN stays NaN and is not counted as a test.
    """
    order = [int(index) for index in np.argsort(ps) if not np.isnan(ps[index])]
    adjusted, max_p = [nan] * len(ps), 0.0
    for remaining, index in zip(range(len(order), 0, -1), order):
        max_p = max(max_p, min(1.0, remaining * ps[index]))
        adjusted[index] = max_p
    return adjusted
