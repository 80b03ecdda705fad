"""Reads TOML files, and reports the line and column of an error."""

import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cardlab.games.contract import BadFile
from cardlab.games.text_file import shorten

_toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = re.compile(r"Cannot declare \((.*)\) twice")


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Returns the tables of a file. Raises BadFile with the line and column of a syntax error."""
    try:
        tables: dict[str, Any] = _toml.loads(text)
    except ValueError as error:
        message = str(error)
        line, column = place.groups() if (place := _PLACE.search(message)) else (None, None)
        last_line = len(re.findall(r"\r\n|\r|\n", text)) + 1
        raise BadFile(
            name, _explain(_PLACE.sub("", message)), int(line or last_line), int(column) if column else None
        ) from None
    except RecursionError:
        raise BadFile(
            name, "The file cannot be read as TOML, because its values are nested too deeply."
        ) from None
    return tables


def flat(section: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of a section, with nested tables joined again as ``APP.payoff_base``."""
    settings: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, dict):
            settings |= {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
        else:
            settings[key] = value
    return settings


@contextmanager
def add_line_to_errors(text: str, section: str = "") -> Iterator[None]:
    """Adds the line to a BadFile about a section, or about the head of the file if ``section`` is ""."""
    try:
        yield
    except BadFile as wrong:
        line = wrong.line or line_of(text, section, wrong.message)
        raise BadFile(wrong.file, wrong.message, line, wrong.column) from None


@contextmanager
def add_place_to_errors(text: str, *path: str | int) -> Iterator[None]:
    """Adds line and column to a BadFile about the table at ``path``, such as ``"plan", "steps", 0``.

    They point to the setting that the message names first, or to the table if it names none.
    """
    try:
        yield
    except BadFile as wrong:
        if wrong.line:
            raise
        key = _find_setting(_table_at(_toml.loads(text), path), wrong.message)
        line, column = _find_place(text, path, key)
        raise BadFile(wrong.file, wrong.message, line, column) from None


def line_of(text: str, section: str, sentence: str) -> int | None:
    """Returns the last line of the setting that a sentence names first; None if it names none."""
    path = (section,) if section else ()
    key, lines = _find_setting(_table_at(_toml.loads(text), path), sentence), text.split("\n")
    if not key:
        return None
    return next(
        number
        for number in range(1, len(lines) + 1)
        if key in (_table_at(_readable(lines[:number]), path) or {})
    )


def _table_at(tables: Any, path: Sequence[str | int]) -> dict[str, Any] | None:
    """Returns the settings of a table, or those above all tables for an empty path; None if there is none."""
    for step in path:
        try:
            tables = tables[step]
        except (KeyError, IndexError, TypeError):
            return None
    if not isinstance(tables, dict):
        return None
    return flat(tables) if path else {key: own for key, own in tables.items() if not isinstance(own, dict)}


def _find_setting(settings: Mapping[str, Any] | None, sentence: str) -> str:
    """Returns the setting that a sentence names first; "" if it names none."""
    places = {}
    for key in settings or {}:
        if match := re.search(
            rf"(?<!\w)({re.escape(key)}|{re.escape(key.rpartition('.')[2])})(?!\w)", sentence
        ):
            places[key] = match.start()
    return min(places, key=places.__getitem__) if places else ""


def _find_place(text: str, path: Sequence[str | int], key: str) -> tuple[int, int]:
    """Returns the line and column of a setting of a table, or of its head if ``key`` is ""."""
    lines = text.split("\n")
    for number in range(1, len(lines) + 1):
        table = _table_at(_readable(lines[:number]), path)
        if table is not None and (not key or key in table):
            break
    name = re.escape(key.rpartition(".")[2]) if key else r"\["
    for line in range(number, 0, -1):  # upwards, because a value may have several lines
        if match := re.search(rf"(?<![\w-]){name}(?![\w-]|$)" if key else name, lines[line - 1]):
            return line, match.start() + 1
    return number, 1


def _readable(lines: list[str]) -> dict[str, Any]:
    """Returns the tables of the first lines of a file; {} if they end within a value."""
    try:
        tables: dict[str, Any] = _toml.loads("\n".join(lines))
    except ValueError:
        return {}
    return tables


def _explain(message: str) -> str:
    """Returns the error message of Python's TOML parser as a sentence that says what to do."""
    if section := _TWICE.search(message):
        names = ".".join(re.findall("'(.*?)'", section[1]))
        return f"The section [{shorten(names)}] appears twice. Give each section its own name."
    if message == "Cannot overwrite a value":
        return "This setting appears twice in its section. Delete one of the two lines."
    return (
        f"This is not valid TOML ({shorten(message)}). Write one setting per line, "
        'such as name = "text", name = 3 or name = true.'
    )
