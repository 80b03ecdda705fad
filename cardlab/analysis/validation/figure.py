"""The figures of a validation: a share of simulated studies, with the range in which it must lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cardlab.analysis.inference.intervals import wilson_interval
from cardlab.games.columns import Integer, Number

MET, BY_CHANCE, MISSED = "met", "within chance", "missed"

COLUMNS = {
    "check": "what is checked: a module of `cardlab.analysis.validation`",
    "case": "the kind of simulated studies",
    "figure": (
        "`coverage`: 95 % intervals that contain the truth; `rejected` and `p_below_half`: p below 0.05 and "
        "0.5 although nothing differs; `contradicted`: p and interval disagree; `limit`: correct answers of "
        "the best test, which knows the curves; otherwise people with this result"
    ),
    "studies": Integer("number of simulated studies, or of participants"),
    "share": Number("share of them"),
    "low": Number("bounds of its 95 % interval (Wilson), from the number of studies"),
    "high": Number("bounds of its 95 % interval (Wilson), from the number of studies"),
    "at_least": Number("the range in which the share must lie"),
    "at_most": Number("the range in which the share must lie"),
    "verdict": f"`{MET}`; `{BY_CHANCE}`: outside, but the interval reaches the range; `{MISSED}`",
}


class Figure(NamedTuple):
    """A share of ``studies``, of which ``successes`` had a result, and the range in which it must lie."""

    name: str
    successes: int
    studies: int
    at_least: float
    at_most: float

    @property
    def verdict(self) -> str:
        """Whether the share lies in its range."""
        interval = wilson_interval(self.successes, self.studies)
        if self.at_least <= interval.estimate <= self.at_most:
            return MET
        return BY_CHANCE if interval.low <= self.at_most and interval.high >= self.at_least else MISSED

    @property
    def cells(self) -> tuple[object, ...]:
        """The cells of the table from ``figure`` on."""
        share = wilson_interval(self.successes, self.studies)
        numbers = share.estimate, share.low, share.high, self.at_least, self.at_most
        return self.name, self.studies, *(round(float(number), 4) for number in numbers), self.verdict


Case = Callable[[np.random.Generator, int], Sequence[Figure]]  # random numbers, number of studies


def coverage(covered: Sequence[bool]) -> Figure:
    """Returns the share of 95 % intervals that contain the truth."""
    return Figure("coverage", sum(covered), len(covered), 0.93, 0.97)
