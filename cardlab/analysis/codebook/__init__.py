"""The codebook of a folder with tables: every column with its type and meaning, and code that reads them so.

It is written twice: as a table, and as JSON in the manner of Psych-DS (a ``Dataset`` of schema.org), which
archives and programs read.

A table is known by its columns: those of the exports and of a report stand in the code, once, with their
meanings. What oTree writes, and what nobody declares, has the type that all its cells are of.
"""

from __future__ import annotations

import contextlib
import csv
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import __version__
from cardlab.analysis import baselines, hands, moves
from cardlab.analysis.games import modules
from cardlab.analysis.output import atomic_file
from cardlab.games.columns import Integer, Number, column_type, measure_columns
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name
from cardlab.games.tables import (
    ACTION_COLUMNS,
    ANSWER_COLUMNS,
    CONSENT_COLUMNS,
    HAND_COLUMNS,
    HAND_IDENTITY_COLUMNS,
    NOTICE_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    TUTORIAL_COLUMNS,
    payment_columns,
)

NAME = "codebook.csv"
DESCRIPTION = "dataset_description.json"  # the name that Psych-DS wants
READERS = ("read_data.py", "read_data.R")  # in pandas and in R; they read whatever NAME says

# What a report puts beside the columns that the code declares.
_CONDITION = {"condition": "the condition of the participant"}
_PERSON = {
    **{name: PARTICIPANT_COLUMNS[name] for name in ("session_code", "participant_code", "participant_label")},
    "name": "what the plots call the participant",
}
_WHOSE = {**PARTICIPANT_ID_COLUMNS, **HAND_IDENTITY_COLUMNS}  # which mean the same in every table
_POINT = {
    "place": "number of the hand among those that count",
    "mean": Number("mean of the participants at this point"),
    "participants": Integer("how many these are"),
    "low": Number("lower bound of the 95 % confidence interval of the mean"),
    "high": Number("its upper bound"),
    **_CONDITION,
}

# What a column is called that holds a type, in schema.org.
_DATA_TYPES = {"integer": "Integer", "number": "Number", "logical": "Boolean", "time": "DateTime"}

_LATER = {"treatment"}  # what tables of earlier versions lack

# oTree's own columns, by the last words of their names: what would look like something else.
_OTREE = {
    "code": "text",
    "label": "text",
    "mturk_worker_id": "text",
    "mturk_assignment_id": "text",
    "payoff": "number",
    "real_world_currency_per_point": "number",
    "participation_fee": "number",
}


class Column(NamedTuple):
    """A row of the codebook. In oTree's wide file ``#`` stands for the number of the round."""

    file: str
    column: str
    type: str
    meaning: str


@cache
def declared_tables() -> list[dict[str, str]]:
    """The columns of each table that the code declares, by name, each with its meaning."""
    tables = [ACTION_COLUMNS, PARTICIPANT_COLUMNS, TUTORIAL_COLUMNS, CONSENT_COLUMNS, ANSWER_COLUMNS]
    tables.append(NOTICE_COLUMNS)
    with contextlib.suppress(ModuleNotFoundError):  # without pandas, there is no report to read either
        from cardlab.analysis import compare, model, power
        from cardlab.analysis.report import quality

        tables += [quality.COLUMNS, power.COLUMNS, compare.COLUMNS]
        tables += [table.columns() for table in modules("pairs")]
        for way in (game.performance for game in games_by_name().values()):
            columns = {**model.COLUMNS, **way.MODEL[0], **model.OUTCOME, **measure_columns(way.HAND_MEASURES)}
            tables.append({name: columns[name] for name in columns.keys() - _CONDITION.keys()})
    for game in games_by_name().values():
        of_hand, of_person = (
            measure_columns(measures)
            for measures in (game.performance.HAND_MEASURES, game.performance.PARTICIPANT_MEASURES)
        )
        tables += [
            {**HAND_COLUMNS, **game.measures.COLUMNS},
            {**hands.COLUMNS, **game.measures.COLUMNS, **of_hand, **hands.SOURCE},
            {**_PERSON, **of_person, **baselines.baseline_columns(game)},
            *({**PART_COLUMNS, **columns} for columns, _of_hand in game.measures.PARTS.values()),
            *({**moves.IDENTITY_COLUMNS, **columns} for columns, _of_hand in game.performance.PARTS.values()),
        ]
    return tables


def describe_columns(file: str, header: list[str], rows: Iterable[list[str]]) -> Iterator[Column]:
    """The columns of one table."""
    names = set(header) - _CONDITION.keys()
    paying = [name.removesuffix("_points") for name in header if name.endswith("_points")]
    for known in (*declared_tables(), payment_columns(paying)):
        if names <= known.keys() and known.keys() - names <= _LATER:
            meanings = {**known, **_CONDITION}
            yield from (Column(file, name, column_type(meanings[name]), meanings[name]) for name in header)
            return
    types = infer_types(header, rows)
    for name, kind in types.items():
        if meaning := _WHOSE.get(name):
            yield Column(file, name, column_type(meaning), meaning)
        else:
            yield Column(file, name, kind, _POINT.get(name, "oTree's own" if "." in name else ""))


def infer_types(header: list[str], rows: Iterable[list[str]]) -> dict[str, str]:
    """By name, the rounds of a column taken together, the first type of which all cells are."""
    cells: dict[str, set[str]] = {}
    for name in header:
        cells.setdefault(strip_round(name), set())
    for row in rows:
        for name, cell in zip(header, row):
            cells[strip_round(name)].add(cell)
    return {name: _type_by_name(name) or _infer_type(found - {""}) for name, found in cells.items()}


def strip_round(name: str) -> str:
    """``app.#.player.payoff`` for ``app.12.player.payoff``."""
    return re.sub(r"\.\d+\.", ".#.", name)


def _type_by_name(name: str) -> str | None:
    last = name.rpartition(".")[2]
    return next((kind for word, kind in _OTREE.items() if last == word or last.endswith(f"_{word}")), None)


def _infer_type(cells: set[str]) -> str:
    for kind in ("logical", "integer", "number", "time"):
        if cells and all(map(HOLDS[kind], cells)):
            return kind
    return "text"


HOLDS: Mapping[str, Callable[[str], Any]] = {
    "logical": ("True", "False").__contains__,
    "integer": re.compile(r"-?(0|[1-9]\d{0,14})").fullmatch,  # what a double holds; and no label 007
    "number": re.compile(r"-?\d{1,15}(\.\d+)?(e-?\d+)?").fullmatch,
    "time": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,6}Z?").fullmatch,  # oTree's has a blank
}
"""Whether a cell of a table that nobody declares is of a type."""


def write_codebook(folder: Path) -> int:
    """Write the codebook of all tables in a folder, and the code that reads them; how many tables they are.
    BadFile if there is none, or one cannot be read."""
    files = sorted(path for path in folder.rglob("*.csv") if path.name != NAME)
    if not files:
        raise BadFile(str(folder), "There is no table (.csv) in it.")
    book = [column for file in files for column in _read_columns(file, file.relative_to(folder).as_posix())]
    with atomic_file(folder / NAME) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Column._fields)
        table.writerows(book)
    with atomic_file(folder / DESCRIPTION) as file:
        file.write(
            json.dumps(describe_dataset(folder.resolve().name, book), ensure_ascii=False, indent=2) + "\n"
        )
    for reader in READERS:
        shutil.copyfile(Path(__file__).with_name(reader), folder / reader)
    return len(files)


def describe_dataset(name: str, book: Iterable[Column]) -> dict[str, Any]:
    """The codebook as a ``Dataset`` of schema.org: all variables of all tables, each name once as Psych-DS
    wants it, and under ``hasPart`` the tables with their own."""
    by_file: dict[str, list[Column]] = {}
    by_name: dict[str, list[Column]] = {}
    for column in book:
        by_file.setdefault(column.file, []).append(column)
        by_name.setdefault(column.column, []).append(column)
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": name,
        "description": f"Tables of Card Lab {__version__}: card games as laboratory experiments.",
        "variableMeasured": [_describe_variable(columns) for columns in by_name.values()],
        "hasPart": [
            {
                "@type": "Dataset",
                "name": file,
                "encodingFormat": "text/csv",
                "variableMeasured": [_describe_variable([column]) for column in columns],
            }
            for file, columns in by_file.items()
        ],
    }


def _describe_variable(columns: list[Column]) -> dict[str, Any]:
    """A variable of one or several tables. Where its meanings differ, each stands behind the table's name."""
    meanings = list(dict.fromkeys(column.meaning for column in columns))
    if len(meanings) > 1:
        meanings = [f"{column.file}: {column.meaning}" for column in columns]
    types = dict.fromkeys(_DATA_TYPES.get(column.type, "Text") for column in columns)
    kinds = [f"https://schema.org/{kind}" for kind in types]
    return {
        "@type": "PropertyValue",
        "name": columns[0].column,
        "description": "; ".join(meanings),
        "additionalType": kinds[0] if len(kinds) == 1 else kinds,
    }


def _read_columns(file: Path, name: str) -> list[Column]:
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text)
            return list(describe_columns(name, next(rows, []), rows))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(str(file), f"It cannot be read as a table ({error}).") from None
