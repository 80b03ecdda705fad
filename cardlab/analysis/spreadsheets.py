"""Restores tables of actions that a spreadsheet or a script has saved in another form.

A table as exported is read as it is. Any other is copied once to a temporary file in the server's form, with
the line of each row in the original file, which messages name. The copy is in UTF-8, without a line ``sep=``.
Truth values, times, decimal commas, missing cells at the end of rows and the order of rows are restored.
"""

from __future__ import annotations

import codecs
import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from cardlab import seal
from cardlab.analysis import actions_table
from cardlab.analysis.actions_table import LINE_COLUMN, Heading
from cardlab.analysis.hands import to_csv_lines
from cardlab.analysis.row_order import OrderedRow, has_scattered_hand, is_deal, sort_rows
from cardlab.analysis.spreadsheet_cells import REMEDY, RESTORE, is_time, lacks_milliseconds
from cardlab.games.columns import column_type
from cardlab.games.contract import BadFile
from cardlab.games.tables import ACTION_COLUMNS
from cardlab.games.text_file import quote

Warn = Callable[[str], None]

CHECKED_BYTES = 2_000_000  # a table up to this size is checked whole, a larger one at SAMPLES places
SAMPLES = 32
SAMPLE_BYTES = 50_000
CHECKED_ROWS = 20  # of a part, for the form of their cells

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_KEY_COLUMNS = ("hand_id", "action_number", "action", "accepted", "server_time_utc")
_DEAL_COLUMNS = {name for name, meaning in ACTION_COLUMNS.items() if meaning.startswith("deal row only")}


class TableFile(NamedTuple):
    """A table of actions to read: the file, and the name of the original in messages and tables."""

    path: Path
    name: str

    @classmethod
    def exported(cls, path: Path) -> TableFile:
        """Returns a table that is read as it is."""
        return cls(path, str(path))

    @property
    def is_restored(self) -> bool:
        """Whether it is a temporary copy on this machine."""
        return str(self.path) != self.name

    @property
    def is_sealed(self) -> bool:
        """Whether it matches its seal, so that the digests of its rows need not be checked."""
        return not self.is_restored and seal.compare_with_seal(self.path) is True


@contextmanager
def restore_tables(paths: Sequence[Path], warn: Warn) -> Iterator[list[TableFile]]:
    """Yields the tables in the server's form. Those as exported are the files themselves.

    ``warn`` is called with each warning. Raises BadFile for a cell whose content a spreadsheet has destroyed.
    """
    with tempfile.TemporaryDirectory(prefix="card-lab-") as folder:
        tables = []
        for number, path in enumerate(paths):
            table = TableFile.exported(path)
            if not _looks_as_exported(path):
                copy = Path(folder) / f"{number}.csv"
                if _Restoration(str(path), warn).write(path, copy):
                    table = TableFile(copy, str(path))
            tables.append(table)
        yield tables


def read_first_text(path: Path) -> str:
    """Returns the beginning of a file as text, without a line ``sep=``. Some characters may be wrong."""
    with path.open("rb") as file:
        text = file.read(100_000).decode(detect_encoding(path), "replace")
    return text.partition("\n")[2] if _separator_of(text) else text


def detect_encoding(path: Path) -> str:
    """Returns the encoding of a text file: UTF-16 if it has this byte order mark, else UTF-8."""
    with path.open("rb") as file:
        return "utf-16" if file.read(2) in _UTF16_MARKS else "utf-8-sig"


def open_table(path: Path) -> TextIO:
    """Opens a table of any kind, which may be in UTF-16."""
    return path.open(encoding=detect_encoding(path), newline="")


def _separator_of(line: str) -> str | None:
    """Returns the separator that a line such as ``sep=;`` names, None for another line."""
    line = line.split("\n", 1)[0].strip("\r").strip('"')
    return line[4] if line[:4].lower() == "sep=" and len(line) == 5 else None


# Whether a table is as exported.


def _looks_as_exported(path: Path) -> bool:
    """Returns whether the checked parts of a table have the cells, rows and order of an export.

    Returns True for a file whose heading cannot be read, because the reader explains the error.
    """
    if detect_encoding(path) == "utf-16":
        return False
    with path.open("rb") as file:
        if _separator_of(file.readline(1000).decode("utf-8-sig", "replace")):
            return False
        file.seek(0)
        try:
            heading = actions_table.read_heading((line.decode("utf-8-sig") for line in file), str(path))
        except (BadFile, UnicodeDecodeError):
            return True
        parts = enumerate(_parts(path, file.tell()))
        return all(_is_part_as_exported(part, heading, within=number > 0) for number, part in parts)


def _parts(path: Path, begin: int) -> Iterator[str]:
    """Yields the parts of a table to check. Those of a large table may begin and end within a row."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= CHECKED_BYTES:
            file.seek(begin)
            yield file.read().decode("utf-8", "replace")
            return
        for number in range(SAMPLES):
            file.seek(begin + (size - begin - SAMPLE_BYTES) * number // (SAMPLES - 1))
            if number:
                file.readline()
            yield file.read(SAMPLE_BYTES).decode("utf-8", "replace").rpartition("\n")[0]


def _is_part_as_exported(part: str, heading: Heading, within: bool) -> bool:
    """Returns whether the rows are whole and in order, and the cells of the first rows as exported.

    A spreadsheet rewrites all rows in the same way, so the first are enough. ``within`` says whether the part
    may begin in the middle of a hand.
    """
    select_key, width, restore = heading.cells(*_KEY_COLUMNS), len(heading.columns), _restorers(heading)
    hand_id, latest, latest_number = None, "", 0
    try:
        for place, row in enumerate(csv.reader(io.StringIO(part, newline=""), delimiter=heading.separator)):
            if len(row) != width or place < CHECKED_ROWS and _restore_cells(row, restore):
                return False
            row_hand_id, number, action, accepted, time = select_key(row)
            if is_deal(action):
                hand_id, latest, latest_number = row_hand_id, "", 0
                continue
            if row_hand_id != hand_id and (place or not within) or time < latest:
                return False
            hand_id, latest = row_hand_id, time
            if accepted == "1":
                if int(number) < latest_number:
                    return False
                latest_number = int(number)
    except (csv.Error, ValueError):
        return False
    return True


# Restoring a table.


_Restorer = tuple[int, str, Callable[[str], str]]


def _restorers(heading: Heading) -> list[_Restorer]:
    """Returns place and name of each column with a type, and the function that restores its cells."""
    return [
        (place, name, RESTORE[column_type(ACTION_COLUMNS[name])])
        for place, name in enumerate(heading.columns)
        if name in ACTION_COLUMNS and column_type(ACTION_COLUMNS[name]) in RESTORE
    ]


def _restore_cells(row: list[str], restorers: Iterable[_Restorer]) -> bool:
    """Restores the cells of a row in place, and returns whether one has changed. Raises ValueError."""
    has_changed = False
    for place, column, restore in restorers:
        if cell := row[place]:
            try:
                row[place] = restore(cell)
            except ValueError as error:
                raise ValueError(f"{column} is {quote(cell)}: {error}. {REMEDY}") from None
            has_changed |= row[place] != cell
    return has_changed


class _Block(NamedTuple):
    """Consecutive rows of a hand."""

    hand_id: str
    rows: list[OrderedRow]


class _UnreadableError(Exception):
    """The table has an error that its reader will report."""


class _Restoration:
    """Copies a table in the server's form, if it differs from it."""

    def __init__(self, name: str, warn: Warn) -> None:
        self._name, self._warn = name, warn
        self._has_changed = False
        self._warnings: list[str] = []
        self._cut_times: dict[str, tuple[int, str]] = {}  # by column the first line and cell
        self._places: dict[str, tuple[Any, ...]] = {}  # by hand_id, in the order of an export

    def write(self, path: Path, copy: Path) -> bool:
        """Writes the copy and returns whether it differs.

        Raises BadFile for a cell whose content is lost. Without a copy, the reader of the table reports what
        else is wrong.
        """
        encoding = detect_encoding(path)
        self._has_changed = encoding != "utf-8-sig"
        try:
            with path.open(encoding=encoding, newline="") as lines:
                columns, blocks = self._read(lines)
        except UnicodeError:
            if self._has_changed:
                raise BadFile(self._name, "This file is not text in UTF-16. Save it as UTF-8.") from None
            return False
        except (_UnreadableError, csv.Error):
            return False
        hands = self._order(blocks)
        if not self._has_changed:
            return False
        self._warnings += [
            f"{self._name}, line {line}: {column} has no milliseconds ({cell}), so times of this table "
            "are accurate to a second. A spreadsheet has removed them. Use the file as exported."
            for column, (line, cell) in self._cut_times.items()
        ]
        for sentence in self._warnings:
            self._warn(sentence)
        with copy.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([*columns, LINE_COLUMN])
            file.writelines(row.text for rows in hands for row in rows)
        return True

    def _read(self, lines: TextIO) -> tuple[Sequence[str], list[_Block]]:
        """Returns the columns, and the rows in the order of the file."""
        above = 0
        if _separator_of(lines.readline()):
            above, self._has_changed = 1, True
        else:
            lines.seek(0)
        try:
            heading = actions_table.read_heading(lines, self._name)
        except BadFile as error:
            if self._has_changed:
                raise
            raise _UnreadableError from error
        above += heading.lines
        restorers, select_key = _restorers(heading), heading.cells(*_KEY_COLUMNS)
        select_actor = heading.cells("seat", "client_ms")
        time_places = [heading.columns.index(name) for name in ("server_time_utc", "shown_utc")]
        blocks: list[_Block] = []
        reader = csv.reader(lines, delimiter=heading.separator)
        for row in filter(None, reader):
            line = above + reader.line_num
            self._fill(row, heading)
            for place in time_places:
                if lacks_milliseconds(row[place]):
                    self._cut_times.setdefault(heading.columns[place], (line, row[place]))
            try:
                self._has_changed |= _restore_cells(row, restorers)
            except ValueError as error:
                raise BadFile(self._name, str(error), line) from None
            hand_id, number, action, accepted, time = select_key(row)
            if not blocks or blocks[-1].hand_id != hand_id:
                blocks.append(_Block(hand_id, []))
            if hand_id not in self._places or is_deal(action):
                self._places[hand_id] = _find_place(dict(zip(heading.columns, row)))
            counted = int(number) if accepted == "1" and number.isdecimal() else None
            (text,) = to_csv_lines([[*row, line]])
            seat, client_ms = select_actor(row)
            blocks[-1].rows.append(OrderedRow(line, counted, seat, client_ms, action, time, text))
        return heading.columns, blocks

    def _fill(self, row: list[str], heading: Heading) -> None:
        """Adds the empty cells that Excel omits at the end of rows.

        Raises _UnreadableError if other cells are missing: deal rows have no empty end, and the row is
        damaged if its time is not in its column.
        """
        missing = heading.columns[len(row) :]
        if len(row) > len(heading.columns) or not set(missing) <= _DEAL_COLUMNS:
            raise _UnreadableError
        if missing:
            place, action = heading.columns.index("server_time_utc"), row[heading.columns.index("action")]
            if is_deal(action) or not is_time(row[place]):
                raise _UnreadableError
            row += [""] * len(missing)
            self._has_changed = True

    def _order(self, blocks: list[_Block]) -> list[list[OrderedRow]]:
        """Returns the rows of each hand in order."""
        begun = [(block.hand_id, block.rows[0].is_deal) for block in blocks]
        if has_scattered_hand(begun):
            merged: dict[str, list[OrderedRow]] = {}
            for hand_id, rows in blocks:
                merged.setdefault(hand_id, []).extend(rows)
            blocks = [
                _Block(hand_id, merged[hand_id]) for hand_id in sorted(merged, key=self._places.__getitem__)
            ]
        hands = [sort_rows(block.rows) for block in blocks]
        if any(later.line < row.line for row, later in pairwise(row for rows in hands for row in rows)):
            self._has_changed = True
            self._warnings.append(
                f"{self._name}: The rows were not in the order of the export, and have been sorted."
            )
        return hands


def _find_place(cells: dict[str, str]) -> tuple[Any, ...]:
    """Returns a key that orders hands like an export: by session, round, and participant or group."""
    who, _hyphen, round_number = cells["hand_id"].rpartition("-")
    number = cells.get("id_in_session") or who.rpartition("-")[2]
    return (
        *(cells["session_created_utc"], cells["session_code"], cells["app"]),
        *(int(text) if text.isdecimal() else 0 for text in (round_number, number)),
        who,
    )
