"""Writes files atomically: they appear complete or not at all."""

import csv
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from cardlab.analysis import parquet, stat_files
from cardlab.games.contract import BadFile

SUFFIXES = (parquet.SUFFIX, *stat_files.SUFFIXES)
"""The endings of files that CSV tables are converted to."""

_SPREADSHEETS = {".xlsx", ".xls", ".ods"}  # spreadsheet programs refuse text files of these names


@contextmanager
def atomic_file(path: Path, sources: Sequence[Path] = ()) -> Iterator[TextIO]:
    """Opens a text file (UTF-8) that gets its name only when it is complete.

    Until then it has a unique name in the same folder, so two commands may write the same file. Raises
    BadFile if the file cannot be written there, or is one of the ``sources``, which are being read.
    """
    with _temporary_path(path, sources) as unfinished, _open_new(unfinished, path) as file:
        yield file


def write_rows(file: TextIO, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> int:
    """Writes a table as CSV and returns the number of its rows."""
    table, count = csv.writer(file, lineterminator="\n"), 0
    table.writerow(columns)
    for row in rows:
        table.writerow(row)
        count += 1
    return count


def format_cell(value: Any) -> Any:
    """Returns a cell: numbers with six significant digits, because the last ones differ between machines."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return "" if value is None else value


def write_bytes_atomically(path: Path, content: bytes, sources: Sequence[Path] = ()) -> None:
    """Writes a file of bytes like :func:`atomic_file`."""
    with _temporary_path(path, sources) as unfinished:
        unfinished.write_bytes(content)


@contextmanager
def table_file(path: Path, sources: Sequence[Path] = ()) -> Iterator[TextIO]:
    """Opens a file like :func:`atomic_file` for a CSV table, and converts it if its name has a ``SUFFIXES``.

    Raises NotInstalled if the optional library for the format is missing.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        with atomic_file(path, sources) as file:
            yield file
        return
    check_installed(suffix)
    with _temporary_path(path, sources) as unfinished:
        table = unfinished.with_suffix(".csv")
        try:
            with _open_new(table, path) as file:
                yield file
            convert_table(table, unfinished, suffix)
        finally:
            table.unlink(missing_ok=True)


def check_installed(suffix: str) -> None:
    """Raises NotInstalled if the optional library for one of ``SUFFIXES`` is missing."""
    (parquet if suffix == parquet.SUFFIX else stat_files).check_installed()


def convert_table(table: Path, target: Path, suffix: str) -> None:
    """Converts a CSV table of the analysis to the format of one of ``SUFFIXES``."""
    if suffix == parquet.SUFFIX:
        parquet.convert_table(table, target)
    else:
        stat_files.convert_table(table, target, suffix)


@contextmanager
def _temporary_path(path: Path, sources: Sequence[Path]) -> Iterator[Path]:
    """Yields a temporary path, and renames the file at the end. Raises BadFile."""
    target = path.resolve()
    if any(_is_same_file(target, source) for source in sources):
        raise BadFile(str(path), "This is also an input file. Choose another name for the output.")
    if path.exists() and not path.is_file():
        raise BadFile(str(path), "A folder or device has this name. Name a file to write.")
    if path.suffix.lower() in _SPREADSHEETS:
        raise BadFile(str(path), "Spreadsheets are not written. Name a .csv file, which they open.")
    if not target.parent.is_dir():
        raise BadFile(str(path), f"The folder {path.parent} does not exist.")
    unfinished = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _open_new(unfinished: Path, path: Path) -> TextIO:
    """Opens a new text file. Raises BadFile with the name of the final file, ``path``."""
    try:
        return unfinished.open("x", encoding="utf-8", newline="")
    except OSError as error:
        raise BadFile(str(path), f"The file cannot be written here: {error.strerror}.") from None


def make_folder(path: Path) -> Path:
    """Returns the folder to write to, and creates it if it is missing. Raises BadFile."""
    if path.exists() and not path.is_dir():
        raise BadFile(str(path), "This is not a folder. Name a folder to write to.")
    path.mkdir(parents=True, exist_ok=True)
    return path


def _is_same_file(target: Path, source: Path) -> bool:
    """Returns whether both paths are the same file, even through a link or with different capitals."""
    return target == source.resolve() or target.exists() and source.exists() and target.samefile(source)
