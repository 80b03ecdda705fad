"""Compares every pair of conditions in every measure of participants.

:mod:`cardlab.analysis.inference` computes the intervals, effect sizes and p values. The unit of observation
is a participant, or in games for several, a cluster of participants who have met directly or through others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import inf, log, nan
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cardlab.analysis.inference import comparisons
from cardlab.analysis.persons import PERSON
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.games.columns import GuardedText, Integer, Number, Share, measure_columns
from cardlab.games.contract import BadFile
from cardlab.games.performance import DESIGN, FAMILIES, SPEED
from cardlab.games.registry import games_by_name

PRIMARY, SECONDARY, DESCRIPTIVE = "primary", "secondary", "descriptive"
ROLES = (PRIMARY, SECONDARY, DESCRIPTIVE)
DIFFERENCE, RATIO = "difference", "ratio"
ADJUSTMENTS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": comparisons.holm,
    "fdr": comparisons.benjamini_hochberg,
}

CONFOUNDED = (
    "The compared hands have different deals. So measures such as moves or seconds also depend on the deals; "
    "compare measures relative to best play."
)

COLUMNS = {
    "role": (
        "`primary`: named with `--measure`; `secondary`; `descriptive`: determined by the design, not tested"
    ),
    "family": "the family of the measure: " + ", ".join(f"`{name}`" for name in FAMILIES),
    "measure": "a measure of participants",
    "first": GuardedText("the two conditions or values"),
    "second": GuardedText("the two conditions or values"),
    "n_first": Integer("participants with a value; with `--within`, persons with both"),
    "n_second": Integer("participants with a value; with `--within`, persons with both"),
    "clusters_first": Integer("independent observations: participants, or groups of those who met"),
    "clusters_second": Integer("independent observations: participants, or groups of those who met"),
    "mean_first": Number("mean; geometric mean where `contrast` is `ratio`"),
    "mean_second": Number("mean; geometric mean where `contrast` is `ratio`"),
    "sd_first": Number("standard deviation; that of logarithms where `contrast` is `ratio`"),
    "sd_second": Number("standard deviation; that of logarithms where `contrast` is `ratio`"),
    "contrast": "`difference` of means, or `ratio` of geometric means (of times)",
    "estimate": Number("the difference, first minus second, or the ratio, first divided by second"),
    "low": Number("bounds of the 95 % interval of the estimate"),
    "high": Number("bounds of the 95 % interval of the estimate"),
    "method": (
        "method of the interval and of p: `permuted Welch's t`, or with few clusters `Welch's t over "
        "clusters`; `paired t over clusters` if clusters have both conditions; `Newcombe`, `none` or "
        "`not tested`"
    ),
    "hedges_g": Number("Hedges' g, of logarithms where `contrast` is `ratio`"),
    "rank_biserial": Number("rank-biserial correlation"),
    "p": Number("two-sided p; empty if a condition has fewer than two clusters"),
    "p_adjusted": Number("p adjusted for all primary tests, or for the secondary tests of the family"),
    "equivalent_within": Number("the smallest difference or ratio of interest, from `--equivalence`"),
    "p_equivalence": Number(
        "p of the null hypothesis that the effect is at least that large (two one-sided tests)"
    ),
    "bayes_factor": Number("with `--bayes-factors`: the Bayes factor of a difference against no difference"),
}
# Words in the names of measures that can be negative, even if no participant has such a value.
_SIGNED = ("score", "excess_over", "lead", "change", "learning_rate", "persistence", "recovery")
# The cells of measures in the family DESIGN, which the design determines.
NOT_TESTED = {
    **dict.fromkeys(("low", "high", "hedges_g", "rank_biserial", "p", "p_equivalence", "bayes_factor"), nan),
    "method": "not tested",
}


def build_table(
    data: ReportData,
    primary: Sequence[str] = (),
    adjust: str = "holm",
    equivalence: Mapping[str, float] | None = None,
    levels: pd.DataFrame | None = None,
    bayes_factors: bool = False,
) -> pd.DataFrame:
    """Returns the table with :data:`COLUMNS`, sorted by role and family, then in the order of the game.

    If one measure determines another, only the first of them is compared.

    Parameters:
        data: the participants and their conditions.
        primary: the names of the primary measures.
        adjust: one of ``ADJUSTMENTS``, for secondary measures; primary ones are always adjusted by Holm.
        equivalence: by measure, the smallest difference of interest; for times, the smallest ratio (above 1).
        levels: the persons at each level of a column (``within.measure_levels``), to compare these within
            persons instead of conditions.
        bayes_factors: whether to fill that column.

    Raises:
        BadFile: If a measure is unknown, or if there is only one condition.
    """
    equivalence = equivalence or {}
    measures = data.game.performance.participant_measures
    families = {measure.__name__: family for measure, family in measures.items()}
    _check_measures(data, families, "--measure", primary)
    _check_measures(data, families, "--equivalence", equivalence)
    if levels is None:
        return compare_people(
            _list_people(data), families, primary, adjust, equivalence, False, bayes_factors
        )
    return compare_people(levels, families, primary, adjust, equivalence, True, bayes_factors)


def compare_people(
    people: pd.DataFrame,
    families: Mapping[str, str],
    primary: Sequence[str],
    adjust: str = "holm",
    equivalence: Mapping[str, float] = MappingProxyType({}),
    is_within: bool = False,
    bayes_factors: bool = False,
) -> pd.DataFrame:
    """Returns the table of :func:`build_table` of any people, such as simulated ones.

    Parameters:
        people: one row for each participant and condition, or for each person and level: ``condition``,
            ``group`` (the cluster), the measures, and ``persons.PERSON`` if persons took part several times.
        families: the measures to compare, with their families.
        primary, adjust, equivalence, bayes_factors: as in :func:`build_table`.
        is_within: whether to compare within persons.
    """
    if PERSON in people and not is_within:
        people = _average_visits(people, families)
    rows: list[dict[str, Any]] = []
    compared: list[pd.Series] = []
    for name, family in sorted(families.items(), key=lambda item: (item[0] not in primary, _rank(item[1]))):
        if _has_text(people[name]):
            continue
        values = pd.to_numeric(people[name])
        if name not in (*primary, *equivalence) and any(_follows_from(values, other) for other in compared):
            continue
        compared.append(values)
        role = PRIMARY if name in primary else DESCRIPTIVE if family == DESIGN else SECONDARY
        same = {"role": role, "family": family, "measure": name}
        for row in _compare_measure(values, people, name, family, equivalence.get(name), is_within):
            rows.append(same | row | (NOT_TESTED if role == DESCRIPTIVE else {}))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table = table.sort_values("role", key=lambda roles: roles.map(ROLES.index), kind="stable")
    table["p_adjusted"] = nan
    if not bayes_factors:
        table["bayes_factor"] = nan
    for (role, _family), own in table.groupby(["role", table["family"].where(table["role"] != PRIMARY, "")]):
        method = comparisons.holm if role == PRIMARY else ADJUSTMENTS[adjust]
        table.loc[own.index, "p_adjusted"] = method(own["p"].tolist())
    return table.reset_index(drop=True)


def deals_differ(data: ReportData, levels: pd.DataFrame | None = None) -> bool:
    """Returns whether the conditions or levels have different deals, which then differ in difficulty too."""
    if levels is None:
        return bool(data.counted.groupby("condition")["deal"].agg(frozenset).nunique() > 1)
    return len({frozenset().union(*own) for _level, own in levels.groupby("condition")["deals"]}) > 1


def _list_people(data: ReportData) -> pd.DataFrame:
    """Returns the participants with their cluster, ``group``. Raises BadFile if there is one condition."""
    if data.participants["condition"].nunique() < 2:
        raise BadFile(
            "--by",
            "All participants are in the same condition. Name a column or a setting that differs "
            "between them with --by.",
        )
    groups = data.hands.drop_duplicates(PARTICIPANT_KEY).set_index(PARTICIPANT_KEY)["group"]
    return data.participants.join(groups, on=PARTICIPANT_KEY)


def _average_visits(people: pd.DataFrame, measures: Iterable[str]) -> pd.DataFrame:
    """Returns one row for each person and condition, with the means over the person's participations."""
    numeric = [name for name in measures if not _has_text(people[name])]
    people = people.assign(**{name: pd.to_numeric(people[name]) for name in numeric})
    rules = dict.fromkeys(people.columns, "first") | dict.fromkeys(numeric, "mean")
    return people.groupby([PERSON, "condition"], as_index=False).agg(rules)


def _has_text(values: pd.Series) -> bool:
    """Returns whether a measure is text: a class, or a route like 422."""
    return bool(values.map(lambda value: isinstance(value, str)).any())


def _check_measures(
    data: ReportData, families: Mapping[str, str], option: str, measures: Sequence[str] | Mapping[str, float]
) -> None:
    for name in measures:
        if name not in families:
            names = ", ".join(families)
            raise BadFile(option, f"{data.game.title} has no measure {name!r}. The measures are {names}.")


def _rank(family: str) -> int:
    return list(FAMILIES).index(family)


def _follows_from(values: pd.Series, other: pd.Series) -> bool:
    """Returns whether values are those of another measure, or their complements, such as two shares."""
    known = values.notna()
    if not known.any() or not known.equals(other.notna()):
        return False
    own, theirs = values[known], other[known]
    return bool(np.ptp(own) > 0 and (np.allclose(own, theirs) or np.allclose(own, 1 - theirs)))


def _compare_measure(
    values: pd.Series,
    people: pd.DataFrame,
    name: str,
    family: str,
    equivalence: float | None,
    is_within: bool,
) -> list[dict[str, Any]]:
    """Compares each pair of conditions in a measure: times by their ratio, others by their difference."""
    values = values.dropna()
    compared = people.loc[values.index]
    if compared["condition"].nunique() < 2:
        return []
    is_ratio = family == SPEED and bool((values > 0).all())
    if is_ratio and equivalence == 1:
        raise BadFile(
            "--equivalence", f"{name} is compared by a ratio. Name one that differs from 1, such as 1.1."
        )
    bound = abs(log(equivalence)) if is_ratio and equivalence else equivalence
    found = comparisons.compare_conditions(
        np.log(values) if is_ratio else values,
        compared["condition"],
        compared["group"],
        within=(-inf, inf) if is_ratio else possible_range(name, values),
        equivalence=bound,
        persons=compared[PERSON] if is_within else None,
    )
    rows = [comparison._asdict() for comparison in found]
    for row in rows:
        row |= {"contrast": DIFFERENCE, "estimate": row["difference"], "equivalent_within": equivalence}
        if is_ratio:
            row["contrast"] = RATIO
            row |= {
                key: float(np.exp(row[key]))
                for key in ("mean_first", "mean_second", "estimate", "low", "high")
            }
    return rows


def reverse(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of a comparison with its sides exchanged."""
    is_ratio = row["contrast"] == RATIO
    estimate, low, high = (1 / row[name] if is_ratio else -row[name] for name in ("estimate", "high", "low"))
    return row | {"estimate": estimate, "low": low, "high": high}


def possible_range(measure: str, values: pd.Series) -> tuple[float, float]:
    """Returns the bounds of a measure: 0 to 1 for shares, at least 0 if no value is negative or could be."""
    if measure in _shares() and values.between(0, 1).all():
        return 0, 1
    if any(word in measure for word in _SIGNED):
        return -inf, inf
    return (0, inf) if len(values) and values.min() >= 0 else (-inf, inf)


@cache
def _shares() -> frozenset[str]:
    """Returns the names of the measures that all games declare as shares."""
    declared = [game.performance for game in games_by_name().values()]
    return frozenset(
        name
        for performance in declared
        for measures in (performance.hand_measures, performance.participant_measures)
        for name, meaning in measure_columns(measures).items()
        if isinstance(meaning, Share)
    )
