"""Measures each person separately at each level of a column of hands, for comparisons within persons."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from cardlab.analysis import model
from cardlab.analysis.baselines import iterate_records
from cardlab.analysis.persons import PERSON, VISIT
from cardlab.analysis.report.data import MAX_CONDITIONS, PARTICIPANT_KEY, ReportData
from cardlab.games.contract import BadFile
from cardlab.games.performance import Measure
from cardlab.games.registry import Game
from cardlab.games.statistics import Row

OPTION = "--within"


class Participation(NamedTuple):
    """The hands of a person in a session that count, in the order of play, and the person's cluster."""

    person: str
    group: int
    hands: list[Row]


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
    measures = data.game.performance.participant_measures
    participations = _iterate_participations(data)
    levels = measure_participations(data.game, data.thresholds, participations, column, measures)
    count = levels["condition"].nunique()
    if not 1 < count <= MAX_CONDITIONS:
        found = f"{count} level{'' if count == 1 else 's'}"
        raise BadFile(OPTION, f"{column} has {found}; 2 to {MAX_CONDITIONS} can be compared.")
    return levels


def measure_participations(
    game: Game,
    thresholds: Any,
    participations: Iterable[Participation],
    column: str,
    measures: Collection[Measure],
) -> pd.DataFrame:
    """Returns the table of :func:`measure_levels` with some ``measures``, and with any number of levels.

    Raises BadFile if no hand has such a column or setting.
    """
    hands: dict[tuple[str, str], list[Row]] = defaultdict(list)
    groups: dict[str, int] = {}
    is_known = False
    for person, group, rows in participations:
        groups[person] = group
        for row, cells in _add_cells(game, thresholds, rows):
            is_known |= column in cells
            level = cells[column] if column in cells else _read_settings(row["settings"]).get(column, "")
            if level not in ("", None):
                hands[person, _name_level(column, level)].append(row)
    if not hands and not is_known:
        raise BadFile(OPTION, f"There is no column or setting {column!r} of hands.")
    for rows in hands.values():
        rows.sort(key=lambda row: row.get(VISIT, 1))
    found = [
        {
            **{PERSON: person, "condition": level, "group": groups[person]},
            "deals": frozenset(row["deal"] for row in rows),
            **{measure.__name__: measure(rows, thresholds) for measure in measures},
        }
        for (person, level), rows in hands.items()
    ]
    names = [PERSON, "condition", "group", "deals", *(measure.__name__ for measure in measures)]
    return pd.DataFrame(found, columns=names)


def _iterate_participations(data: ReportData) -> Iterator[Participation]:
    counted = data.counted.astype(object)
    counted = counted.where(counted.notna(), "").sort_values("place", kind="stable")
    for _person, own in counted.groupby(PARTICIPANT_KEY, sort=False):
        rows = list(iterate_records(own))
        person = rows[0].get(PERSON) or "/".join(rows[0][name] for name in PARTICIPANT_KEY)
        yield Participation(person, rows[0]["group"], rows)


def _add_cells(game: Game, thresholds: Any, rows: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Yields each hand, and a copy of its cells with those of the table for models."""
    for row, further in zip(rows, game.performance.model[1](rows, thresholds)):
        yield row, {**row, "block": row.get("block") or (row["number"] - 1) // model.BLOCK + 1, **further}


@lru_cache(maxsize=64)
def _read_settings(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def _name_level(column: str, level: Any) -> str:
    """Returns the name of a level: ``later``, but ``tempting 1`` where the cell is a number."""
    if isinstance(level, (int, float)):
        return f"{column} {level:g}"
    return str(level)
