"""Describes a dataset as a whole, by ``archive.toml`` of the project and by defaults for missing keys.

The keys are properties of schema.org that Psych-DS recommends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardlab import __version__
from cardlab.games import toml_file
from cardlab.games.contract import BadFile

_TEXTS = ("name", "description", "license", "citation", "funder", "url", "conditionsOfAccess")
_LISTS = ("author", "keywords")
_NONE = "not stated"


def read_about(file: Path) -> dict[str, Any]:
    """Reads the keys of a file. Raises BadFile with the line for an unknown key or a wrong value."""
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise BadFile(str(file), f"This file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadFile(str(file), "This file is not UTF-8. Save it as UTF-8.") from None
    values = toml_file.read_toml(text, str(file))
    with toml_file.add_line_to_errors(text):
        for key, value in values.items():
            _check(str(file), key, value)
    return values


def _check(file: str, key: str, value: Any) -> None:
    if key not in (*_TEXTS, *_LISTS):
        raise BadFile(file, f"{key} is not a key of this file. The keys are {', '.join((*_TEXTS, *_LISTS))}.")
    is_text = isinstance(value, str) and value.strip()
    is_list = isinstance(value, list) and value and all(isinstance(one, str) and one.strip() for one in value)
    if key in _TEXTS and not is_text:
        raise BadFile(file, f'{key} must be a text, such as {key} = "…".')
    if key in _LISTS and not is_list:
        raise BadFile(file, f'{key} must be a list of texts, such as {key} = ["…"].')


def describe(
    values: Mapping[str, Any], sessions: Sequence[str], apps: Sequence[str], replaced: bool
) -> dict[str, Any]:
    """Returns the properties of a dataset in schema.org.

    Parameters:
        values: The properties in ``archive.toml``, which override the defaults.
        sessions: The codes of the sessions.
        apps: The apps of the sessions.
        replaced: Whether pseudonyms replace what identifies participants.
    """
    of_sessions = f"{'session' if len(sessions) == 1 else 'sessions'} {', '.join(sessions)}"
    privacy = (
        "Labels, ids from recruiting, texts in people's own words and times of day are replaced."
        if replaced
        else "This dataset identifies participants. Do not publish it."
    )
    about = {
        "name": f"Card Lab, {of_sessions}",
        "description": f"Data of {of_sessions}, recorded with Card Lab {__version__}: {', '.join(apps)}.",
        "license": "No license is granted. Ask the authors.",
        "citation": f"Card Lab dataset of {of_sessions}",
        "funder": _NONE,
        "url": _NONE,
        "identifier": "-".join(sessions),
        "conditionsOfAccess": privacy,
        "keywords": ["behavioural experiment", "card game", *apps],
        "author": [_NONE],
        **values,
    }
    about["author"] = [{"@type": "Person", "name": name} for name in about["author"]]
    return {**about, "version": __version__}
