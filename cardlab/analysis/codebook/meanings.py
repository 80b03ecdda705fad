"""Reads the file ``--meanings``: what a researcher's own fields mean, and which identify participants."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from cardlab.games.columns import Identifier
from cardlab.games.contract import BadFile


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the option ``--meanings``."""
    parser.add_argument(
        "--meanings",
        metavar="FILE",
        type=Path,
        help='JSON with the meanings of fields of your own apps: {"my_app.player.age": "age in years"}',
    )


def read_meanings(file: Path | None) -> dict[str, str]:
    """Reads the meanings by ``app.model.field``; without a file there are none. Raises BadFile.

    A value is a text, or a list of the text and a truth value: whether the field may identify a participant.
    """
    if file is None:
        return {}
    try:
        values = json.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise BadFile(str(file), f"This file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadFile(str(file), "This file is not UTF-8. Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise BadFile(
            str(file), f"This is not JSON: {error.msg} in column {error.colno}.", error.lineno
        ) from None
    if not isinstance(values, dict) or not all(map(_is_meaning, values.values())):
        raise BadFile(str(file), 'Write an object of texts, such as {"my_app.player.age": "age in years"}.')
    return {name: _meaning(value) for name, value in values.items()}


def _is_meaning(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], bool)
    return isinstance(value, str)


def _meaning(value: Any) -> str:
    if isinstance(value, str):
        return value
    text, identifies = value
    return Identifier(text) if identifies else str(text)
