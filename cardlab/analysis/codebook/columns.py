"""Finds the type and meaning of every column of a table.

A table is identified by its columns. The columns of exports and reports are declared in the code, with their
meanings. Columns of oTree's own tables are recognized one by one (``otree_columns``). A type that is not
declared is inferred from the cells.
"""

import contextlib
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from cardlab.analysis import baselines, hands, moves, persons
from cardlab.analysis.codebook import otree_columns, report_columns
from cardlab.analysis.games import command_tables, modules
from cardlab.analysis.spreadsheets import open_table
from cardlab.games.columns import column_type, measure_columns
from cardlab.games.factors import COLUMN
from cardlab.games.registry import games_by_name
from cardlab.games.tables import (
    ACTION_COLUMNS,
    ANSWER_COLUMNS,
    BROWSER_EVENT_COLUMNS,
    CONSENT_COLUMNS,
    DIGEST_COLUMN,
    HAND_COLUMNS,
    HAND_IDENTITY_COLUMNS,
    NOTICE_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    RECORD_END_COLUMNS,
    TUTORIAL_COLUMNS,
    payment_columns,
)

# Columns that only some tables of the analysis have.
_CONDITION = {"condition": "the condition of the participant"}
_OPTIONAL = {**_CONDITION, **persons.COLUMNS}
_PARTICIPANT = {
    **{name: PARTICIPANT_COLUMNS[name] for name in ("session_code", "participant_code", "participant_label")},
    "name": "what the plots call the participant",
}
_IDENTITY = {**PARTICIPANT_ID_COLUMNS, **HAND_IDENTITY_COLUMNS}  # the same meaning in every table
_LEVEL = (
    "the participant's level of this factor of the treatment file; empty if its session has no such factor"
)
# Modules of games with a table whose libraries take a second to load.
_TABLES = "choices", "choice_fits", "choice_power", "depth_power", "depth_table", "replications", "routines"
# Tables of earlier versions lack these columns.
_ADDED_LATER = {"treatment", *RECORD_END_COLUMNS, *DIGEST_COLUMN}

# oTree's columns by the ends of their names, for which inference from the cells could go wrong.
_OTREE_TYPES = {
    "code": "text",
    "label": "text",
    "mturk_worker_id": "text",
    "mturk_assignment_id": "text",
    "payoff": "number",
    "real_world_currency_per_point": "number",
    "participation_fee": "number",
}


class Column(NamedTuple):
    """A row of the codebook. In column names of oTree's wide file ``#`` stands for the round number."""

    file: str
    column: str
    type: str
    meaning: str


@cache
def declared_tables() -> list[dict[str, str]]:
    """Returns the columns of each declared table, by name, with their meanings."""
    tables = [ACTION_COLUMNS, PARTICIPANT_COLUMNS, TUTORIAL_COLUMNS, CONSENT_COLUMNS, ANSWER_COLUMNS]
    tables += [NOTICE_COLUMNS, BROWSER_EVENT_COLUMNS, otree_columns.PAGE_TIMES, *command_tables()]
    tables += [
        {**identity, **search.COLUMNS}
        for search in modules("best")
        for identity in (hands.SEARCHED_HAND, hands.SEARCHED_DEAL)
    ]
    with contextlib.suppress(ModuleNotFoundError):  # without pandas there are no tables of reports
        from cardlab.analysis import compare, exclusions, model, power
        from cardlab.analysis.preregistration import review
        from cardlab.analysis.report import quality
        from cardlab.analysis.validation import figure

        tables += [quality.COLUMNS, {**quality.COLUMNS, **quality.BROWSER_COLUMNS}]
        tables += [power.COLUMNS, compare.COLUMNS, exclusions.COLUMNS, figure.COLUMNS]
        tables += [review.RESULT_COLUMNS, review.POINT_COLUMNS]
        tables += [table.columns() for table in modules("pairs")]
        tables += [table.COLUMNS for name in _TABLES for table in modules(name)]
        for performance in (game.performance for game in games_by_name().values()):
            columns = {**model.COLUMNS, **performance.model[0], **model.OUTCOME}
            columns |= measure_columns(performance.hand_measures)
            tables.append({name: columns[name] for name in columns.keys() - _CONDITION.keys()})
    for game in games_by_name().values():
        hand_measures, participant_measures = (
            measure_columns(measures)
            for measures in (game.performance.hand_measures, game.performance.participant_measures)
        )
        tables += [
            {**HAND_COLUMNS, **game.measures.COLUMNS, **RECORD_END_COLUMNS, **DIGEST_COLUMN},
            {**hands.COLUMNS, **game.measures.COLUMNS, **hand_measures, **hands.SOURCE},
            {**_PARTICIPANT, **participant_measures, **baselines.baseline_columns(game)},
            *(
                {**PART_COLUMNS, **columns, **DIGEST_COLUMN}
                for columns, _rows in game.measures.PARTS.values()
            ),
            *({**moves.IDENTITY_COLUMNS, **columns} for columns, _rows in game.performance.parts.values()),
        ]
    return tables


@cache
def _measure(name: str) -> str:
    """Returns the meaning of a column of hands, participants or parts of hands, "" if no game has it.

    A table of a report may have means of the measure, so it has no type.
    """
    games = [*games_by_name().values()]
    tables = [HAND_COLUMNS, *(game.measures.COLUMNS for game in games)]
    for game in games:
        tables.append(measure_columns(game.performance.hand_measures))
        tables.append(measure_columns(game.performance.participant_measures))
    tables += [columns for game in games for columns, _rows in game.measures.PARTS.values()]
    with contextlib.suppress(ModuleNotFoundError):  # without pandas there are no tables of reports
        tables += [table.columns() for table in modules("pairs")]
    return next((str(table[name]) for table in tables if name in table), "")


def describe_columns(
    file: str, header: list[str], rows: Iterable[list[str]], own: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Column]:
    """Yields a description of each column of a table.

    Parameters:
        file: The name of the table. That of a table of one app is the app's.
        header: The names of the columns.
        rows: The cells, from which types are inferred that are not declared.
        own: The meanings of fields of a researcher's own apps, by ``app.model.field``.
    """
    factors = {name: _LEVEL for name in header if name.startswith(COLUMN)}
    names = set(header) - _OPTIONAL.keys() - factors.keys()
    paying = [name.removesuffix("_points") for name in header if name.endswith("_points")]
    for table in (*declared_tables(), payment_columns(paying)):
        if names <= table.keys() and table.keys() - names <= _ADDED_LATER:
            meanings = {**table, **_OPTIONAL, **factors}
            yield from (Column(file, name, column_type(meanings[name]), meanings[name]) for name in header)
            return
    stem = PurePosixPath(file).stem
    for name, kind in infer_types(header, rows).items():
        if "." in name:
            meaning = otree_columns.meaning_of(name, own, stem)
        else:
            meaning = report_columns.meaning_of(stem, name) or _IDENTITY.get(name, "")
            meaning = meaning or report_columns.category_of(stem, name) or _measure(name)
        declared = column_type(meaning)
        yield Column(file, name, kind if declared == "text" and name not in _IDENTITY else declared, meaning)


def infer_types(header: list[str], rows: Iterable[list[str]]) -> dict[str, str]:
    """Returns the type of each column by name without the round: the first type that all its cells fit."""
    cells: dict[str, set[str]] = {}
    for name in header:
        cells.setdefault(strip_round(name), set())
    for row in rows:
        for name, cell in zip(header, row):
            cells[strip_round(name)].add(cell)
    return {name: _type_by_name(name) or _infer_type(values - {""}) for name, values in cells.items()}


def strip_round(name: str) -> str:
    """Replaces the round in a column's name: ``app.12.player.payoff`` becomes ``app.#.player.payoff``."""
    return re.sub(r"\.\d+\.", ".#.", name)


def read_header(file: Path) -> list[str]:
    """Returns the names of a table's columns."""
    with open_table(file) as text:
        return next(csv.reader(text), [])


def _type_by_name(name: str) -> str | None:
    last_part = name.rpartition(".")[2]
    kinds = (
        kind for word, kind in _OTREE_TYPES.items() if last_part == word or last_part.endswith(f"_{word}")
    )
    return next(kinds, None)


def _infer_type(cells: set[str]) -> str:
    for kind in ("logical", "integer", "number", "time"):
        if cells and all(map(MATCHES_TYPE[kind], cells)):
            return kind
    return "text"


MATCHES_TYPE: Mapping[str, Callable[[str], Any]] = {
    "logical": ("True", "False").__contains__,
    "integer": re.compile(
        r"-?(0|[1-9]\d{0,14})"
    ).fullmatch,  # fits into a double, and is not a label like 007
    "number": re.compile(r"-?\d{1,15}(\.\d+)?(e-?\d+)?").fullmatch,
    "time": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,6}Z?").fullmatch,  # oTree writes a space
}
"""Functions that return whether a cell fits a type."""
