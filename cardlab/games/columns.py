"""What the cells of an exported column hold: the class of the column's meaning says it.

A table's columns are names with meanings. A meaning that is a plain text belongs to a column of text. Whoever
reads only the meanings need not know of this; the codebook of an archive does
(``cardlab/analysis/codebook``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class Integer(str):
    """Of whole numbers."""

    __slots__ = ()


class Number(str):
    """Of numbers with decimals."""

    __slots__ = ()


class YesNo(str):
    """Of 1 and 0."""

    __slots__ = ()


class Timestamp(str):
    """Of times in UTC, as ``cardlab.games.tables.format_utc`` writes them."""

    __slots__ = ()


class Json(str):
    """Of JSON."""

    __slots__ = ()


class GuardedText(str):
    """Of text from outside, with one apostrophe more where a spreadsheet would compute it
    (``cardlab.games.tables.guard_formula``)."""

    __slots__ = ()


# What each is called in a codebook, where cardlab/analysis/codebook/read_data.py and read_data.R know it.
TYPES: dict[type[str], str] = {
    str: "text",
    GuardedText: "guarded text",
    Json: "JSON",
    Integer: "integer",
    Number: "number",
    YesNo: "logical",
    Timestamp: "time",
}


def column_type(meaning: str) -> str:
    """The type of the column that has this meaning, one of the values of ``TYPES``."""
    return TYPES[type(meaning)]


def measure_columns(measures: Iterable[Callable[..., Any]]) -> dict[str, str]:
    """Columns that are functions: what one returns is the type, its docstring the meaning."""
    kinds: dict[str, type[str]] = {"int": Integer, "float": Number}
    columns = {}
    for measure in measures:
        returned = measure.__annotations__["return"].partition(" ")[0]
        columns[measure.__name__] = kinds.get(returned, str)(" ".join((measure.__doc__ or "").split()))
    return columns
