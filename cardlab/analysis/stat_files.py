"""Writes tables as files of SPSS (.sav) and Stata (.dta), which jamovi reads too, with labels.

Each variable has the type and meaning of the codebook. pyreadstat is an optional dependency (the extra
analysis), so it is imported in functions. A table is converted in memory.
"""

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cardlab import folders
from cardlab.analysis.codebook.columns import Column, describe_columns
from cardlab.games.contract import NotInstalled

SUFFIXES = (".sav", ".dta")
YES_NO = {0: "no", 1: "yes"}

_SAV_FORMATS = {"integer": "F14.0", "logical": "F1.0", "time": "DATETIME23.3"}

# The most characters of a variable's name and of its label.
_LIMITS = {".sav": (64, 250), ".dta": (32, 80)}


def check_installed() -> None:
    """Raises NotInstalled with instructions if pyreadstat is missing."""
    try:
        import pyreadstat  # noqa: F401
    except ImportError:
        raise NotInstalled(
            "Files of SPSS and Stata need pyreadstat, which is not installed. Run: "
            f"{folders.install_command('analysis')}. "
            "Or write a file whose name ends in .csv."
        ) from None


def convert_table(table: Path, target: Path, suffix: str) -> None:
    """Converts a CSV table of the analysis to the file format of a suffix, ``.sav`` or ``.dta``.

    Numbers and truth values are numeric, the latter with the labels no and yes. Times are dates with
    milliseconds in UTC. Empty cells are missing; texts are never missing. A name or label that is too long
    for the format is cut.
    """
    import pandas as pd
    import pyreadstat

    from cardlab.analysis.codebook import read_data

    columns = _describe(table)
    frame = read_data.read_table(table, {column.column: column.type for column in columns})
    for column in columns:
        cells = frame[column.column]
        if column.type in ("integer", "number", "logical"):
            frame[column.column] = cells.astype("Float64").to_numpy(float, na_value=float("nan"))
        elif column.type == "time":
            frame[column.column] = cells.dt.tz_localize(None).astype("datetime64[ms]")
        else:
            frame[column.column] = pd.Series(cells.fillna(""), dtype=object)
    name_length, label_length = _LIMITS[suffix]
    frame.columns = names = make_names(frame.columns, name_length)
    options: dict[str, Any] = {
        "column_labels": dict(zip(names, (_cut(column.meaning, label_length) for column in columns))),
        "variable_value_labels": {
            name: YES_NO for name, column in zip(names, columns) if column.type == "logical"
        },
    }
    if suffix == ".dta":
        pyreadstat.write_dta(frame, target, version=15, **options)
        return
    formats = {
        name: _SAV_FORMATS[column.type] for name, column in zip(names, columns) if column.type in _SAV_FORMATS
    }
    pyreadstat.write_sav(frame, target, variable_format=formats, **options)


def make_names(columns: Iterable[str], length: int) -> list[str]:
    """Returns names of variables that differ in more than case, with letters, digits and underscores."""
    names: list[str] = []
    for column in columns:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", column)
        stem = name = (stem if stem[:1].isalpha() else f"v_{stem}")[:length]
        number = 1
        while name.lower() in (taken.lower() for taken in names):
            number += 1
            name = f"{stem[: length - len(str(number)) - 1]}_{number}"
        names.append(name)
    return names


def _cut(text: str, length: int) -> str:
    """Returns a label of at most ``length`` bytes in UTF-8."""
    content = text.encode()
    if len(content) <= length:
        return str(text)  # not of a subclass, which pyreadstat rejects
    return content[: length - 3].decode(errors="ignore").rstrip() + "..."


def _describe(table: Path) -> list[Column]:
    with table.open(encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        return list(describe_columns(table.name, next(rows), rows))
