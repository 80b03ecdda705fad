"""Compares every pair of conditions in every measure of participants.

:mod:`cardlab.analysis.inference` computes the intervals, effect sizes and p values. The unit of observation
is a participant, or where people play with each other, all who have met directly or through others.
"""

from collections.abc import Sequence
from math import inf, nan

import pandas as pd

from cardlab.analysis.inference import comparisons
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.games.columns import GuardedText, Integer, Number
from cardlab.games.contract import BadFile
from cardlab.games.performance import DESIGN, FAMILIES

COLUMNS = {
    "family": "the family of the measure: " + ", ".join(f"`{name}`" for name in FAMILIES),
    "measure": "a measure of participants",
    "first": GuardedText("the two conditions"),
    "second": GuardedText("the two conditions"),
    "n_first": Integer("participants with a value"),
    "n_second": Integer("participants with a value"),
    "clusters_first": Integer("independent observations: participants, or groups of those who met"),
    "clusters_second": Integer("independent observations: participants, or groups of those who met"),
    "mean_first": Number("mean"),
    "mean_second": Number("mean"),
    "sd_first": Number("standard deviation"),
    "sd_second": Number("standard deviation"),
    "difference": Number("mean of the first minus mean of the second"),
    "low": Number("bounds of the 95 % interval of the difference"),
    "high": Number("bounds of the 95 % interval of the difference"),
    "method": (
        "method of the interval: `cluster bootstrap`, `Student's t over clusters`, "
        "`Newcombe`, `none` or `not tested`"
    ),
    "hedges_g": Number("Hedges' g"),
    "rank_biserial": Number("rank-biserial correlation"),
    "p": Number("two-sided permutation p with Welch's t; empty if a condition has fewer than two clusters"),
    "p_holm": Number("p adjusted by Holm for all tests of the family in the table"),
}
# The cells of measures in the family DESIGN, which the design determines.
NOT_TESTED = {**dict.fromkeys(("low", "high", "hedges_g", "rank_biserial", "p"), nan), "method": "not tested"}


def build_table(data: ReportData, measures: Sequence[str] = ()) -> pd.DataFrame:
    """Returns the table with :data:`COLUMNS`, sorted by family, then in the order of the game.

    ``measures`` names the measures to compare, by default all. Raises BadFile if a measure is unknown or if
    there is only one condition.
    """
    families = {
        measure.__name__: family for measure, family in data.game.performance.participant_measures.items()
    }
    for name in measures:
        if name not in families:
            names = ", ".join(families)
            raise BadFile(
                "--measure", f"{data.game.title} has no measure {name!r}. The measures are {names}."
            )
    if data.participants["condition"].nunique() < 2:
        raise BadFile(
            "--by",
            "All participants are in the same condition. Name a column or a setting that differs "
            "between them with --by.",
        )
    groups = data.hands.drop_duplicates(PARTICIPANT_KEY).set_index(PARTICIPANT_KEY)["group"]
    participants, rows = data.participants.join(groups, on=PARTICIPANT_KEY), []
    order = list(FAMILIES)
    for name in sorted(measures or families, key=lambda name: order.index(families[name])):
        if participants[name].map(lambda value: isinstance(value, str)).any():  # a class, or a route like 422
            continue
        values = pd.to_numeric(participants[name]).dropna()
        compared = participants.loc[values.index]
        if compared["condition"].nunique() > 1:
            within = possible_range(name, values)
            for comparison in comparisons.compare_conditions(
                values, compared["condition"], compared["group"], within=within
            ):
                row = {"family": families[name], "measure": name, **comparison._asdict()}
                rows.append(row | NOT_TESTED if families[name] == DESIGN else row)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    for _family, family_rows in table.groupby("family"):
        table.loc[family_rows.index, "p_holm"] = comparisons.holm(family_rows["p"].tolist())
    return table


def possible_range(measure: str, values: pd.Series) -> tuple[float, float]:
    """Returns the bounds of a measure: 0 to 1 for shares, at least 0 if no value is negative."""
    if measure.endswith(("share", "rate")) and values.between(0, 1).all():
        return 0, 1
    return (0, inf) if len(values) and values.min() >= 0 else (-inf, inf)
