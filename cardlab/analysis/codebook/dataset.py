"""Writes the codebook of a folder as a table and as JSON.

The JSON follows Psych-DS. It is a ``Dataset`` of schema.org, which archives and programs can read.
"""

import csv
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cardlab import __version__
from cardlab.analysis.codebook.columns import Column, describe_columns
from cardlab.analysis.output import atomic_file
from cardlab.games.contract import BadFile

NAME = "codebook.csv"
DESCRIPTION = "dataset_description.json"  # the name that Psych-DS requires
READERS = ("read_data.py", "read_data.R")  # read the tables as described in NAME, with pandas and with R

# The names of the types in schema.org.
_DATA_TYPES = {"integer": "Integer", "number": "Number", "logical": "Boolean", "time": "DateTime"}


def write_codebook(folder: Path, own: Mapping[str, str]) -> int:
    """Writes the codebook of all tables in a folder and the code that reads them.

    ``own`` has the meanings of fields of other people's apps, by ``app.model.field``.

    Returns the number of tables. Raises BadFile if there is no table, or one cannot be read.
    """
    files = sorted(path for path in folder.rglob("*.csv") if path.name != NAME)
    if not files:
        raise BadFile(str(folder), "This folder has no tables (.csv).")
    book = [
        column for file in files for column in _read_columns(file, file.relative_to(folder).as_posix(), own)
    ]
    with atomic_file(folder / NAME) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Column._fields)
        table.writerows(book)
    with atomic_file(folder / DESCRIPTION) as file:
        file.write(
            json.dumps(describe_dataset(folder.resolve().name, book), ensure_ascii=False, indent=2) + "\n"
        )
    for reader in READERS:
        shutil.copyfile(Path(__file__).with_name(reader), folder / reader)
    return len(files)


def describe_dataset(name: str, book: Iterable[Column]) -> dict[str, Any]:
    """Returns the codebook as a ``Dataset`` of schema.org.

    It has the variables of all tables, each name once as Psych-DS requires, and each table with its variables
    as ``hasPart``.
    """
    by_file: dict[str, list[Column]] = {}
    by_name: dict[str, list[Column]] = {}
    for column in book:
        by_file.setdefault(column.file, []).append(column)
        by_name.setdefault(column.column, []).append(column)
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": name,
        "description": f"Tables of Card Lab {__version__}: card games as laboratory experiments.",
        "variableMeasured": [_describe_variable(columns) for columns in by_name.values()],
        "hasPart": [
            {
                "@type": "Dataset",
                "name": file,
                "encodingFormat": "text/csv",
                "variableMeasured": [_describe_variable([column]) for column in columns],
            }
            for file, columns in by_file.items()
        ],
    }


def _describe_variable(columns: list[Column]) -> dict[str, Any]:
    """Describes a variable of one or several tables. If its meanings differ, each has its table's name."""
    meanings = list(dict.fromkeys(column.meaning for column in columns))
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


def _read_columns(file: Path, name: str, own: Mapping[str, str]) -> list[Column]:
    csv.field_size_limit(2**31 - 1)  # because a whole record may be in one cell
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text)
            return list(describe_columns(name, next(rows, []), rows, own))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(str(file), f"This file cannot be read as a table ({error}).") from None
