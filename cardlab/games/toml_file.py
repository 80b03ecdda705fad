"""Reading TOML, with a sentence that says where it goes wrong."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

from cardlab.games.contract import BadFile
from cardlab.games.text_file import shorten

_toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = re.compile(r"Cannot declare \((.*)\) twice")


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Returns the tables of a file. BadFile names line and column of what is no TOML."""
    try:
        tables: dict[str, Any] = _toml.loads(text)
    except ValueError as wrong:
        said = str(wrong)
        line, column = place.groups() if (place := _PLACE.search(said)) else (None, None)
        last = len(re.findall(r"\r\n|\r|\n", text)) + 1
        raise BadFile(
            name, _explain(_PLACE.sub("", said)), int(line or last), int(column) if column else None
        ) from None
    except RecursionError:
        raise BadFile(
            name, "The file cannot be read as TOML, because its values are nested too deeply."
        ) from None
    return tables


def _explain(said: str) -> str:
    """Returns what Python says of a file as a sentence that also tells what to do."""
    if section := _TWICE.search(said):
        names = ".".join(re.findall("'(.*?)'", section[1]))
        return f"The section [{shorten(names)}] appears twice. Give each section its own name."
    if said == "Cannot overwrite a value":
        return "This setting appears twice in its section. Delete one of the two lines."
    return (
        f"This is not valid TOML ({shorten(said)}). Write one setting per line, "
        'such as name = "text", name = 3 or name = true.'
    )
