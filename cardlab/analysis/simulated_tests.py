"""Tests what simulated experiments show, by the analysis of the design.

Participants are compared as :mod:`cardlab.analysis.compare` compares real ones, by another test of their
means, or by the mixed model of ``model``. A measure that depends on times is rejected, because times are not
simulated.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cardlab.analysis import compare, simulated_models
from cardlab.analysis.design import BY_COMPARE, MIXED_MODEL, Design
from cardlab.analysis.inference import comparisons
from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.power import Repeat, TestResult
from cardlab.analysis.simulated_people import (
    Times,
    constant_time,
    measure_people,
    play_experiment,
    varying_time,
)
from cardlab.games.contract import BadFile


def check_measures(design: Design) -> None:
    """Raises BadFile if a measure is not numeric, empty in the first repeat, or dependent on times."""
    size = design.participants[-1]
    first, other = (_tabulate(design, 1, size, times) for times in (constant_time, varying_time))
    for measure in design.measures:
        values = [value for value in first[measure] if value is not None and value == value]
        if texts := [value for value in values if isinstance(value, str) and value]:
            raise BadFile(design.file, f"measure must be numeric, but {measure} is not: '{texts[0]}'.")
        if not first[measure].equals(other[measure]):
            raise BadFile(
                design.file,
                f"measure: {measure} depends on times, which are not simulated. Use a measure of the moves.",
            )
    compared = {result.measure for result in _test(design, first)}
    for measure in design.measures:
        if measure not in compared:
            sides = f"values of {design.within}" if design.within else "treatments"
            raise BadFile(
                design.file,
                f"measure: {measure} cannot be compared, because fewer than two {sides} have it in the first "
                "repeat. Use other deals or more hands.",
            )


def simulate_repeat(task: tuple[Design, int]) -> Repeat:
    """Simulates the repeat with a number, and returns the comparisons of each size."""
    design, number = task
    table = _tabulate(design, number, design.participants[-1])
    return [_test_size(design, table[table["order"] < size]) for size in design.participants]


def _tabulate(design: Design, repeat: int, size: int, times: Times = constant_time) -> pd.DataFrame:
    """Returns the table that the test of the design needs, with the ``order`` of each participant."""
    if design.test != MIXED_MODEL:
        return measure_people(design, repeat, size, times)
    played = play_experiment(design, repeat, size, times)
    order = {one.person: one.order for one in played}
    table = simulated_models.build_table(design, played)
    return table.assign(order=table["participant_code"].map(order))


def _test_size(design: Design, table: pd.DataFrame) -> list[TestResult]:
    """Returns the comparisons of a size; none if its participants are too few for the terms of a model."""
    try:
        return _test(design, table)
    except BadFile:  # the design was checked at its largest size
        return []


def _test(design: Design, table: pd.DataFrame) -> list[TestResult]:
    if design.test != MIXED_MODEL:
        return _compare_people(design, table)
    return [
        TestResult(measure, name, "", p, p, math.nan, estimate, 0.0, math.nan, math.nan, math.nan)
        for measure in design.measures
        for name, estimate, p in simulated_models.fit_model(design, measure, table)
    ]


def _compare_people(design: Design, people: pd.DataFrame) -> list[TestResult]:
    families = {
        measure.__name__: family
        for measure, family in design.game.performance.participant_measures.items()
        if measure.__name__ in design.measures
    }
    table = compare.compare_people(
        people, families, design.measures, equivalence=design.equivalence, is_within=bool(design.within)
    )
    if design.test != BY_COMPARE:
        test = _TESTS[design.test]
        table["p"] = [
            _p_of_cluster_means(test, people, row.measure, (row.first, row.second))
            for row in table.itertuples()
        ]
        table["p_adjusted"] = comparisons.holm(table["p"].tolist())
    return [TestResult(*row) for row in table[[*TestResult._fields]].itertuples(index=False)]


_TESTS: dict[str, Callable[[Floats, Floats], Any]] = {
    "t": lambda one, other: stats.ttest_ind(one, other, equal_var=False),
    "rank": stats.mannwhitneyu,
}


def _p_of_cluster_means(
    test: Callable[[Floats, Floats], Any], people: pd.DataFrame, measure: str, conditions: tuple[str, str]
) -> float:
    """Returns the p of a test of the means of clusters; NaN if it cannot be computed."""
    known = people[people[measure].notna()]
    sides = [known[known["condition"] == condition] for condition in conditions]
    means = [side.groupby("group")[measure].mean().to_numpy(float) for side in sides]
    if min(map(len, means)) < 2 or np.ptp(np.concatenate(means)) == 0:
        return math.nan
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # about sides with equal values
        return float(test(*means).pvalue)
