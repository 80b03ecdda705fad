"""Writes the codebook of a folder: a table, descriptions in two standards, and code that reads the tables.

The descriptions are ``dataset_description.json`` of Psych-DS, which is a ``Dataset`` of schema.org, and
``datapackage.json`` of the Frictionless Data Package.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardlab.analysis.codebook import data_package, psych_ds
from cardlab.analysis.codebook.columns import Column, describe_columns
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.output import atomic_file
from cardlab.analysis.spreadsheets import open_table
from cardlab.games.contract import BadFile

NAME = "codebook.csv"
READERS = ("read_data.py", "read_data.R")  # read the tables as described in NAME, with pandas and with R
MATERIALS = "materials"  # the folder of an archive with the configs and files of its sessions
WRITTEN = (NAME, psych_ds.DESCRIPTION, data_package.DESCRIPTION, *READERS)
"""The files that the codebook consists of."""

Book = Mapping[str, list[Column]]
"""The columns of each table by its file's path in the folder."""


def write_codebook(folder: Path, own: Mapping[str, str], about: Mapping[str, Any] | None = None) -> int:
    """Writes the codebook of all tables in a folder; returns the number of tables.

    Parameters:
        folder: The folder, which may be a dataset of Psych-DS.
        own: The meanings of fields of a researcher's own apps, by ``app.model.field``.
        about: The properties of the dataset in schema.org, by default those of an earlier description.

    Raises BadFile if there is no table, or one cannot be read.
    """
    book = read_book(folder, own)
    with atomic_file(folder / NAME) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Column._fields)
        table.writerows(column for columns in book.values() for column in columns)
    about = about or psych_ds.read_about(folder) or {"name": folder.resolve().name}
    write_json(folder / psych_ds.DESCRIPTION, psych_ds.describe_dataset(about, folder, book))
    write_json(folder / data_package.DESCRIPTION, data_package.describe_package(about, folder, book))
    for reader in READERS:
        shutil.copyfile(Path(__file__).with_name(reader), folder / reader)
    return len(book)


def read_book(folder: Path, own: Mapping[str, str]) -> Book:
    """Returns the columns of all tables of a folder. Raises BadFile if there are none."""
    files = sorted(
        path
        for path in folder.rglob("*.csv")
        if path.name != NAME and path.relative_to(folder).parts[0] != MATERIALS
    )
    if not files:
        raise BadFile(str(folder), "This folder has no tables (.csv).")
    names = [path.relative_to(folder).as_posix() for path in files]
    return {name: read_columns(folder, name, own) for name in names}


def read_columns(folder: Path, name: str, own: Mapping[str, str]) -> list[Column]:
    """Returns the columns of one table of a folder. Raises BadFile if it cannot be read."""
    csv.field_size_limit(2**31 - 1)  # because a whole record may be in one cell
    file = folder / name
    table = table_name(name, {key.partition(".")[0] for key in own})
    try:
        with open_table(file) as text:
            rows = csv.reader(text)
            header = next(rows, [])
            return [column._replace(file=name) for column in describe_columns(table, header, rows, own)]
    except UnicodeError:
        raise BadFile(str(file), "This file is not text in UTF-8. Save it as UTF-8.") from None
    except (OSError, csv.Error) as error:
        raise BadFile(str(file), f"This file cannot be read as a table ({error}).") from None


def write_json(file: Path, value: Any) -> None:
    """Writes JSON that a person can read."""
    with atomic_file(file) as text:
        text.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
