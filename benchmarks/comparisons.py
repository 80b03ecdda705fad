"""How often comparisons of conditions find a difference where there is none.

    .venv/bin/python benchmarks/comparisons.py     # three minutes

Both conditions have the same mean in every study, so a test at the 5 % level should reject in 5 % of them.
The conditions differ in size and in variance. *p* is that of ``comparisons.compare_conditions``, *raw* a
permutation of the difference of means itself. Each column says in which share of the studies it is at most
0.05, and in which share it contradicts the 95 % interval about 0. The interval covers the truth in all other
studies.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.analysis.inference.comparisons import compare_conditions

LEVEL = 0.05
RAW_WAYS = 1000
Draw = Callable[[np.random.Generator, int], np.ndarray]  # so many values with mean 0 and variance 1
Study = tuple[np.ndarray, np.ndarray, np.ndarray]  # values, whether each is of the first condition, clusters


def normal(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.normal(size=count)


def skewed(rng: np.random.Generator, count: int) -> np.ndarray:
    """Exponential, like response times."""
    return rng.exponential(size=count) - 1


def counts(rng: np.random.Generator, count: int) -> np.ndarray:
    """Mostly 0, like lost moves."""
    return (rng.negative_binomial(1, 0.3, size=count) - 7 / 3) / np.sqrt(70 / 9)


def two_groups(draw: Draw, sizes: tuple[int, int], sds: tuple[float, float], of_cluster: int = 1):
    """Studies in which nobody is in both conditions; values of a cluster share half of their variance."""

    def study(rng: np.random.Generator) -> Study:
        values = []
        for size, sd in zip(sizes, sds):
            own = draw(rng, size * of_cluster)
            if of_cluster > 1:
                own = np.sqrt(0.5) * (own + np.repeat(draw(rng, size), of_cluster))
            values.append(sd * own)
        clusters = np.repeat(np.arange(sum(sizes)), of_cluster)
        return np.concatenate(values), clusters < sizes[0], clusters

    return study


def within(people: int, sds: tuple[float, float]):
    """Studies in which everybody is in both conditions, with one value in the first and three in the
    second."""

    def study(rng: np.random.Generator) -> Study:
        person = np.repeat(np.arange(people), 4)
        first = np.tile([True, False, False, False], people)
        values = rng.normal(size=people)[person] + np.where(first, *sds) * rng.normal(size=len(person))
        return values, first, person

    return study


def paired(draw: Draw, people: int, of_cluster: int = 1):
    """Studies in which everybody has one value in each condition; differences of a cluster are dependent."""

    def study(rng: np.random.Generator) -> Study:
        differences = draw(rng, people)
        if of_cluster > 1:
            differences += np.repeat(draw(rng, people // of_cluster), of_cluster)
        own = 3 * rng.normal(size=people)
        cluster = np.arange(people) // of_cluster
        first = np.repeat([True, False], people)
        return np.concatenate([own + differences, own]), first, np.tile(cluster, 2)

    return study


STUDIES = {
    "20 and 20, SD 1 and 1": two_groups(normal, (20, 20), (1, 1)),
    "10 and 40, SD 1 and 1": two_groups(normal, (10, 40), (1, 1)),
    "10 and 40, SD 3 and 1": two_groups(normal, (10, 40), (3, 1)),
    "10 and 40, SD 1 and 3": two_groups(normal, (10, 40), (1, 3)),
    "6 and 30, SD 4 and 1": two_groups(normal, (6, 30), (4, 1)),
    "8 and 24 pairs, SD 3 and 1": two_groups(normal, (8, 24), (3, 1), of_cluster=2),
    "15 and 45 skewed, SD 3 and 1": two_groups(skewed, (15, 45), (3, 1)),
    "10 and 40 skewed, SD 3 and 1": two_groups(skewed, (10, 40), (3, 1)),
    "10 and 40 skewed, SD 1 and 3": two_groups(skewed, (10, 40), (1, 3)),
    "20 and 20 counts, SD 1 and 1": two_groups(counts, (20, 20), (1, 1)),
    "10 and 40 counts, SD 3 and 1": two_groups(counts, (10, 40), (3, 1)),
    "8 and 24 pairs skewed, SD 3 and 1": two_groups(skewed, (8, 24), (3, 1), of_cluster=2),
    "20 people in both, SD 3 and 1": within(20, (3, 1)),
    "4 people paired": paired(normal, 4),
    "8 people paired": paired(normal, 8),
    "12 people paired": paired(normal, 12),
    "4 people paired, skewed": paired(skewed, 4),
    "8 people paired, skewed": paired(skewed, 8),
    "12 people paired, skewed": paired(skewed, 12),
    "20 people paired, counts": paired(counts, 20),
    "20 people paired, skewed, 10 groups": paired(skewed, 20, of_cluster=2),
    "40 people paired, skewed": paired(skewed, 40),
    "20 people paired, 10 groups": paired(normal, 20, of_cluster=2),
}


def raw_p(values: np.ndarray, first: np.ndarray, clusters: np.ndarray, rng: np.random.Generator) -> float:
    """The p of the difference of means, by permutation of clusters of equal size; NaN where a cluster is in
    both conditions."""
    means = np.bincount(clusters, values) / np.bincount(clusters)
    side = np.bincount(clusters, first) / np.bincount(clusters)
    if not np.isin(side, (0, 1)).all():
        return np.nan
    sides = rng.permuted(np.tile(side, (RAW_WAYS, 1)), axis=1)
    found = sides @ means / side.sum() - (1 - sides) @ means / (1 - side).sum()
    own = means[side == 1].mean() - means[side == 0].mean()
    return (1 + (np.abs(found) >= abs(own) - 1e-12).sum()) / (1 + RAW_WAYS)


def rates(study: Callable[[np.random.Generator], Study], studies: int, seed: int = 1) -> tuple[float, ...]:
    """The shares of studies that p rejects and in which it contradicts the interval, then those of the raw
    permutation."""
    rng, found = np.random.default_rng(seed), []
    for _study in range(studies):
        values, first, clusters = study(rng)
        (one,) = compare_conditions(values, np.where(first, "a", "b"), clusters)
        excludes_0 = one.low > 0 or one.high < 0
        for p in (one.p, raw_p(values, first, clusters, rng)):
            found += [np.nan, np.nan] if np.isnan(p) else [p <= LEVEL, (p <= LEVEL) != excludes_0]
    return tuple(np.mean(np.array(found, dtype=float).reshape(studies, 4), axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=2000, metavar="N", help="of each kind; 2000")
    studies = parser.parse_args().studies
    width = max(map(len, STUDIES))
    print(f"{'':{width}}  {'p':>20}  {'raw':>20}")
    print(f"{'conditions':{width}}" + "  rejects  contradicts" * 2)
    for name, study in STUDIES.items():
        p, against, raw, raw_against = rates(study, studies)
        print(f"{name:{width}}  {p:7.3f}  {against:11.3f}  {raw:7.3f}  {raw_against:11.3f}", flush=True)


if __name__ == "__main__":
    main()
