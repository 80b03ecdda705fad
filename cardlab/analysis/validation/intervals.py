"""Checks how often the intervals of reports contain the truth.

Participants differ. For means they have 1 to 8 values each, for shares 8 truth values each. Moves to the
solution are exponential, with a different mean for each participant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np

from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.inference.intervals import estimate_interval
from cardlab.analysis.inference.time_to_event import estimate_survival
from cardlab.analysis.validation.figure import Case, Figure, coverage

PEOPLE = (3, 6, 8, 12, 20, 40)
HANDS = 8
DRAWS = 500  # of the bootstrap of a curve; fewer than in reports, because each study has its own draws
Sample = tuple[Floats, Floats]  # values, and the participant of each


def _draw_means(rng: np.random.Generator, people: int) -> Sample:
    """Returns values around participants' own means; the truth is 0."""
    person = np.repeat(np.arange(people), rng.integers(1, HANDS + 1, people))
    return rng.normal(size=people)[person] + rng.normal(size=len(person)), person


def _draw_shares(first: int) -> Callable[[np.random.Generator, int], Sample]:
    """Returns a function that draws 0 and 1; each participant's probability is from a beta distribution."""

    def draw(rng: np.random.Generator, people: int) -> Sample:
        person = np.repeat(np.arange(people), HANDS)
        return rng.binomial(1, rng.beta(first, 1, people)[person]).astype(float), person

    return draw


def _check_interval(
    draw: Callable[[np.random.Generator, int], Sample], people: int, truth: float, within: tuple[float, float]
) -> Case:
    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        found = [estimate_interval(*draw(rng, people), within) for _study in range(studies)]
        return [coverage([one.low <= truth <= one.high for one in found])]

    return case


def _check_survival(people: int) -> Case:
    """Checks the survival curve at time 1, with censoring at 2. Means are 1 or 3 with equal probability."""
    truth = (np.exp(-1) + np.exp(-1 / 3)) / 2

    def case(rng: np.random.Generator, studies: int) -> Sequence[Figure]:
        covered = []
        for _study in range(studies):
            person = np.repeat(np.arange(people), HANDS)
            times = rng.exponential(rng.choice((1.0, 3.0), people)[person])
            curve = estimate_survival(np.minimum(times, 2), times < 2, person, DRAWS)
            row = np.searchsorted(curve.time, 1, side="right") - 1
            covered.append(bool(curve.low[row] <= truth <= curve.high[row]))
        return [coverage(covered)]

    return case


CASES: dict[str, Case] = {
    **{f"mean, {n} participants": _check_interval(_draw_means, n, 0, (-inf, inf)) for n in PEOPLE},
    **{
        f"share near 3/4, {n} participants": _check_interval(_draw_shares(3), n, 0.75, (0, 1)) for n in PEOPLE
    },
    **{
        f"share near 9/10, {n} participants": _check_interval(_draw_shares(9), n, 0.9, (0, 1)) for n in PEOPLE
    },
    **{f"survival curve, {n} participants": _check_survival(n) for n in PEOPLE[2:]},
}
