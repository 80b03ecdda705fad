"""Measures each person separately at each level of a column of hands, for comparisons within persons."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pandas as pd

from cardlab.analysis import model
from cardlab.analysis.baselines import iterate_records
from cardlab.analysis.cli import format_count
from cardlab.analysis.persons import PERSON, VISIT
from cardlab.analysis.report.data import MAX_CONDITIONS, PARTICIPANT_KEY, ReportData
from cardlab.games.contract import BadFile
from cardlab.games.statistics import Row

OPTION = "--within"


def measure_levels(data: ReportData, column: str) -> pd.DataFrame:
    """Returns a row for each person and level: ``person``, ``condition`` (the level), ``group``, measures.

    The measures of participants are computed from the person's hands at that level, of all their sessions.
    Hands with an empty cell are left out. ``deals`` has the deals of these hands.

    Parameters:
        data: the hands.
        column: a column of the table of hands, or of the table for models; or a setting.

    Raises:
        BadFile: If there is no such column, or if it has one value, or more than ``MAX_CONDITIONS``.
    """
    hands: dict[tuple[str, str], list[Row]] = defaultdict(list)
    groups: dict[str, int] = {}
    is_known = False
    for row, cells in _iterate_hands(data):
        is_known |= column in cells
        level = cells[column] if column in cells else _read_settings(row["settings"]).get(column, "")
        if level not in ("", None):
            person = row.get(PERSON) or "/".join(row[name] for name in PARTICIPANT_KEY)
            hands[person, _name_level(column, level)].append(row)
            groups[person] = row["group"]
    levels = {level for _person, level in hands}
    if not levels and not is_known:
        raise BadFile(OPTION, f"There is no column or setting {column!r} of hands.")
    if not 1 < len(levels) <= MAX_CONDITIONS:
        count = format_count(len(levels), "level")
        raise BadFile(OPTION, f"{column} has {count}; 2 to {MAX_CONDITIONS} can be compared.")
    for rows in hands.values():
        rows.sort(key=lambda row: row.get(VISIT, 1))
    measures = data.game.performance.participant_measures
    found = [
        {
            **{PERSON: person, "condition": level, "group": groups[person]},
            "deals": frozenset(row["deal"] for row in rows),
            **{measure.__name__: measure(rows, data.thresholds) for measure in measures},
        }
        for (person, level), rows in hands.items()
    ]
    return pd.DataFrame(found)


def _iterate_hands(data: ReportData) -> Iterator[tuple[Row, Row]]:
    """Yields each hand that counts, and its cells with those of the table for models."""
    counted = data.counted.astype(object)
    counted = counted.where(counted.notna(), "").sort_values("place", kind="stable")
    model_cells = data.game.performance.model[1]
    for _person, own in counted.groupby(PARTICIPANT_KEY, sort=False):
        rows = list(iterate_records(own))
        for row, further in zip(rows, model_cells(rows, data.thresholds)):
            yield row, {**row, "block": row.get("block") or (row["number"] - 1) // model.BLOCK + 1, **further}


@lru_cache(maxsize=64)
def _read_settings(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def _name_level(column: str, level: Any) -> str:
    """Returns the name of a level: ``later``, but ``tempting 1`` where the cell is a number."""
    if isinstance(level, (int, float)):
        return f"{column} {level:g}"
    return str(level)
