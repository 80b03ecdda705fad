"""Checks the false positive rate of comparisons of conditions.

Both conditions have the same mean in every study, so p should be below 0.05 in 5 % of them, and below 0.5 in
half. The interval of the difference should contain 0 if and only if p is at least 0.05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

import numpy as np
import numpy.typing as npt

from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.inference.comparisons import compare_conditions
from cardlab.analysis.validation.figure import Case, Figure

LEVEL = 0.05
REJECTED, BELOW_HALF = (0.03, 0.07), (0.44, 0.56)
Draw = Callable[[np.random.Generator, int], Floats]  # n values with mean 0 and variance 1
# Values, whether each is of the first condition, clusters.
Study = tuple[Floats, npt.NDArray[np.bool_], npt.NDArray[np.int64]]
MakeStudy = Callable[[np.random.Generator], Study]


def _draw_normal(rng: np.random.Generator, count: int) -> Floats:
    return rng.normal(size=count)


def _draw_skewed(rng: np.random.Generator, count: int) -> Floats:
    """Returns exponential values, like response times."""
    return rng.exponential(size=count) - 1


def _draw_heavy_tailed(rng: np.random.Generator, count: int) -> Floats:
    """Returns symmetric values with outliers: Student's t with three degrees of freedom."""
    values: Floats = rng.standard_t(3, size=count) / np.sqrt(3)
    return values


def _draw_counts(rng: np.random.Generator, count: int) -> Floats:
    """Returns values that are mostly the lowest, like lost moves."""
    values: Floats = (rng.negative_binomial(1, 0.3, size=count) - 7 / 3) / np.sqrt(70 / 9)
    return values


def _between(draw: Draw, sizes: tuple[int, int], sds: tuple[float, float], of_cluster: int = 1) -> MakeStudy:
    """Returns between-subjects studies. Values of a cluster share half of their variance."""

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


def _crossed(people: int, sds: tuple[float, float]) -> MakeStudy:
    """Returns within-subjects studies: per person one value in the first condition, three in the second."""

    def study(rng: np.random.Generator) -> Study:
        person = np.repeat(np.arange(people), 4)
        first = np.tile([True, False, False, False], people)
        values = rng.normal(size=people)[person] + np.where(first, *sds) * rng.normal(size=len(person))
        return values, first, person

    return study


def _paired(draw: Draw, people: int, of_cluster: int = 1) -> MakeStudy:
    """Returns within-subjects studies with one value per person and condition. Differences are clustered."""

    def study(rng: np.random.Generator) -> Study:
        differences = draw(rng, people)
        if of_cluster > 1:
            differences = differences + np.repeat(draw(rng, people // of_cluster), of_cluster)
        own = 3 * rng.normal(size=people)
        first = np.repeat([True, False], people)
        return np.concatenate([own + differences, own]), first, np.tile(np.arange(people) // of_cluster, 2)

    return study


def _check(make_study: MakeStudy) -> Case:
    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        p_values, contradicted = [], []
        for _study in range(studies):
            values, first, clusters = make_study(rng)
            (one,) = compare_conditions(values, np.where(first, "a", "b"), clusters)
            p_values.append(one.p)
            contradicted.append(not isnan(one.low) and (one.p < LEVEL) != (one.low > 0 or one.high < 0))
        return [
            Figure("rejected", sum(p < LEVEL for p in p_values), studies, *REJECTED),
            Figure("p_below_half", sum(p < 0.5 for p in p_values), studies, *BELOW_HALF),
            Figure("contradicted", sum(contradicted), studies, 0, 0),
        ]

    return case


CASES: dict[str, Case] = {
    name: _check(make_study)
    for name, make_study in {
        "20 and 20, SD 1 and 1": _between(_draw_normal, (20, 20), (1, 1)),
        "10 and 40, SD 1 and 1": _between(_draw_normal, (10, 40), (1, 1)),
        "10 and 40, SD 3 and 1": _between(_draw_normal, (10, 40), (3, 1)),
        "10 and 40, SD 1 and 3": _between(_draw_normal, (10, 40), (1, 3)),
        "6 and 30, SD 4 and 1": _between(_draw_normal, (6, 30), (4, 1)),
        "8 and 24 pairs, SD 3 and 1": _between(_draw_normal, (8, 24), (3, 1), of_cluster=2),
        "15 and 45 skewed, SD 3 and 1": _between(_draw_skewed, (15, 45), (3, 1)),
        "10 and 40 skewed, SD 3 and 1": _between(_draw_skewed, (10, 40), (3, 1)),
        "10 and 40 skewed, SD 1 and 3": _between(_draw_skewed, (10, 40), (1, 3)),
        "8 and 24 pairs skewed, SD 3 and 1": _between(_draw_skewed, (8, 24), (3, 1), of_cluster=2),
        "20 and 20 counts, SD 1 and 1": _between(_draw_counts, (20, 20), (1, 1)),
        "10 and 40 counts, SD 3 and 1": _between(_draw_counts, (10, 40), (3, 1)),
        "20 in both, SD 3 and 1": _crossed(20, (3, 1)),
        "4 paired": _paired(_draw_normal, 4),
        "8 paired": _paired(_draw_normal, 8),
        "12 paired": _paired(_draw_normal, 12),
        "20 paired, 10 groups": _paired(_draw_normal, 20, of_cluster=2),
        "4 paired, skewed": _paired(_draw_skewed, 4),
        "6 paired, skewed": _paired(_draw_skewed, 6),
        "8 paired, skewed": _paired(_draw_skewed, 8),
        "12 paired, skewed": _paired(_draw_skewed, 12),
        "40 paired, skewed": _paired(_draw_skewed, 40),
        "20 paired, skewed, 10 groups": _paired(_draw_skewed, 20, of_cluster=2),
        "4 paired, counts": _paired(_draw_counts, 4),
        "20 paired, counts": _paired(_draw_counts, 20),
        "20 paired, heavy tails": _paired(_draw_heavy_tailed, 20),
    }.items()
}
