"""Computes the figures of a replicated study from data, with intervals, next to the published ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any

import pandas as pd

from cardlab.analysis import compare, within
from cardlab.analysis.games.ttt.replications import (
    AGREES,
    COLUMNS,
    DIFFERENT,
    NOT_KNOWN,
    OPPOSITE,
    UNCLEAR,
)
from cardlab.analysis.games.ttt.replications.study import Contrast, Figure, Level, Study
from cardlab.analysis.inference.intervals import estimate_interval
from cardlab.analysis.persons import PERSON
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.analysis.report.page import Section, Table
from cardlab.games.contract import BadFile

_NO_DATA = {
    "estimate": nan,
    "low": nan,
    "high": nan,
    "n": 0,
    "clusters": 0,
    "method": "no data",
    "result": "",
}


def build_section(study: Study, data: ReportData) -> Section:
    """Builds the section with the published findings, the figures of the data, and what is not known."""
    text = (
        f"{study.title}. {study.citation}. Read for this replication: {study.read}. {study.about}\n\n"
        "All hands count that are over, without practice; exclusions of a preregistration are not applied "
        "here. A published number is compared with the interval alone, as if it were exact."
    )
    findings = pd.DataFrame(build_rows(study, data), columns=list(COLUMNS))
    unknown = pd.DataFrame({"point": study.unknown})
    main = ("claim", "published", "estimate", "low", "high", "result")
    return Section(
        "Replication",
        text,
        [
            Table("replication", "Published findings and these data", findings, meanings=COLUMNS, main=main),
            Table("unknown", "What the source leaves open, and the choice here", unknown),
        ],
    )


def build_rows(study: Study, data: ReportData) -> Iterator[dict[str, Any]]:
    """Yields the cells of ``COLUMNS`` for each figure of the study."""
    for figure in study.figures:
        identity = {
            "claim": figure.claim,
            "source": figure.source,
            "published": NOT_KNOWN if figure.published is None else f"{figure.published:g}",
            "figure": _describe(figure),
        }
        try:
            yield identity | compute(figure, data)
        except BadFile as wrong:  # such as one value of a column, because a session was not yet held
            yield identity | _NO_DATA | {"method": wrong.message}


def compute(figure: Figure, data: ReportData) -> dict[str, Any]:
    """Returns the cells of a figure. Raises BadFile if a column is unknown, or has one value only."""
    people = _measure_people(data, figure.at)
    if figure.where:
        if figure.where.column not in people:
            raise BadFile("where", f"There is no column {figure.where.column!r} of participants.")
        people = people[people[figure.where.column] == figure.where.value]
    if figure.contrast is None:
        return _estimate(figure, people)
    column = figure.contrast.column
    is_within = column not in people
    sides = within.measure_levels(data, column) if is_within else people.assign(condition=people[column])
    return _compare(figure.measure, figure.contrast, sides, data, is_within)


def _describe(figure: Figure) -> str:
    parts = ["share of participants" if figure.select else "mean"]
    if figure.contrast:
        parts = [f"{figure.contrast.first} against {figure.contrast.second}"]
    parts += [f"{level.column} {level.value}" for level in (figure.at, figure.where) if level]
    return f"{figure.measure}: {', '.join(parts)}"


def _measure_people(data: ReportData, at: Level | None) -> pd.DataFrame:
    """Returns a row for each participant, with cluster, condition and measures.

    With ``at``, there is a row for each person, and measures are those of the hands at that level. Classes of
    participants remain those of all hands.
    """
    groups = data.hands.drop_duplicates(PARTICIPANT_KEY).set_index(PARTICIPANT_KEY)["group"]
    people = data.participants.join(groups, on=PARTICIPANT_KEY)
    if at is None:
        return people
    if PERSON not in people:
        people = people.assign(**{PERSON: people[PARTICIPANT_KEY].agg("/".join, axis=1)})
    levels = within.measure_levels(data, at.column)
    names = (at.value, f"{at.column} {at.value}")
    own = levels[levels["condition"].isin(names)].drop(columns=["condition", "group", "deals"])
    is_class = people.apply(lambda column: column.map(lambda cell: isinstance(cell, str)).any())
    fixed = people.loc[:, is_class | people.columns.isin(["group"])].drop_duplicates(PERSON)
    kept = [PERSON, *(name for name in own if name not in fixed)]
    return fixed.merge(own[kept], on=PERSON)


def _estimate(figure: Figure, people: pd.DataFrame) -> dict[str, Any]:
    values, bounds = people[figure.measure], (0.0, 1.0)
    if figure.select:
        values = values[values.notna()].map(figure.select).astype(float)
    else:
        values = pd.to_numeric(values)
        bounds = compare.possible_range(figure.measure, values.dropna())
    found = estimate_interval(values, people.loc[values.index, "group"], bounds)
    cells = {name: getattr(found, name) for name in ("estimate", "low", "high", "n", "clusters", "method")}
    return cells | {"result": _judge_number(figure.published, found.estimate, found.low, found.high)}


def _judge_number(published: float | None, estimate: float, low: float, high: float) -> str:
    if published is None or pd.isna(estimate):
        return ""
    low, high = (estimate if pd.isna(bound) else bound for bound in (low, high))
    return AGREES if low <= published <= high else DIFFERENT


def _compare(
    measure: str, contrast: Contrast, sides: pd.DataFrame, data: ReportData, is_within: bool
) -> dict[str, Any]:
    family = {one.__name__: name for one, name in data.game.performance.participant_measures.items()}[measure]
    names = (contrast.first, contrast.second)
    chosen = sides[sides["condition"].isin(names)]
    table = compare.compare_people(chosen, {measure: family}, [measure], is_within=is_within)
    if table.empty:
        return _NO_DATA | {"method": "a side has no participants"}
    row = table.iloc[0].to_dict()
    if row["first"] != contrast.first:
        row = compare.reverse(row)
    none = 1 if row["contrast"] == compare.RATIO else 0
    return {
        **{name: row[name] for name in ("estimate", "low", "high", "method")},
        "n": int(row["n_first"]) if is_within else int(row["n_first"] + row["n_second"]),
        "clusters": int(
            row["clusters_first"] if is_within else row["clusters_first"] + row["clusters_second"]
        ),
        "result": _judge_direction(contrast.relation, row["low"], row["high"], none),
    }


def _judge_direction(relation: str, low: float, high: float, none: float) -> str:
    if not (low > none or high < none):
        return UNCLEAR
    return AGREES if (low > none) == (relation == ">") else OPPOSITE
