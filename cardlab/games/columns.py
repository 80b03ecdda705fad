"""The types of exported columns: the class of a column's meaning is its type.

The columns of a table are names with meanings. A meaning that is a plain str belongs to a column of text. The
codebook of an archive uses the types (``cardlab/analysis/codebook``).
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any


class Integer(str):
    """The meaning of a column of whole numbers."""

    __slots__ = ()


class Number(str):
    """The meaning of a column of numbers with decimals."""

    __slots__ = ()


class YesNo(str):
    """The meaning of a column of 1 and 0."""

    __slots__ = ()


class Timestamp(str):
    """The meaning of a column of UTC times as written by ``cardlab.games.tables.format_utc``."""

    __slots__ = ()


class Json(str):
    """The meaning of a column of JSON."""

    __slots__ = ()


class GuardedText(str):
    """The meaning of a column of text from outside.

    It has one more apostrophe where a spreadsheet would compute it (``cardlab.games.tables.guard_formula``).
    """

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
    """Returns the type of the column with this meaning, one of the values of ``TYPES``."""
    return TYPES[type(meaning)]


def measure_columns(measures: Iterable[Callable[..., Any]]) -> dict[str, str]:
    """Returns columns from functions: the return annotation gives the type, the docstring the meaning."""
    kinds: dict[str, type[str]] = {"int": Integer, "float": Number}
    columns = {}
    for measure in measures:
        # Python 3.14 does not copy annotations written as text to the function that wraps this one.
        returned = inspect.unwrap(measure).__annotations__["return"].partition(" ")[0]
        columns[measure.__name__] = kinds.get(returned, str)(" ".join((measure.__doc__ or "").split()))
    return columns
