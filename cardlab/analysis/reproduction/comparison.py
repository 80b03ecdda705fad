"""Compares a file of a dataset with its rebuilt text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.row_chain import has_digests, rechain


class Comparison(NamedTuple):
    """The comparison of a file, named as in the dataset, with its rebuilt text.

    ``rows`` is the number of rebuilt rows or lines, None for a file that was not rebuilt because it is a
    record. ``difference`` is the first difference, or "". ``records`` are columns that were not rebuilt.
    """

    file: str
    rows: int | None = None
    difference: str = ""
    records: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.rows is None:
            return f"{self.file}: record"
        result = self.difference or f"the same, {self.rows} lines"
        records = f"; columns that are records: {', '.join(self.records)}" if self.records else ""
        return f"{self.file}: rebuilt, {result}{records}"


def compare_rows(
    name: str, file: Path, rows: Iterable[Sequence[Any]], records: Iterable[str] = ()
) -> Comparison:
    """Compares a table with its rebuilt rows, the heading first; digests are those of the rebuilt cells."""
    cells = [[_cell(value) for value in row] for row in rows]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rechain(cells) if has_digests(cells[0]) else cells)
    return compare_text(name, file, text.getvalue())._replace(records=tuple(records))


def _cell(value: Any) -> str:
    """Returns a cell as oTree's export writes it."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


def compare_text(name: str, file: Path, rebuilt: str) -> Comparison:
    """Compares a table with its rebuilt text, except for line endings."""
    if file.read_text("utf-8") == rebuilt:
        return Comparison(name, rebuilt.count("\n") - 1)
    rows = list(csv.reader(io.StringIO(rebuilt)))
    return Comparison(name, len(rows) - 1, _first_difference(read_rows(file), rows))


def _first_difference(rows: Sequence[Sequence[str]], rebuilt: Sequence[Sequence[str]]) -> str:
    for number, (row, other) in enumerate(zip(rows, rebuilt), 1):
        for name, cell, expected in zip(rows[0], row, other):
            if cell != expected:
                return f"row {number}, {name}: {cell!r} in the dataset, {expected!r} from the actions"
    if len(rows) != len(rebuilt):
        return f"{len(rows) - 1} rows in the dataset, {len(rebuilt) - 1} from the actions"
    return "another format of cells or lines"


def compare_lines(name: str, file: Path, rebuilt: Iterable[str]) -> Comparison:
    """Compares a log with its rebuilt lines, except for line endings."""
    lines, expected_lines = file.read_text("utf-8").splitlines(), list(rebuilt)
    difference = ""
    for number, (line, expected) in enumerate(zip(lines, expected_lines), 1):
        if line != expected:
            difference = f"line {number}: {line!r} in the dataset, {expected!r} from the actions"
            break
    else:
        if len(lines) != len(expected_lines):
            difference = f"{len(lines)} lines in the dataset, {len(expected_lines)} from the actions"
    return Comparison(name, len(expected_lines), difference)


def read_rows(file: Path) -> list[list[str]]:
    """Returns the rows of a table, the heading first."""
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.reader(text))
