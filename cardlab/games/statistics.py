"""Basic statistics for the measures of the games. A row is a line of a table of hands, as a dict by column.

A cell without data is missing or the empty text. A statistic that cannot be computed is None.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import fsum, log, log2
from statistics import fmean, linear_regression
from statistics import variance as sample_variance
from typing import Any

Row = dict[str, Any]
Share = float  # from 0 to 1; a measure that returns it is compared as a share


def number(row: Row, column: str) -> float | None:
    """Returns the number in a cell, None for an empty one."""
    value = row.get(column, "")
    return None if value in ("", None) else value


def numbers(rows: Iterable[Row], column: str) -> list[float]:
    """Returns the numbers of a column without the empty cells."""
    return [value for row in rows if (value := number(row, column)) is not None]


def mean(values: Sequence[float]) -> float | None:
    """Returns the mean, None for no values."""
    return fmean(values) if values else None


def share(truths: Iterable[Any]) -> Share | None:
    """Returns the share of true values, None for no values."""
    return mean([float(bool(truth)) for truth in truths])


def ratio(part: float | None, whole: float | None) -> float | None:
    """Returns the part divided by the whole; None if either is missing, or the whole is 0."""
    return part / whole if part is not None and whole else None


def entropy(things: Iterable[Hashable]) -> float | None:
    """Returns Shannon's entropy in bits: 0 if all things are equal, log2(n) if all n differ."""
    counts = Counter(things).values()
    total = sum(counts)
    if not total:
        return None
    return sum(count / total * log2(total / count) for count in counts)


def power_law(points: Iterable[tuple[float, float]]) -> float | None:
    """Returns the slope of log y on log x, the exponent b of y = a·x^b.

    Points that have no logarithm are left out. Returns None for fewer than three, or if x does not vary.
    """
    logs = [(log(x), log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 3 or len({x for x, _y in logs}) < 2:
        return None
    return linear_regression(*zip(*logs)).slope


def variance(values: Sequence[float]) -> float | None:
    """Returns the sample variance, None for fewer than two values."""
    return sample_variance(values) if len(values) > 1 else None


def residual_variance(values: Sequence[float], *predictors: Sequence[float]) -> float | None:
    """Returns the variance of the residuals of a linear regression on the predictors.

    A predictor that does not vary, or follows from those before it, is left out. Returns None without at
    least one degree of freedom.
    """
    residuals = _centred(values)
    directions: list[list[float]] = []
    for predictor in predictors:
        direction = _centred(predictor)
        size = _product(direction, direction)
        for earlier in directions:
            direction = _without(direction, earlier)
        if _product(direction, direction) > 1e-9 * size:
            directions.append(direction)
    for direction in directions:
        residuals = _without(residuals, direction)
    freedom = len(values) - 1 - len(directions)
    return _product(residuals, residuals) / freedom if freedom > 0 else None


def _centred(values: Sequence[float]) -> list[float]:
    middle = fmean(values) if values else 0.0
    return [value - middle for value in values]


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    return fsum(one * other for one, other in zip(left, right))


def _without(values: list[float], direction: Sequence[float]) -> list[float]:
    """Returns the part of the values that is orthogonal to the direction."""
    slope = _product(values, direction) / _product(direction, direction)
    return [value - slope * step for value, step in zip(values, direction)]


def variance_change_between_halves(values: Sequence[float]) -> float | None:
    """Returns the variance of the second half minus that of the first, None for fewer than four values.

    If the number of values is odd, the middle one is in neither half.
    """
    middle = len(values) // 2
    return sample_variance(values[-middle:]) - sample_variance(values[:middle]) if middle > 1 else None


def change_between_halves(values: Sequence[float]) -> float | None:
    """Returns the mean of the second half minus that of the first; an odd middle value is in neither."""
    middle = len(values) // 2
    return fmean(values[-middle:]) - fmean(values[:middle]) if middle else None
