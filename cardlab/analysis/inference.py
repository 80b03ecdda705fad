"""Intervals, comparisons and tests for data in which the same people, or groups of people, come again.

A **cluster** is what was drawn independently of the others: a participant where everybody plays alone, all
who played with each other where people interact (:func:`find_clusters`). Values of one cluster may
depend on each other in any way. Everything is computed over clusters, with 2,000 draws by a fixed seed, so
that the same
data give the same numbers.

How an interval is made follows from the data, and :class:`Interval` names it:

- a share of which every cluster has one value: Wilson's score interval, J. Am. Stat. Assoc. 22 (1927) 209;
- at least six clusters that differ: the cluster bootstrap, with percentiles widened for few clusters as by
  Hesterberg, Am. Stat. 69 (2015) 371 ("expanded percentile");
- a share in fewer clusters, or in clusters that agree: Wilson's, each cluster counted as one observation,
  which is the most that values in a cluster can depend on each other. So it is never of width zero;
- a mean in fewer clusters: Student's t with the variance between clusters, cut off at what is possible;
- else none: nothing can be said on others by one cluster, or by clusters that agree in what has no bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, stats

LEVEL = 0.95
DRAWS = 2000
SEED = 1
MIN_CLUSTERS = (
    6  # clusters; of fewer not even the least and the greatest enclose the truth in 95 of 100 samples
)
BOUNDS = (-inf, inf)
_BATCH = 80  # of the draws
_TINY = 1e-12  # relative to the range of the values: less is rounding

WILSON = "Wilson"
WILSON_OF_CLUSTERS = "Wilson, a cluster as one observation"
BOOTSTRAP = "cluster bootstrap"
STUDENT = "Student's t over clusters"
NEWCOMBE = "Newcombe"
NONE = "none"

Values = Any  # what numpy makes a one-dimensional array of


class Interval(NamedTuple):
    """An estimate with its interval; ``low`` and ``high`` are NaN where none can be given. ``n`` values of
    ``clusters``; ``method`` is one of the names above."""

    estimate: float
    low: float
    high: float
    n: int
    clusters: int
    method: str


class Comparison(NamedTuple):
    """Two conditions. ``difference`` is the mean of ``first`` less that of ``second``, ``low`` and ``high``
    its interval by ``method``. Both effect sizes are positive if ``first`` has the greater values. ``p`` is
    two-sided, by permutation of clusters (:func:`permutation_p`); ``p_holm`` is adjusted for the number of
    pairs."""

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


class Survival(NamedTuple):
    """A survival curve, one row a time, the first at 0: the share of ``times`` that are longer, with its
    bounds, how many were ``at_risk`` just before, and how many had the event or were ``censored`` then."""

    time: np.ndarray
    survival: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at_risk: np.ndarray
    events: np.ndarray
    censored: np.ndarray


class Incidence(NamedTuple):
    """A curve of cumulative incidence, one row a time, the first at 0: the share that has ended by one cause
    by then, with its bounds, how many were ``at_risk`` just before, and how many ended by it or were
    ``censored`` then."""

    time: np.ndarray
    incidence: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at_risk: np.ndarray
    events: np.ndarray
    censored: np.ndarray


def wilson_interval(successes: float, n: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval, without correction for continuity, of ``successes`` out of ``n`` independent
    trials. ``successes`` may be a sum of shares, each of which counts as one trial."""
    if not n:
        return Interval(nan, nan, nan, 0, 0, NONE)
    share, z = float(successes / n), float(stats.norm.ppf((1 + level) / 2))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return Interval(share, low, high, n, n, WILSON)


def find_clusters(people: Sequence[Any], hands: Sequence[Any]) -> np.ndarray:
    """The cluster of each row: a number for all people who are joined by common hands, directly or through
    others. ``people`` and ``hands`` name them row by row."""
    who, person = np.unique(np.asarray(people), return_inverse=True)
    which, hand = np.unique(np.asarray(hands), return_inverse=True)
    size = len(who) + len(which)
    joined = sparse.coo_array((np.ones(len(person)), (person, len(who) + hand)), shape=(size, size))
    _count, of_node = sparse.csgraph.connected_components(joined, directed=False)
    return np.unique(of_node[person], return_inverse=True)[1] if len(person) else np.array([], dtype=int)


def estimate_interval(
    values: Values,
    clusters: Values,
    statistic: str = "mean",
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
    within: tuple[float, float] = BOUNDS,
) -> Interval:
    """The estimate over all values with its interval. ``clusters`` names the cluster of each value.

    ``statistic`` is "mean", "median", or "share", a mean of truths or shares between 0 and 1. ``within`` says
    between what a mean can lie. Missing values are left out. Raises ValueError for what is none of this.
    """
    sample = _Sample.of(values, clusters)
    if statistic == "share":
        within = (0, 1)
    elif statistic not in ("mean", "median"):
        raise ValueError(f"There is no statistic {statistic!r}; there are mean, median and share.")
    if sample.n and not (within[0] <= sample.values.min() and sample.values.max() <= within[1]):
        raise ValueError(f"A value lies outside what is possible, {within[0]:g} to {within[1]:g}.")
    if not sample.n:
        return Interval(nan, nan, nan, 0, 0, NONE)
    if statistic == "median":
        return _median_interval(sample, level, draws, seed)
    if within == (0, 1):
        once = sample.n == sample.size and np.isin(sample.values, (0, 1)).all()
        if once or sample.size < MIN_CLUSTERS or sample.agrees:
            found = wilson_interval(sample.mean * sample.size, sample.size, level)
            method = WILSON if once else WILSON_OF_CLUSTERS
            return found._replace(estimate=sample.mean, n=sample.n, method=method)
    if sample.size < 2 or sample.agrees:
        return Interval(sample.mean, nan, nan, sample.n, sample.size, NONE)
    if sample.size < MIN_CLUSTERS:
        half = stats.t.ppf((1 + level) / 2, sample.size - 1) * sqrt(sample.variance)
        low, high = max(within[0], sample.mean - half), min(within[1], sample.mean + half)
        return Interval(sample.mean, low, high, sample.n, sample.size, STUDENT)
    low, high = _quantile_bounds(sample.means(draws, seed), _expanded_tail(level, sample.size))
    return Interval(sample.mean, low, high, sample.n, sample.size, BOOTSTRAP)


def compare_conditions(
    values: Values,
    conditions: Values,
    clusters: Values,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
    within: tuple[float, float] = BOUNDS,
) -> list[Comparison]:
    """Each pair of conditions, in the order of their names; missing values are left out.

    A cluster may have values of several conditions: then it is drawn with all of them, and the permutations
    exchange the two conditions within clusters. Of shares give ``within=(0, 1)``: where the bootstrap cannot
    be used, the interval is Newcombe's, Stat. Med. 17 (1998) 873, no. 10, out of those of both conditions.
    """
    number = np.asarray(values, dtype=float)
    told = ~np.isnan(number)
    number, condition = number[told], np.asarray(conditions).astype(str)[told]
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1][told]
    found = []
    for first, second in combinations(np.unique(condition), 2):
        pair = np.isin(condition, (first, second))
        one = condition[pair] == first
        of_pair = _compare_pair(number[pair], one, cluster[pair], (level, draws, seed, within))
        found.append(Comparison(str(first), str(second), *of_pair))
    adjusted = holm([one.p for one in found])
    return [one._replace(p_holm=p) for one, p in zip(found, adjusted)]


def permutation_p(
    values: Values, first: Values, clusters: Values, draws: int = DRAWS, seed: int = SEED
) -> float:
    """The two-sided p of the difference of means between the values where ``first`` is true and the others.

    Permutes Welch's t, the difference divided by its standard error between clusters. Permuting the
    difference itself would reject far too often where the smaller group varies more, because it tests
    whether the two distributions are equal and not whether their means are (Janssen, Stat. Probab. Lett. 36
    (1997) 9; Chung & Romano, Ann. Stat. 41 (2013) 484).

    Where no cluster has both, whole clusters change sides, else both sides are exchanged within clusters.
    All ways are tried if there are no more than ``draws``; else so many are drawn, and the data themselves
    count as one more (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39).

    NaN if a side has fewer than two clusters, because nothing then tells how much that side varies. One side
    may be constant. Where both are constant and differ, t is infinite; where all values are equal, p is 1.
    """
    number, one = np.asarray(values, dtype=float), np.asarray(first, dtype=bool)
    told = ~np.isnan(number)
    number, one = number[told], one[told]
    _names, cluster = np.unique(np.asarray(clusters)[told], return_inverse=True)
    if min(len(np.unique(cluster[side])) for side in (one, ~one)) < 2:
        return nan
    if np.ptp(number) == 0:
        return 1.0
    sums, counts = _sum_by_side((number - number.mean()) / np.ptp(number), one, cluster)
    if (counts > 0).all(axis=0).any():
        ways = 2 ** sums.shape[1]
        t = _t_within(sums, counts, _draw_swaps(sums.shape[1], draws, seed))
    else:
        side = (counts[0] > 0).astype(float)
        ways = comb(len(side), int(side.sum()))
        sides = _draw_sides(len(side), int(side.sum()), draws, seed)
        t = _t_between(sums.sum(axis=0), counts.sum(axis=0), np.vstack([side, sides]))
    return _share_as_extreme(t[0], t[1:][~np.isnan(t[1:])], ways <= draws)


def estimate_survival(
    times: Values,
    events: Values,
    clusters: Values,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Survival:
    """How long it takes until an event: the product-limit estimate of Kaplan & Meier, J. Am. Stat. Assoc. 53
    (1958) 457. Where ``events`` is false the event had not come by that time (censored).

    Censoring must be independent of the event: use it where observation ended for a reason outside of what
    is observed, such as the end of the session. For endings that exclude the event, such as giving up, use
    :func:`estimate_incidence`.

    The bounds are the cluster bootstrap's. Where all clusters agree, and of fewer than six clusters, they are
    Wilson's, with each cluster that was not wholly censored before as one observation. At time 0 both are
    exactly 1 unless an event came then.
    """
    causes = np.where(np.asarray(events, dtype=bool), "event", "")
    (found,) = _estimate_incidences(times, causes, ["event"], clusters, (level, draws, seed))
    return Survival(found.time, 1 - found.incidence, 1 - found.high, 1 - found.low, *found[4:])


def estimate_incidence(
    times: Values,
    causes: Values,
    clusters: Values,
    names: Sequence[str] | None = None,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> dict[str, Incidence]:
    """How likely each of several endings has come by each time, where one excludes the others: the estimate
    of Aalen & Johansen, Scand. J. Stat. 5 (1978) 141.

    ``causes`` names the ending of each row; the empty text is censored, and must not depend on when which
    ending would have come. The result has an entry for each cause, in the order of ``names``; unless these
    are given, of all that occur. At each time the incidences of all causes and the share that has not ended
    add up to 1.

    The bounds are made as those of :func:`estimate_survival`. At time 0 both are exactly 0 unless that cause
    ended something then.
    """
    cause = np.asarray(causes).astype(str)
    told = cause[~np.isnan(np.asarray(times, dtype=float))]
    names = [str(name) for name in np.unique(told) if name] if names is None else names
    return dict(zip(names, _estimate_incidences(times, cause, names, clusters, (level, draws, seed))))


def _estimate_incidences(
    times: Values, causes: np.ndarray, names: Sequence[str], clusters: Values, how: tuple[float, int, int]
) -> list[Incidence]:
    """The incidence of each of the named causes."""
    level, draws, seed = how
    sample = _Sample.of(times, clusters)
    cause = causes[~np.isnan(np.asarray(times, dtype=float))]
    moments = np.unique(np.concatenate([[0.0], sample.values]))
    place = np.searchsorted(moments, sample.values)
    ended = np.zeros((len(names) + 1, sample.size, len(moments)))  # by each cause, and censored
    for number, name in enumerate((*names, "")):
        own = cause == name
        np.add.at(ended[number], (sample.cluster[own], place[own]), 1)
    at_risk = ended.sum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1]
    events, censored = ended[:-1], ended[-1].sum(axis=0).astype(int)
    estimates = _aalen_johansen(events.sum(axis=1), at_risk.sum(axis=0))
    weights = (
        bootstrap_weights(sample.size, draws, seed)
        if sample.size >= MIN_CLUSTERS
        else np.empty((0, sample.size))
    )
    samples = _aalen_johansen(weights @ events, weights @ at_risk)
    told = ((at_risk > 0) | (events.sum(axis=0).cumsum(axis=1) > 0)).sum(axis=0)
    found = []
    for number in range(len(names)):
        estimate, count = estimates[number], events[number].sum(axis=0).astype(int)
        low, high = bootstrap_bounds(samples[number], sample.size, level)
        agree = ~(high - low > 1e-9)  # those of fewer than six are NaN
        for index in np.flatnonzero((estimate == 0) | (estimate == 1) | agree):
            bounds = wilson_interval(estimate[index] * told[index], int(told[index]), level)
            low[index], high[index] = bounds.low, bounds.high
        if not count[0]:
            low[0] = high[0] = 0.0  # nothing can have ended before it began
        at_risk_then = at_risk.sum(axis=0).astype(int)
        found.append(Incidence(moments, estimate, low, high, at_risk_then, count, censored))
    return found


def _aalen_johansen(events: np.ndarray, at_risk: np.ndarray) -> np.ndarray:
    """The cumulative incidence of each cause over the last axis; ``events`` has the causes as its first axis.
    Where nobody is at risk any more the estimates stay. Rounded, so that shares add up to 1."""
    at_risk = np.maximum(at_risk, 1)
    left = np.cumprod(1 - events.sum(axis=0) / at_risk, axis=-1)
    before = np.concatenate([np.ones_like(left[..., :1]), left[..., :-1]], axis=-1)
    return np.round(np.cumsum(before * events / at_risk, axis=-1), 12)


def hedges_g(first: Values, second: Values) -> float:
    """The difference of means in units of the pooled SD, with Hedges' correction for small samples, J. Educ.
    Stat. 6 (1981) 107; NaN where the SD is none or 0."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    freedom = len(one) + len(other) - 2
    if min(len(one), len(other)) < 1 or freedom < 1:
        return nan
    squares = sum(((side - side.mean()) ** 2).sum() for side in (one, other))
    if not squares > 0:
        return nan
    return float((one.mean() - other.mean()) / sqrt(squares / freedom) * (1 - 3 / (4 * freedom - 1)))


def rank_biserial(first: Values, second: Values) -> float:
    """The share of pairs in which the value of ``first`` is the greater, less the share in which it is the
    smaller (Cliff's delta)."""
    if not len(first) or not len(second):
        return nan
    u = stats.mannwhitneyu(first, second, method="asymptotic").statistic
    return float(2 * u / (len(first) * len(second)) - 1)


def holm(ps: Sequence[float]) -> list[float]:
    """The p values adjusted for their number, by Holm, Scand. J. Stat. 6 (1979) 65. NaN stays, uncounted."""
    order = [int(index) for index in np.argsort(ps) if not np.isnan(ps[index])]
    adjusted, highest = [nan] * len(ps), 0.0
    for left, index in zip(range(len(order), 0, -1), order):
        highest = max(highest, min(1.0, left * ps[index]))
        adjusted[index] = highest
    return adjusted


class _Sample(NamedTuple):
    """Values with the number of the cluster of each, and sums and counts by cluster."""

    values: np.ndarray
    cluster: np.ndarray
    sums: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values: Values, clusters: Values) -> _Sample:
        number, names = np.asarray(values, dtype=float), np.asarray(clusters)
        if number.ndim != 1 or number.shape != names.shape:
            raise ValueError("There must be one cluster for each value.")
        told = ~np.isnan(number)
        cluster = np.unique(names[told], return_inverse=True)[1]
        return cls(number[told], cluster, np.bincount(cluster, number[told]), np.bincount(cluster))

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        return len(self.sums)

    @property
    def mean(self) -> float:
        mean = float(self.values.mean())
        return min(
            max(mean, float(self.values.min())), float(self.values.max())
        )  # rounding leads nowhere else

    @property
    def agrees(self) -> bool:
        """Whether all clusters have the same mean, so that nothing tells how much others may differ."""
        return bool(np.ptp(self.sums / self.counts) < 1e-12 * max(1.0, np.abs(self.values).max()))

    @property
    def variance(self) -> float:
        """Of the mean: between clusters, which may be of different sizes."""
        apart = self.sums - self.mean * self.counts
        return float(self.size / (self.size - 1) * (apart**2).sum() / self.n**2)

    def means(self, draws: int, seed: int) -> np.ndarray:
        sums, counts = np.empty(draws), np.empty(draws)
        for rows, weights in _iterate_batches(_draw_counts(self.size, draws, seed)):
            weights = weights.astype(float)
            sums[rows], counts[rows] = weights @ self.sums, weights @ self.counts
        return sums / counts


@lru_cache(maxsize=8)
def _draw_counts(size: int, draws: int, seed: int) -> np.ndarray:
    chance, counts = np.random.default_rng(seed), np.empty((draws, size), np.uint8)
    for _rows, part in _iterate_batches(counts):
        chosen = chance.integers(size, size=part.shape) + np.arange(len(part))[:, None] * size
        part[:] = np.bincount(chosen.ravel(), minlength=part.size).reshape(part.shape)
    return counts


def _iterate_batches(drawn: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Some of the draws after the other, and which they are: so many stay in the processor's cache."""
    for begin in range(0, len(drawn), _BATCH):
        rows = slice(begin, begin + _BATCH)
        yield rows, drawn[rows]


@lru_cache(maxsize=2)  # numbers to compute with take eight times the memory
def bootstrap_weights(size: int, draws: int = DRAWS, seed: int = SEED) -> np.ndarray:
    """How often each of ``size`` clusters is in each of the bootstrap's samples; draws × size."""
    return _draw_counts(size, draws, seed).astype(float)


def bootstrap_bounds(
    samples: np.ndarray, clusters: int, level: float = LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """The lower and upper bounds out of the bootstrap's samples (draws × anything) of so many clusters, NaN
    below ``FEWEST``."""
    if clusters < MIN_CLUSTERS:
        return np.full(samples.shape[1:], nan), np.full(samples.shape[1:], nan)
    tail = _expanded_tail(level, clusters)
    low, high = np.nanquantile(samples, (tail, 1 - tail), axis=0)
    return low, high


def _quantile_bounds(samples: np.ndarray, tail: float) -> tuple[float, float]:
    low, high = np.quantile(samples, (tail, 1 - tail))
    return float(low), float(high)


def _expanded_tail(level: float, clusters: int) -> float:
    """The share of samples beyond each bound: that of Student's t, the samples being too little apart by
    the root of (clusters − 1) / clusters."""
    wide = stats.t.ppf((1 + level) / 2, clusters - 1) * sqrt(clusters / (clusters - 1))
    return float(stats.norm.cdf(-wide))


def _median_interval(sample: _Sample, level: float, draws: int, seed: int) -> Interval:
    median = float(np.median(sample.values))
    if sample.size < MIN_CLUSTERS or np.ptp(sample.values) == 0:
        return Interval(median, nan, nan, sample.n, sample.size, NONE)
    order = np.argsort(sample.values, kind="stable")
    values, cluster = sample.values[order], sample.cluster[order]
    found = []
    for weights in bootstrap_weights(sample.size, draws, seed):
        below = np.cumsum(weights[cluster])
        places = np.searchsorted(below, below[-1] / 2, "left"), np.searchsorted(below, below[-1] / 2, "right")
        found.append((values[places[0]] + values[places[1]]) / 2)
    low, high = _quantile_bounds(np.array(found), _expanded_tail(level, sample.size))
    return Interval(median, low, high, sample.n, sample.size, BOOTSTRAP)


def _sum_by_side(values: np.ndarray, one: np.ndarray, cluster: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums and counts of both sides, 2 × clusters."""
    size = cluster.max() + 1
    sums = [np.bincount(cluster[side], values[side], size) for side in (one, ~one)]
    counts = [np.bincount(cluster[side], minlength=size) for side in (one, ~one)]
    return np.array(sums), np.array(counts, dtype=float)


def _compare_pair(
    values: np.ndarray, one: np.ndarray, cluster: np.ndarray, how: tuple[float, int, int, tuple[float, float]]
) -> tuple[Any, ...]:
    """The fields of a comparison after the names."""
    level, draws, seed, within = how
    sides = [_Sample.of(values[side], cluster[side]) for side in (one, ~one)]
    first, second = sides
    deviations = [float(side.values.std(ddof=1)) if side.n > 1 else nan for side in sides]
    low, high, method = _difference_interval(values, one, cluster, sides, how)
    return (
        *(first.n, second.n, first.size, second.size, first.mean, second.mean, *deviations),
        *(first.mean - second.mean, low, high, method),
        hedges_g(first.values, second.values),
        rank_biserial(first.values, second.values),
        permutation_p(values, one, cluster, draws, seed),
    )


def _difference_interval(
    values: np.ndarray, one: np.ndarray, cluster: np.ndarray, sides: list[_Sample], how: tuple[Any, ...]
) -> tuple[float, float, str]:
    level, draws, seed, within = how
    first, second = sides
    difference, fewest = first.mean - second.mean, min(first.size, second.size)
    cluster = np.unique(cluster, return_inverse=True)[1]
    sums, counts = _sum_by_side(values, one, cluster)
    crossed = bool((counts > 0).all(axis=0).any())
    agree = first.agrees and second.agrees
    if within == (0, 1) and (fewest < MIN_CLUSTERS or agree) and not crossed:
        of_one, of_other = (
            estimate_interval(side.values, side.cluster, "share", level, draws, seed) for side in sides
        )
        below = np.hypot(of_one.estimate - of_one.low, of_other.high - of_other.estimate)
        above = np.hypot(of_one.high - of_one.estimate, of_other.estimate - of_other.low)
        return float(difference - below), float(difference + above), NEWCOMBE
    if fewest < 2 or (agree and not crossed):
        return nan, nan, NONE
    # Deviations of clusters from the difference: their sum of squares is its variance, between and within.
    apart = (sums[0] - first.mean * counts[0]) / first.n - (sums[1] - second.mean * counts[1]) / second.n
    if crossed:
        size = len(apart)
        freedom, plugin = size - 1, float((apart**2).sum())
        variance = plugin * size / (size - 1)
    else:
        variances = [side.variance for side in sides]
        variance = sum(variances)
        plugin = sum(own * (side.size - 1) / side.size for own, side in zip(variances, sides))
        parts = sum(own**2 / (side.size - 1) for own, side in zip(variances, sides))
        freedom = variance**2 / parts
    if not plugin > 0:
        return nan, nan, NONE
    t = float(stats.t.ppf((1 + level) / 2, freedom))
    if fewest < MIN_CLUSTERS:
        wide = within[1] - within[0]
        half = t * sqrt(variance)
        return max(-wide, difference - half), min(wide, difference + half), STUDENT
    if crossed:
        weights = bootstrap_weights(len(apart), draws, seed)
        means = [(weights @ sums[side]) / np.maximum(weights @ counts[side], 1) for side in (0, 1)]
    else:
        means = [side.means(draws, seed + number) for number, side in enumerate(sides)]
    tail = float(stats.norm.cdf(-t * sqrt(variance / plugin)))
    return *_quantile_bounds(means[0] - means[1], tail), BOOTSTRAP


def _t_between(sums: np.ndarray, counts: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Welch's t for each row of ``sides`` (ways × clusters, 1 for the clusters of the first side), from the
    sum and the number of the values of each cluster."""
    moments = np.array([np.ones(len(sums)), sums, counts, sums**2, sums * counts, counts**2])
    first = np.array([sides @ moment for moment in moments])  # one by one is faster than all at once
    means, variances = [], []
    for own in (first, moments.sum(axis=1)[:, None] - first):
        sizes, total, n, squares, products, counts_squared = own
        mean = total / n
        apart = squares - 2 * mean * products + mean**2 * counts_squared
        apart[apart < _TINY * (squares + mean**2 * counts_squared)] = 0
        means.append(mean)
        variances.append(apart * sizes / (sizes - 1) / n**2)
    return _studentized(means[0] - means[1], variances[0] + variances[1])


def _t_within(sums: np.ndarray, counts: np.ndarray, swaps: np.ndarray) -> np.ndarray:
    """The same where clusters have values on both sides (2 × clusters), for each row of ``swaps`` (ways ×
    clusters, 1 where a cluster exchanges its sides). Of clusters with one value on each side it is the t of
    paired values."""
    cells = np.array([sums[0], counts[0], sums[1], counts[1]])
    kept, exchanged = (np.einsum("ic,jc->cij", own, own) for own in (cells, cells[[2, 3, 0, 1]]))
    size = sums.shape[1]
    products = kept.sum(axis=0) + (swaps @ (exchanged - kept).reshape(size, 16)).reshape(-1, 4, 4)
    total = cells.sum(axis=1) + swaps @ (cells[[2, 3, 0, 1]] - cells).T
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total[:, 0] / total[:, 1], total[:, 2] / total[:, 3]
        # A cluster's part in the difference of means is the product of these weights and its cells.
        n, m = total[:, 1], total[:, 3]
        weights = np.column_stack([1 / n, -means[0] / n, -1 / m, means[1] / m])
        apart = np.einsum("wi,wij,wj->w", weights, products, weights)
        scale = np.einsum("wi,wij,wj->w", abs(weights), abs(products), abs(weights))
    apart[apart < _TINY * scale] = 0
    return _studentized(means[0] - means[1], apart * size / (size - 1))


def _studentized(differences: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Differences divided by the root of their variances: infinite without variance, but 0 stays 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = differences / np.sqrt(variances)
    return np.where(np.abs(differences) < _TINY, 0.0, t)


def _draw_swaps(size: int, draws: int, seed: int) -> np.ndarray:
    """Which of ``size`` clusters exchange their sides: none in the first row, then all ways or ``draws``
    random ones."""
    if 2**size <= draws:
        swaps = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    else:
        swaps = np.random.default_rng(seed).integers(2, size=(draws, size))
    return np.vstack([np.zeros((1, size)), swaps])


@lru_cache(maxsize=8)
def _draw_sides(size: int, first: int, draws: int, seed: int) -> np.ndarray:
    """Which of ``size`` clusters are the ``first`` many of one side: all ways, or ``draws`` random ones."""
    if comb(size, first) <= draws:
        chosen = np.array(list(combinations(range(size), first)))
    else:
        chosen = np.random.default_rng(seed).random((draws, size)).argsort(axis=1)[:, :first]
    sides = np.zeros((len(chosen), size))
    np.put_along_axis(sides, chosen, 1, axis=1)
    return sides


def _share_as_extreme(own: float, others: np.ndarray, every: bool) -> float:
    """The share of the t of all ways that are as far from 0 as the data's own."""
    beyond = int((np.abs(others) >= abs(own) * (1 - 1e-9) - _TINY).sum())
    return beyond / len(others) if every else (beyond + 1) / (len(others) + 1)
