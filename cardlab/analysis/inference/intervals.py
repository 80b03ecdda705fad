"""Estimates means with 95 % intervals, over clusters.

The method depends on the data, and :class:`Interval` names it:

- a share of truth values, one per cluster: Wilson's score interval, J. Am. Stat. Assoc. 22 (1927) 209;
- a share in at least six clusters that differ: Wilson's with the effective sample size, the number of
  independent values that would have the same variance;
- a share in fewer clusters, or in clusters that agree: Wilson's, with each cluster as one observation, which
  assumes the greatest possible dependence within clusters. So its width is never zero;
- a mean in at least six clusters that differ: the cluster bootstrap, with percentiles widened for few
  clusters (:func:`cardlab.analysis.inference.clusters.expanded_tail`);
- a mean in fewer clusters: Student's t with the variance between clusters, limited to the possible range;
- else none, because the variance cannot be estimated from one cluster or from clusters that agree.
"""

from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from cardlab.analysis.inference.clusters import (
    DRAWS,
    LEVEL,
    MIN_CLUSTERS,
    ROUNDING,
    ClusteredSample,
    Values,
    expanded_tail,
    quantile_bounds,
)

BOUNDS = (-inf, inf)  # the default range of a mean
MIN_CORRELATED = 4  # clusters for the interval of a correlation

WILSON = "Wilson"
WILSON_EFFECTIVE = "Wilson, effective sample size"
WILSON_OF_CLUSTERS = "Wilson, a cluster as one observation"
BOOTSTRAP = "cluster bootstrap"
STUDENT = "Student's t over clusters"
NEWCOMBE = "Newcombe"
BONETT_WRIGHT = "Bonett and Wright"
NONE = "none"


class Interval(NamedTuple):
    """An estimate with its interval.

    ``low`` and ``high`` are NaN if there is no interval. ``n`` is the number of values, ``clusters`` that of
    clusters, and ``method`` is one of the names above.
    """

    estimate: float
    low: float
    high: float
    n: int
    clusters: int
    method: str


def wilson_interval(successes: float, n: int) -> Interval:
    """Returns Wilson's score interval of ``successes`` in ``n`` independent trials.

    It has no continuity correction. ``successes`` may be a sum of shares, each of which counts as one trial.
    """
    if not n:
        return Interval(nan, nan, nan, 0, 0, NONE)
    share = float(successes / n)
    low, high = _wilson_bounds(share, n, float(stats.norm.ppf((1 + LEVEL) / 2)))
    low, high = 0.0 if successes == 0 else low, 1.0 if successes == n else high  # without rounding errors
    return Interval(share, low, high, n, n, WILSON)


def estimate_interval(
    values: Values, clusters: Values, within: tuple[float, float] = BOUNDS, draws: int = DRAWS
) -> Interval:
    """Returns the mean of the values with its interval.

    Parameters:
        values: the numbers; NaN is left out.
        clusters: the cluster of each value.
        within: the possible range of the values, (0, 1) for truth values and shares.
        draws: the number of bootstrap samples.

    Raises:
        ValueError: If a value is outside of the range.
    """
    sample = ClusteredSample.create(values, clusters)
    if not sample.n:
        return Interval(nan, nan, nan, 0, 0, NONE)
    if not (within[0] <= sample.values.min() and sample.values.max() <= within[1]):
        raise ValueError(f"A value is outside the possible range, {within[0]:g} to {within[1]:g}.")
    if within == (0, 1):
        return _share_interval(sample)
    if sample.size < 2 or sample.is_constant:
        return Interval(sample.mean, nan, nan, sample.n, sample.size, NONE)
    if sample.size < MIN_CLUSTERS:
        half_width = stats.t.ppf((1 + LEVEL) / 2, sample.size - 1) * sqrt(sample.variance)
        low, high = max(within[0], sample.mean - half_width), min(within[1], sample.mean + half_width)
        return Interval(sample.mean, low, high, sample.n, sample.size, STUDENT)
    low, high = quantile_bounds(sample.bootstrap_means(draws), expanded_tail(sample.size))
    return Interval(sample.mean, low, high, sample.n, sample.size, BOOTSTRAP)


def rank_correlation(first: Values, second: Values, clusters: Values) -> Interval:
    """Returns Spearman's rank correlation with its interval (Bonett and Wright, Psychometrika 65 (2000) 23).

    Each cluster counts as one observation, which assumes the greatest possible dependence within clusters. A
    pair with a NaN is left out. The correlation is NaN if a side does not vary, and the interval is NaN for
    fewer than four clusters.
    """
    pairs, names = np.array([first, second], dtype=float), np.asarray(clusters)
    is_known = ~np.isnan(pairs).any(0)
    pairs, size = pairs[:, is_known], len(np.unique(names[is_known]))
    n = int(is_known.sum())
    if n < 2 or (np.ptp(pairs, axis=1) == 0).any():
        return Interval(nan, nan, nan, n, size, NONE)
    r = float(stats.spearmanr(*pairs).statistic)
    if size < MIN_CORRELATED or abs(r) > 1 - ROUNDING:
        return Interval(r, nan, nan, n, size, NONE)
    half_width = stats.norm.ppf((1 + LEVEL) / 2) * sqrt((1 + r**2 / 2) / (size - 3))
    low, high = np.tanh(np.arctanh(r) + np.array([-half_width, half_width]))
    return Interval(r, float(low), float(high), n, size, BONETT_WRIGHT)


def _share_interval(sample: ClusteredSample) -> Interval:
    """Returns the interval of a share by Wilson's method.

    With several values per cluster the number of trials is the effective sample size, and Student's t
    replaces the normal quantile (Dean & Pagano, J. Surv. Stat. Methodol. 3 (2015) 484). If there are too few
    clusters to estimate their variance, or if all agree, each is one trial.
    """
    if sample.n == sample.size and np.isin(sample.values, (0, 1)).all():
        return wilson_interval(float(sample.values.sum()), sample.n)
    if sample.size < MIN_CLUSTERS or sample.is_constant:
        interval = wilson_interval(sample.mean * sample.size, sample.size)
        return interval._replace(estimate=sample.mean, n=sample.n, method=WILSON_OF_CLUSTERS)
    trials = min(sample.n, sample.mean * (1 - sample.mean) / sample.variance)
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, sample.size - 1))
    low, high = _wilson_bounds(sample.mean, trials, quantile)
    return Interval(sample.mean, low, high, sample.n, sample.size, WILSON_EFFECTIVE)


def _wilson_bounds(share: float, trials: float, quantile: float) -> tuple[float, float]:
    square = quantile**2 / trials
    middle = (share + square / 2) / (1 + square)
    half_width = quantile / (1 + square) * sqrt(share * (1 - share) / trials + square / (4 * trials))
    return max(0.0, middle - half_width), min(1.0, middle + half_width)
