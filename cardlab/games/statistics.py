"""Small statistics for the measures of the games. A row is one line of a table of hands, by column.

A cell that a source does not tell is missing or the empty text; what cannot be computed is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import wraps
from math import log, log2
from statistics import fmean, linear_regression
from statistics import variance as sample_variance
from typing import Any, TypeVar

_T = TypeVar("_T")

Row = dict[str, Any]
Measure = Callable[[list[Row], Any], Any]  # of a participant, from their rows and the game's thresholds
# What the table for models has besides: columns with their meanings, and what gives the cells of each of a
# participant's rows.
Model = tuple[dict[str, str], Callable[[list[Row], Any], list[Row]]]
NO_MODEL: Model = ({}, lambda hands, _thresholds: [{} for _row in hands])

# The families of the measures of a participant, in the order in which they are compared. Tests are adjusted
# for the number of tests in their family.
PERFORMANCE, SPEED, CHOICES, CHANGE, DESIGN = "performance", "speed", "choices", "change", "design"
FAMILIES = {
    PERFORMANCE: "how well the hands were played",
    SPEED: "how long it took",
    CHOICES: "which way was taken: routes, habits, aids, giving up",
    CHANGE: "what changed over the session",
    DESIGN: "how many hands the other measures are taken over. The design, the deals and the number of hands "
    "decide that, so it is described and not tested",
}

MIN_COUNT = 4  # hands, below which nothing is said that is more than a mean or a share of them


def needs_enough(count: Measure) -> Callable[[Measure], Measure]:
    """Of a measure that is empty for who has fewer than ``FEWEST`` of what ``count``, a measure too, counts.
    Its meaning says so."""

    def with_enough(measure: Measure) -> Measure:
        @wraps(measure)
        def told(hands: list[Row], thresholds: Any) -> Any:
            return measure(hands, thresholds) if count(hands, thresholds) >= MIN_COUNT else None

        told.__doc__ = f"{measure.__doc__}. Empty below {MIN_COUNT} `{count.__name__}`"
        return told

    return with_enough


def cached_for_rows(of: Callable[..., _T]) -> Callable[..., _T]:
    """Of what many measures ask of a participant's rows, one after the other: it is found once. Neither the
    rows nor what is found are to be changed."""
    last: tuple[Any, ...] = ()

    @wraps(of)
    def told(hands: list[Row], *further: Any) -> _T:
        nonlocal last
        if not (last and last[0] is hands and last[1:3] == (len(hands), further)):
            last = hands, len(hands), further, of(hands, *further)
        found: _T = last[3]
        return found

    return told


def number(row: Row, column: str) -> float | None:
    """The number in a cell, None where there is none."""
    value = row.get(column, "")
    return None if value in ("", None) else value


def numbers(rows: Iterable[Row], column: str) -> list[float]:
    """The numbers of a column, without the empty cells."""
    return [value for row in rows if (value := number(row, column)) is not None]


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return fmean(values) if values else None


def share(truths: Iterable[Any]) -> float | None:
    """The share of what is true, None of nothing."""
    return mean([float(bool(truth)) for truth in truths])


def ratio(part: float | None, whole: float | None) -> float | None:
    """The part divided by the whole; None if either is missing, or the whole is 0."""
    return part / whole if part is not None and whole else None


def entropy(things: Iterable[Hashable]) -> float | None:
    """Shannon's entropy of the things' shares, in bits: 0 if all are equal, log2(n) if all n differ."""
    counts = Counter(things).values()
    whole = sum(counts)
    if not whole:
        return None
    return sum(count / whole * log2(whole / count) for count in counts)


def power_law(points: Iterable[tuple[float, float]]) -> float | None:
    """The slope of log y on log x, the exponent b of y = a·x^b; points that have no logarithm are left out.
    None of fewer than three, or where x does not vary."""
    logs = [(log(x), log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 3 or len({x for x, _y in logs}) < 2:
        return None
    return linear_regression(*zip(*logs)).slope


def variance(values: Sequence[float]) -> float | None:
    """The sample variance, None of fewer than two."""
    return sample_variance(values) if len(values) > 1 else None


def variance_change_between_halves(values: Sequence[float]) -> float | None:
    """The variance of the second half less that of the first; the one in the middle belongs to neither. None
    of fewer than four."""
    half = len(values) // 2
    return sample_variance(values[-half:]) - sample_variance(values[:half]) if half > 1 else None


def change_between_halves(values: Sequence[float]) -> float | None:
    """The mean of the second half less that of the first; the one in the middle belongs to neither."""
    half = len(values) // 2
    return fmean(values[-half:]) - fmean(values[:half]) if half else None
