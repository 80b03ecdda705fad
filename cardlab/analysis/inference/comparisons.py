"""Compares pairs of conditions: difference of means with its interval, effect sizes and p values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardlab.analysis.inference.clusters import DRAWS, LEVEL, ClusteredSample, Floats, Values
from cardlab.analysis.inference.difference_test import BetweenTest, WithinTest, create_test
from cardlab.analysis.inference.intervals import BOUNDS, NEWCOMBE, NONE, estimate_interval


class Comparison(NamedTuple):
    """The comparison of two conditions.

    ``difference`` is the mean of ``first`` minus that of ``second``. ``low`` and ``high``, its interval, and
    the two-sided ``p`` are by the same ``method``: p is at most 0.05 if and only if the interval excludes 0.
    Both effect sizes are positive if ``first`` has the greater values. ``p_holm`` is adjusted for the number
    of pairs. ``p_equivalence`` tests the null hypothesis of a difference outside the equivalence bounds; NaN
    without bounds. ``bayes_factor`` is BF₁₀, a difference against none.
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
    p_equivalence: float = nan
    bayes_factor: float = nan


def compare_conditions(
    values: Values,
    conditions: Values,
    clusters: Values,
    draws: int = DRAWS,
    within: tuple[float, float] = BOUNDS,
    equivalence: float | None = None,
    persons: Values | None = None,
) -> list[Comparison]:
    """Compares each pair of conditions, in the order of their names.

    The test is Welch's t, or the paired t if clusters have values of both conditions
    (:mod:`cardlab.analysis.inference.difference_test`). For shares that do not vary, the interval is
    Newcombe's (Stat. Med. 17 (1998) 873, method 10).

    Parameters:
        values: the numbers; NaN is left out.
        conditions: the condition of each value.
        clusters: the cluster of each value.
        draws: the number of permutations.
        within: the possible range of a mean, (0, 1) for shares.
        equivalence: the smallest difference of interest.
        persons: the person of each value, for a comparison within persons. Persons without values in both
            conditions are left out.
    """
    number = np.asarray(values, dtype=float)
    is_known = ~np.isnan(number)
    number, condition = number[is_known], np.asarray(conditions).astype(str)[is_known]
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1][is_known]
    person = None if persons is None else np.unique(np.asarray(persons), return_inverse=True)[1][is_known]
    comparisons = []
    for first, second in combinations(np.unique(condition), 2):
        in_pair = np.isin(condition, (first, second))
        if person is not None:
            in_pair &= _has_both(person, condition, first, second)
            if not in_pair.any():
                continue
        pair = _Pair.create(number[in_pair], condition[in_pair] == first, cluster[in_pair])
        comparisons.append(pair.compare(str(first), str(second), draws, within, equivalence))
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison._replace(p_holm=p) for comparison, p in zip(comparisons, adjusted)]


def _has_both(
    person: npt.NDArray[np.int64], condition: npt.NDArray[np.str_], first: str, second: str
) -> npt.NDArray[np.bool_]:
    """Returns which values are of persons who have values in both conditions."""
    people = np.intersect1d(person[condition == first], person[condition == second])
    return np.isin(person, people)


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
        self,
        first_name: str,
        second_name: str,
        draws: int,
        within: tuple[float, float],
        equivalence: float | None,
    ) -> Comparison:
        first, second = self.first, self.second
        test = create_test(self.values, self.is_first, self.cluster, draws)
        low, high, p, method = self.infer(test, draws, within)
        p_equivalence = factor = nan
        if test is not None and method not in (NEWCOMBE, NONE):
            factor = test.bayes_factor()
            p_equivalence = nan if equivalence is None else test.equivalence_p(equivalence)
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
            p=p,
            p_equivalence=p_equivalence,
            bayes_factor=factor,
        )

    def infer(
        self, test: BetweenTest | WithinTest | None, draws: int, within: tuple[float, float]
    ) -> tuple[float, float, float, str]:
        """Returns the bounds of the difference of means, p and the method, which is the same for both."""
        is_constant = self.first.is_constant and self.second.is_constant
        if test is None or (is_constant and isinstance(test, BetweenTest)):
            return self._infer_from_constants(test, draws, within)
        if test.standard_error == 0:
            return nan, nan, test.p(), NONE
        width = within[1] - within[0]
        low, high = test.interval()
        return max(-width, low), min(width, high), test.p(), test.method

    def _infer_from_constants(
        self, test: BetweenTest | None, draws: int, within: tuple[float, float]
    ) -> tuple[float, float, float, str]:
        """Returns bounds, p and method if neither side varies, or one has fewer than two clusters."""
        p = test.p() if test else nan if min(self.first.size, self.second.size) < 2 else 1.0
        is_crossed = bool(np.isin(self.cluster[self.is_first], self.cluster[~self.is_first]).any())
        if within != (0, 1) or is_crossed:
            return nan, nan, p, NONE
        first, second = (
            estimate_interval(side.values, side.cluster, (0, 1), draws) for side in (self.first, self.second)
        )
        difference = self.first.mean - self.second.mean
        low = difference - float(np.hypot(first.estimate - first.low, second.high - second.estimate))
        high = difference + float(np.hypot(first.high - first.estimate, second.estimate - second.low))
        if not p < 1 - LEVEL:  # too few clusters for the test to reject
            low, high = min(low, 0.0), max(high, 0.0)
        return low, high, p, NEWCOMBE


def hedges_g(first: Values, second: Values) -> float:
    """Returns the difference of means in units of the pooled SD; NaN if the SD is undefined or 0.

    Has Hedges' correction for small samples, J. Educ. Stat. 6 (1981) 107.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    freedom = len(one) + len(other) - 2
    if min(len(one), len(other)) < 1 or freedom < 1:
        return nan
    squares = sum(((side - side.mean()) ** 2).sum() for side in (one, other))
    if not squares > 0:
        return nan
    return float((one.mean() - other.mean()) / sqrt(squares / freedom) * (1 - 3 / (4 * freedom - 1)))


def rank_biserial(first: Values, second: Values) -> float:
    """Returns the share of pairs with the greater value in ``first`` minus the share with the smaller one.

    This is Cliff's delta. NaN if a side has no value.
    """
    pairs = np.size(first) * np.size(second)
    if not pairs:
        return nan
    u = stats.mannwhitneyu(first, second, method="asymptotic").statistic
    return float(2 * u / pairs - 1)


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Returns p values adjusted for the false discovery rate, J. R. Stat. Soc. B 57 (1995) 289.

    NaN stays NaN and is not counted as a test.
    """
    adjusted = np.asarray(ps, dtype=float)
    is_known = ~np.isnan(adjusted)
    adjusted[is_known] = stats.false_discovery_control(adjusted[is_known]) if is_known.any() else nan
    return [float(p) for p in adjusted]


def holm(ps: Sequence[float]) -> list[float]:
    """Returns the p values adjusted by Holm's method, Scand. J. Stat. 6 (1979) 65.

    NaN stays NaN and is not counted as a test.
    """
    order = [int(index) for index in np.argsort(ps) if not np.isnan(ps[index])]
    adjusted, highest = [nan] * len(ps), 0.0
    for left, index in zip(range(len(order), 0, -1), order):
        highest = max(highest, min(1.0, left * ps[index]))
        adjusted[index] = highest
    return adjusted
