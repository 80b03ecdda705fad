"""Tests the difference of two means by permutation, with Welch's t over clusters."""

from functools import lru_cache
from itertools import combinations
from math import comb, nan

import numpy as np

from cardlab.analysis.inference.clusters import DRAWS, ROUNDING, SEED, Floats, Values, sum_by_side


def permutation_p(values: Values, first: Values, clusters: Values, draws: int = DRAWS) -> float:
    """Returns the two-sided p of the difference of means between values with ``first`` true and false.

    The statistic is Welch's t, the difference divided by its standard error between clusters. A permutation
    test of the difference itself would reject far too often if the smaller group varies more, because it
    tests equality of the distributions, not of the means (Janssen, Stat. Probab. Lett. 36 (1997) 9; Chung &
    Romano, Ann. Stat. 41 (2013) 484).

    If no cluster has values on both sides, whole clusters change sides; otherwise both sides are exchanged
    within clusters. If there are at most ``draws`` permutations, all are used. Otherwise ``draws`` are drawn,
    and the data themselves count as one more (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39).

    NaN if a side has fewer than two clusters, because its variance cannot be estimated. One side may be
    constant. If both are constant and differ, t is infinite; if all values are equal, p is 1.
    """
    number, is_first = np.asarray(values, dtype=float), np.asarray(first, dtype=bool)
    is_known = ~np.isnan(number)
    number, is_first = number[is_known], is_first[is_known]
    _names, cluster = np.unique(np.asarray(clusters)[is_known], return_inverse=True)
    if min(len(np.unique(cluster[side])) for side in (is_first, ~is_first)) < 2:
        return nan
    if np.ptp(number) == 0:
        return 1.0
    sums, counts = sum_by_side((number - number.mean()) / np.ptp(number), is_first, cluster)
    if (counts > 0).all(axis=0).any():
        ways = 2 ** sums.shape[1]
        t = t_within_clusters(sums, counts, _draw_swaps(sums.shape[1], draws))
    else:
        side = (counts[0] > 0).astype(float)
        ways = comb(len(side), int(side.sum()))
        sides = _draw_sides(len(side), int(side.sum()), draws)
        t = t_between_clusters(sums.sum(axis=0), counts.sum(axis=0), np.vstack([side, sides]))
    return _share_as_extreme(t[0], t[1:][~np.isnan(t[1:])], ways <= draws)


def t_between_clusters(sums: Floats, counts: Floats, sides: Floats) -> Floats:
    """Returns Welch's t for each row of ``sides`` (ways × clusters, 1 for the clusters of the first side).

    ``sums`` and ``counts`` are those of the values of each cluster.
    """
    moments = np.array([np.ones(len(sums)), sums, counts, sums**2, sums * counts, counts**2])
    first = np.array([sides @ moment for moment in moments])  # faster than one product of matrices
    means, variances = [], []
    for side in (first, moments.sum(axis=1)[:, None] - first):
        sizes, total, n, squares, products, counts_squared = side
        mean = total / n
        deviations = squares - 2 * mean * products + mean**2 * counts_squared
        deviations[deviations < ROUNDING * (squares + mean**2 * counts_squared)] = 0
        means.append(mean)
        variances.append(deviations * sizes / (sizes - 1) / n**2)
    return _studentize(means[0] - means[1], variances[0] + variances[1])


def t_within_clusters(sums: Floats, counts: Floats, swaps: Floats) -> Floats:
    """Returns Welch's t for each row of ``swaps`` (ways × clusters, 1 where a cluster exchanges its sides).

    ``sums`` and ``counts`` are those of the values of each side and cluster (2 × clusters). For clusters with
    one value on each side it is the paired t.
    """
    cells = np.array([sums[0], counts[0], sums[1], counts[1]])
    kept_moments, exchanged_moments = (
        np.einsum("ic,jc->cij", cell_values, cell_values) for cell_values in (cells, cells[[2, 3, 0, 1]])
    )
    size = sums.shape[1]
    products = kept_moments.sum(axis=0) + (
        swaps @ (exchanged_moments - kept_moments).reshape(size, 16)
    ).reshape(-1, 4, 4)
    total = cells.sum(axis=1) + swaps @ (cells[[2, 3, 0, 1]] - cells).T
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total[:, 0] / total[:, 1], total[:, 2] / total[:, 3]
        # A cluster's contribution to the difference of means is the product of these weights and its cells.
        n, m = total[:, 1], total[:, 3]
        weights = np.column_stack([1 / n, -means[0] / n, -1 / m, means[1] / m])
        deviations = np.einsum("wi,wij,wj->w", weights, products, weights)
        scale = np.einsum("wi,wij,wj->w", abs(weights), abs(products), abs(weights))
    deviations[deviations < ROUNDING * scale] = 0
    return _studentize(means[0] - means[1], deviations * size / (size - 1))


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
def _draw_sides(size: int, first_size: int, draws: int) -> Floats:
    """Returns which ``first_size`` of ``size`` clusters are on one side: all permutations, or random ones."""
    if comb(size, first_size) <= draws:
        chosen_indices = np.array(list(combinations(range(size), first_size)))
    else:
        chosen_indices = np.random.default_rng(SEED).random((draws, size)).argsort(axis=1)[:, :first_size]
    sides = np.zeros((len(chosen_indices), size))
    np.put_along_axis(sides, chosen_indices, 1, axis=1)
    return sides


def _share_as_extreme(statistic: float, drawn_statistics: Floats, is_complete: bool) -> float:
    """Returns the share of permutations whose t is at least as far from 0 as that of the data."""
    beyond = int((np.abs(drawn_statistics) >= abs(statistic) * (1 - 1e-9) - ROUNDING).sum())
    return beyond / len(drawn_statistics) if is_complete else (beyond + 1) / (len(drawn_statistics) + 1)
