"""Finds clusters of values, and draws bootstrap samples of clusters with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats

LEVEL = 0.95  # confidence level of all intervals
DRAWS = 2000  # bootstrap samples, or permutations
SEED = 1
MIN_CLUSTERS = (
    6  # with fewer, even the range of all values covers the true median in less than 95 % of samples
)
ROUNDING = 1e-12  # relative to the range of the values; smaller differences are rounding errors
_BATCH = 80  # draws that fit into the processor's cache

Values = npt.ArrayLike  # one-dimensional
Floats = npt.NDArray[np.float64]


def find_clusters(participants: Sequence[Any], hands: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Returns the cluster of each row, numbered from 0: all people who met directly or through others.

    ``participants`` and ``hands`` have the names of the person and the hand of each row.
    """
    person_names, person = np.unique(np.asarray(participants), return_inverse=True)
    hand_names, hand = np.unique(np.asarray(hands), return_inverse=True)
    size = len(person_names) + len(hand_names)
    edges = np.ones(len(person)), (person, len(person_names) + hand)
    graph = sparse.coo_array(edges, shape=(size, size))
    _count, component = sparse.csgraph.connected_components(graph, directed=False)
    return np.unique(component[person], return_inverse=True)[1] if len(person) else np.array([], dtype=int)


class ClusteredSample(NamedTuple):
    """Values, the cluster number of each value, and sums and counts by cluster."""

    values: Floats
    cluster: npt.NDArray[np.int64]
    sums: Floats
    counts: npt.NDArray[np.int64]

    @classmethod
    def create(cls, values: Values, clusters: Values) -> ClusteredSample:
        """Creates a sample of the values that are not NaN. ``clusters`` names the cluster of each value.

        Raises:
            ValueError: If their numbers differ.
        """
        number, names = np.asarray(values, dtype=float), np.asarray(clusters)
        if number.ndim != 1 or number.shape != names.shape:
            raise ValueError("Each value must have one cluster.")
        is_known = ~np.isnan(number)
        cluster = np.unique(names[is_known], return_inverse=True)[1]
        sums = np.bincount(cluster, number[is_known]).astype(float)
        return cls(number[is_known], cluster, sums, np.bincount(cluster))

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.values)

    @property
    def size(self) -> int:
        """The number of clusters."""
        return len(self.sums)

    @property
    def mean(self) -> float:
        """The mean of the values, limited to their range because of rounding errors."""
        return min(max(float(self.values.mean()), float(self.values.min())), float(self.values.max()))

    @property
    def deviation(self) -> float:
        """The standard deviation of the values; NaN for a single value."""
        return float(self.values.std(ddof=1)) if self.n > 1 else nan

    @property
    def is_constant(self) -> bool:
        """Whether all clusters have the same mean, so that the variance between them cannot be estimated."""
        return bool(np.ptp(self.sums / self.counts) < ROUNDING * max(1.0, np.abs(self.values).max()))

    @property
    def variance(self) -> float:
        """The variance of the mean, estimated between clusters, whose sizes may differ."""
        deviations = self.sums - self.mean * self.counts
        return float(self.size / (self.size - 1) * (deviations**2).sum() / self.n**2)

    def bootstrap_means(self, draws: int, seed: int = SEED) -> Floats:
        """Returns the mean of each bootstrap sample."""
        sums, counts = np.empty(draws), np.empty(draws)
        for rows, weights in _iterate_batches(_draw_counts(self.size, draws, seed)):
            weights = weights.astype(float)
            sums[rows], counts[rows] = weights @ self.sums, weights @ self.counts
        return sums / counts


def sum_by_side(
    values: Floats, is_first: npt.NDArray[np.bool_], cluster: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Returns the sums and the counts of the values of both sides by cluster, each 2 × clusters."""
    size = cluster.max() + 1
    sums = [np.bincount(cluster[side], values[side], size) for side in (is_first, ~is_first)]
    counts = [np.bincount(cluster[side], minlength=size) for side in (is_first, ~is_first)]
    return np.array(sums), np.array(counts, dtype=float)


@lru_cache(maxsize=8)
def _draw_counts(size: int, draws: int, seed: int) -> npt.NDArray[np.uint8]:
    """Returns how often each of ``size`` clusters is in each bootstrap sample, draws × size."""
    chance, counts = np.random.default_rng(seed), np.empty((draws, size), np.uint8)
    for _rows, batch in _iterate_batches(counts):
        drawn_indices = chance.integers(size, size=batch.shape) + np.arange(len(batch))[:, None] * size
        batch[:] = np.bincount(drawn_indices.ravel(), minlength=batch.size).reshape(batch.shape)
    return counts


def _iterate_batches(counts: npt.NDArray[np.uint8]) -> Iterator[tuple[slice, npt.NDArray[np.uint8]]]:
    for begin in range(0, len(counts), _BATCH):
        rows = slice(begin, begin + _BATCH)
        yield rows, counts[rows]


@lru_cache(maxsize=2)  # few, because floats take eight times the memory of the counts
def bootstrap_weights(size: int, draws: int = DRAWS) -> Floats:
    """Returns how often each of ``size`` clusters is in each bootstrap sample, as floats, draws × size."""
    return _draw_counts(size, draws, SEED).astype(float)


def bootstrap_bounds(samples: Floats, clusters: int) -> tuple[Floats, Floats]:
    """Returns the lower and upper bounds of estimates from their bootstrap samples.

    ``samples`` has one row per draw, ``clusters`` is the number of clusters. The bounds are NaN for fewer
    than ``MIN_CLUSTERS``.
    """
    if clusters < MIN_CLUSTERS:
        return np.full(samples.shape[1:], nan), np.full(samples.shape[1:], nan)
    tail = expanded_tail(clusters)
    low, high = np.nanquantile(samples, (tail, 1 - tail), axis=0)
    return low, high


def quantile_bounds(samples: Floats, tail: float) -> tuple[float, float]:
    """Returns the quantiles ``tail`` and 1 − ``tail`` of the samples."""
    low, high = np.quantile(samples, (tail, 1 - tail))
    return float(low), float(high)


def expanded_tail(clusters: int) -> float:
    """Returns the share of bootstrap samples beyond each bound, which is smaller for few clusters.

    Uses Student's t, and corrects for samples that vary too little, by the square root of
    (clusters − 1) / clusters: the "expanded percentile" interval, Hesterberg, Am. Stat. 69 (2015) 371.
    """
    width = stats.t.ppf((1 + LEVEL) / 2, clusters - 1) * sqrt(clusters / (clusters - 1))
    return float(stats.norm.cdf(-width))
