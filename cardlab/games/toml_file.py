"""Reads TOML files, and reports the line and column of an error."""

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
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
def naming_line(text: str, section: str = "") -> Iterator[None]:
    """Adds the line to a BadFile about a section, or about the head of the file if ``section`` is ""."""
    try:
        yield
    except BadFile as wrong:
        line = wrong.line or line_of(text, section, wrong.message)
        raise BadFile(wrong.file, wrong.message, line, wrong.column) from None


def line_of(text: str, section: str, sentence: str) -> int | None:
    """Returns the last line of the setting that a sentence names first; None if it names none."""

    def settings(tables: Mapping[str, Any]) -> dict[str, Any]:
        heads = {key: value for key, value in tables.items() if not isinstance(value, dict)}
        return flat(tables.get(section, {})) if section else heads

    places = {}
    for key in settings(_toml.loads(text)):
        if match := re.search(
            rf"(?<!\w)({re.escape(key)}|{re.escape(key.rpartition('.')[2])})(?!\w)", sentence
        ):
            places[key] = match.start()
    if not places:
        return None
    key, lines = min(places, key=places.__getitem__), text.split("\n")
    return next(number for number in range(1, len(lines) + 1) if key in settings(_readable(lines[:number])))


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
