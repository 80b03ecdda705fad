"""The types of exported columns.

A table maps the name of each column to its description, here called its meaning. The class of the meaning is
the type of the column; a plain str is the meaning of a text column. The codebook of an archive uses the types
(``cardlab/analysis/codebook``).
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


class Share(Number):
    """The meaning of a column of shares and probabilities, from 0 to 1."""

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
    """The meaning of a column of text that participants or researchers entered.

    ``cardlab.games.tables.guard_formula`` puts an apostrophe before a cell that a spreadsheet would run.
    """

    __slots__ = ()


class Identifier(str):
    """The meaning of a column that identifies a person: a label, an id, or a text in their own words.

    An archive replaces its cells by pseudonyms (``cardlab/analysis/codebook/pseudonyms.py``).
    """

    __slots__ = ()


class Undescribed(str):
    """The meaning of a column of an app that does not describe it. Its texts may identify a person."""

    __slots__ = ()


class GuardedIdentifier(GuardedText, Identifier):
    """The meaning of an identifying column with guarded text."""

    __slots__ = ()


class IdentifyingJson(Json, Identifier):
    """The meaning of an identifying column of JSON."""

    __slots__ = ()


class UnixMs(Integer):
    """The meaning of a column of Unix times in whole milliseconds."""

    __slots__ = ()


class ExactUnixMs(Number):
    """The meaning of a column of Unix times in milliseconds with decimals."""

    __slots__ = ()


class UnixSeconds(Integer):
    """The meaning of a column of Unix times in seconds."""

    __slots__ = ()


class TimedText(str):
    """The meaning of a column of text that contains Unix times in milliseconds."""

    __slots__ = ()


class GuardedTimedText(GuardedText, TimedText):
    """The meaning of a column of guarded text that contains Unix times in milliseconds."""

    __slots__ = ()


class TimedJson(Json, TimedText):
    """The meaning of a column of JSON that contains Unix times in milliseconds."""

    __slots__ = ()


# The names of the types in a codebook. cardlab/analysis/codebook/read_data.py and read_data.R use them.
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
    return next(TYPES[kind] for kind in type(meaning).__mro__ if kind in TYPES)


def measure_columns(measures: Iterable[Callable[..., Any]]) -> dict[str, str]:
    """Returns the columns of measures: the return annotation gives the type, the docstring the meaning."""
    kinds: dict[str, type[str]] = {"int": Integer, "float": Number, "Share": Share}
    columns = {}
    for measure in measures:
        # In Python 3.14, functools.wraps does not copy string annotations to the wrapper.
        returned = inspect.unwrap(measure).__annotations__["return"].partition(" ")[0]
        columns[measure.__name__] = kinds.get(returned, str)(" ".join((measure.__doc__ or "").split()))
    return columns
