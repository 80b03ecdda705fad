"""Describes a dataset as Psych-DS 1.x requires: a ``Dataset`` of schema.org in ``dataset_description.json``.

See https://psych-ds.github.io. The tables in ``data/`` have names of pairs of keywords and values
(``table_names``). The variables of the whole dataset are in the description, and those of each table in a
file next to it (a sidecar), with the exact meanings there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cardlab.analysis.codebook.columns import Column, read_header, strip_round
from cardlab.analysis.codebook.table_names import ENDING

DESCRIPTION = "dataset_description.json"  # the name that Psych-DS requires
IGNORED = ".psychds-ignore"
FOLDER_METADATA = "file_metadata.json"

# The names of the types in schema.org.
_DATA_TYPES = {"integer": "Integer", "number": "Number", "logical": "Boolean", "time": "DateTime"}


def describe_dataset(
    about: Mapping[str, Any], folder: Path, book: Mapping[str, list[Column]]
) -> dict[str, Any]:
    """Returns the dataset with the variables of all its tables, each name once.

    Psych-DS requires exactly the variables of the tables in ``data/``. In a folder without such tables, the
    variables of all tables are described.

    Parameters:
        about: The other properties of the dataset in schema.org.
        folder: The folder of the tables.
        book: The columns of each table by the path of its file.
    """
    named = {file: columns for file, columns in book.items() if file.endswith(ENDING)}
    by_name: dict[str, list[Column]] = {}
    for file, columns in (named or book).items():
        for column in _each_round(folder / file, columns):
            by_name.setdefault(column.column, []).append(column)
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        **about,
        "variableMeasured": [_describe_variable(columns) for columns in by_name.values()],
    }


def read_about(folder: Path) -> dict[str, Any]:
    """Returns the properties in a folder's description, except the variables; empty if there is none."""
    try:
        description = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    written = {"@context", "@type", "variableMeasured"}
    return {name: value for name, value in description.items() if name not in written}


def describe_table(folder: Path, file: str, columns: Iterable[Column]) -> dict[str, Any]:
    """Returns the sidecar of a table: the meaning that each column has there."""
    variables = [_describe_variable([column]) for column in _each_round(folder / file, columns)]
    return {"@context": "https://schema.org/", "@type": "Dataset", "variableMeasured": variables}


def describe_folder() -> dict[str, Any]:
    """Returns the sidecar properties that all tables in ``data/`` share."""
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "encodingFormat": "text/csv; charset=utf-8; header=present",
    }


def _each_round(file: Path, columns: Iterable[Column]) -> Iterator[Column]:
    """Yields the columns of a file under their names in the file, which have the number of the round."""
    known = {column.column: column for column in columns}
    for name in read_header(file):
        yield known[strip_round(name)]._replace(column=name)


def _describe_variable(columns: list[Column]) -> dict[str, Any]:
    """Describes a variable of one or several tables. If its meanings differ, each has its table's name."""
    meanings = list(dict.fromkeys(str(column.meaning) for column in columns))
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
