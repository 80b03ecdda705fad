"""Simulates the power of an experiment: how often it would find a difference, or an equivalence, that exists.

In every repeat, simulated participants play the experiment (:mod:`cardlab.analysis.simulated_people`), which
is tested by the design's analysis (:mod:`cardlab.analysis.simulated_tests`). Power is the share of repeats in
which the test rejects.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cardlab.analysis.design import MIXED_MODEL, Design
from cardlab.analysis.inference import intervals
from cardlab.games.columns import Integer, Number
from cardlab.games.statistics import Row

COLUMNS = {
    "measure": "the measure that is compared",
    "test": "the test",
    "level": Number("the level of significance"),
    "within": "the column whose values are compared within persons; empty for treatments",
    "first": "the two treatments or values; with `model`, `first` is a coefficient",
    "second": "the two treatments or values; with `model`, `first` is a coefficient",
    "participants_first": Integer("number of participants before exclusions"),
    "participants_second": Integer("number of participants before exclusions"),
    "repeats": Integer("number of simulated experiments"),
    "power": Number(
        "share of repeats in which the adjusted p (Holm, over all rows of a size; with `model`, p itself) "
        "is at most the level"
    ),
    "power_low": Number("bounds of the 95 % Wilson interval of this power"),
    "power_high": Number("bounds of the 95 % Wilson interval of this power"),
    "first_greater": Number(
        "share of repeats that have such a p and a greater mean of the first, or a coefficient above 0"
    ),
    "equivalent_within": Number("the smallest difference of interest"),
    "power_equivalence": Number("share of repeats in which the p of equivalence is at most the level"),
    "power_equivalence_low": Number("bounds of the 95 % Wilson interval of this power"),
    "power_equivalence_high": Number("bounds of the 95 % Wilson interval of this power"),
    "without_p": Integer("repeats without a p; they count as not significant"),
    "mean_first": Number("mean over all repeats; with `model`, of the coefficient"),
    "mean_second": Number("mean over all repeats; with `model`, 0"),
    "sd_first": Number("standard deviation, mean over the repeats"),
    "sd_second": Number("standard deviation, mean over the repeats"),
    "difference": Number("mean of the first minus mean of the second"),
    "hedges_g": Number("Hedges' g, mean over the repeats"),
}

POWER, POWER_OF_EQUIVALENCE = "power", "power_equivalence"
TARGET_POWER = 0.8  # the conventional target, drawn as a line


class TestResult(NamedTuple):
    """The comparison of two treatments or values in a measure; missing numbers are NaN."""

    measure: str
    first: str
    second: str
    p: float
    p_adjusted: float
    p_equivalence: float
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    hedges_g: float


_NO_NUMBERS = np.full((len(TestResult._fields) - 3, 1), math.nan)
Repeat = list[list[TestResult]]  # for each size


def build_table(design: Design, repeats: Iterable[Repeat]) -> list[Row]:
    """Returns the rows of the table: one for each size, in ascending order, measure and pair."""
    all_repeats = list(repeats)
    results: dict[Any, list[TestResult]] = defaultdict(list)
    for repeat in all_repeats:
        for size, tests in zip(design.participants, repeat):
            for result in tests:
                results[size, result[:3]].append(result)
    compared = {names for _size, names in results}
    in_order = sorted(compared, key=lambda names: (design.measures.index(names[0]), names))
    return [
        _summarize(design, size, names, results[size, names], len(all_repeats))
        for size in design.participants
        for names in in_order
    ]


def _summarize(
    design: Design, size: int, names: Sequence[str], tests: Sequence[TestResult], count: int
) -> Row:
    """Returns the row of a comparison.

    ``names`` are those of the measure and of both sides. Of the ``count`` repeats, those in which a side has
    no value are not in ``tests``.
    """
    measure, first, second = names
    numbers = np.array([result[3:] for result in tests], dtype=float).T if tests else _NO_NUMBERS
    p, adjusted, p_equivalence, mean_first, mean_second, sd_first, sd_second, g = numbers
    is_found = adjusted <= design.level
    bound = design.equivalence.get(measure, math.nan)
    equivalence: tuple[float, ...] = (math.nan,) * 3
    if measure in design.equivalence:
        equivalence = intervals.wilson_interval(int((p_equivalence <= design.level).sum()), count)[:3]
    cells = [measure, design.test, design.level, design.within, first, second]
    cells += [_participants(design, size, first), _participants(design, size, second), count]
    cells += [*intervals.wilson_interval(int(is_found.sum()), count)[:3]]
    cells += [float((is_found & (mean_first > mean_second)).sum()) / count, bound, *equivalence]
    cells += [count - int(np.isfinite(p).sum())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about means of NaN only
        means = [float(np.nanmean(values)) for values in (mean_first, mean_second, sd_first, sd_second, g)]
    cells += [*means[:4], means[0] - means[1], means[4]]
    return dict(zip(COLUMNS, map(_cell, cells)))


def _participants(design: Design, size: int, condition: str) -> int:
    """Returns the number of participants in a treatment, or in all within persons and in mixed models."""
    is_of_all = design.within or design.test == MIXED_MODEL
    return sum(size * arm.share for arm in design.arms if is_of_all or arm.name == condition)


def draw_curve(design: Design, rows: Sequence[Row]) -> Any:
    """Returns a ``drawing.Drawing`` of the power by number of participants, with a line per comparison.

    For a measure with a smallest difference of interest, this is the power to show equivalence.
    """
    from cardlab.analysis.report import drawing

    lines = []
    for row in rows:
        name, kind = " and ".join(filter(None, (row["first"], row["second"]))), power_kind(row)
        if len(design.measures) > 1:
            name = f"{row['measure']}: {name}"
        lines.append(
            {
                "pair": f"{name} (equivalent)" if kind != POWER else name,
                "participants": row["participants_first"],
                "mean": row[kind],
                "low": row[f"{kind}_low"],
                "high": row[f"{kind}_high"],
            }
        )
    label = "Participants"
    if not design.within and design.test != MIXED_MODEL:
        has_equal_shares = len({arm.share for arm in design.arms}) == 1
        label += f" in {'each treatment' if has_equal_shares else rows[0]['first']}"
    repeats = f"Power: p ≤ {design.level:g} in {design.repeats:,} repeats"
    return drawing.Drawing(_draw_power, (pd.DataFrame(lines), (label, repeats)), {})


def power_kind(row: Row) -> str:
    """Returns the column with the power of a row: of the equivalence test if the row has a bound."""
    return POWER if row["equivalent_within"] == "" else POWER_OF_EQUIVALENCE


def _draw_power(frame: Any, labels: tuple[str, str]) -> Any:
    from cardlab.analysis.report import curve_plots, plot_style

    figure = curve_plots.draw_curves(frame, "participants", labels, 0, 1.02).figure
    for axes in figure.axes:
        axes.axhline(TARGET_POWER, color=plot_style.SOFT, linewidth=1, linestyle=":")
    return figure


def describe_row(row: Row) -> str:
    """Returns a row as a sentence for the terminal."""
    kind = power_kind(row)
    purpose = "power" if kind == POWER else f"power to show a difference below {row['equivalent_within']:g}"
    names = f"{row['first']} ({row['participants_first']})"
    if row["second"]:
        names += f" and {row['second']} ({row['participants_second']})"
    return (
        f"{row['measure']}, {names}: "
        f"{purpose} {row[kind]:.3f} [{row[f'{kind}_low']:.3f}, {row[f'{kind}_high']:.3f}]"
    )


def _cell(value: Any) -> Any:
    return ("" if math.isnan(value) else round(value, 6)) if isinstance(value, float) else value
