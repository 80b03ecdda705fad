"""The type and meaning of every column of a table.

A table is recognised by its columns. The columns of exports and of reports are declared in the code, once,
with their meanings. Any other column, such as oTree's own, has the type that all its cells fit.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from cardlab.analysis import baselines, hands, moves
from cardlab.analysis.games import modules
from cardlab.games.columns import Integer, Number, column_type, measure_columns
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

# What a report adds to the columns that the code declares.
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
    "high": Number("upper bound"),
    **_CONDITION,
}

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
            columns = {**model.COLUMNS, **way.model[0], **model.OUTCOME, **measure_columns(way.hand_measures)}
            tables.append({name: columns[name] for name in columns.keys() - _CONDITION.keys()})
    for game in games_by_name().values():
        of_hand, of_person = (
            measure_columns(measures)
            for measures in (game.performance.hand_measures, game.performance.participant_measures)
        )
        tables += [
            {**HAND_COLUMNS, **game.measures.COLUMNS},
            {**hands.COLUMNS, **game.measures.COLUMNS, **of_hand, **hands.SOURCE},
            {**_PERSON, **of_person, **baselines.baseline_columns(game)},
            *({**PART_COLUMNS, **columns} for columns, _of_hand in game.measures.PARTS.values()),
            *({**moves.IDENTITY_COLUMNS, **columns} for columns, _of_hand in game.performance.parts.values()),
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
