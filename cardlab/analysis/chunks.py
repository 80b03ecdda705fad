"""Splits a table of actions into chunks of whole hands, for worker processes."""

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from cardlab.analysis import actions_table, sources
from cardlab.analysis.actions_table import Heading
from cardlab.analysis.source_hand import SourceHand
from cardlab.analysis.spreadsheets import TableFile


class Chunk(NamedTuple):
    """Whole hands of a table: the bytes from ``begin`` to ``end``.

    ``above`` is the number of lines of the file before them. ``file`` is the name for error messages,
    ``path`` the absolute path for the workers.
    """

    file: str
    path: str
    heading: Heading
    begin: int
    end: int
    above: int

    def hands(self) -> Iterator[SourceHand]:
        """Yields the hands of the chunk. Raises BadFile."""
        with open(self.path, "rb") as file:
            file.seek(self.begin)
            rows = file.read(self.end - self.begin)
        lines = sources.decode_lines(io.BytesIO(rows), self.file, above=self.above)
        yield from actions_table.read_hands_below(self.heading, lines, self.file, self.above)


def split_table(table: TableFile, chunk_bytes: int) -> Iterator[Chunk]:
    """Yields the chunks of a table, each at least ``chunk_bytes`` long. Raises BadFile."""
    with table.path.open("rb") as file:
        lines = sources.decode_lines(iter(file.readline, b""), table.name)
        heading = actions_table.read_heading(lines, table.name)._replace(is_sealed=table.is_sealed)
        begin, above = file.tell(), heading.lines
        while block := file.read(chunk_bytes):
            end, line_count = _find_next_hand(file, heading, block.count(b'"') % 2 == 1)
            yield Chunk(table.name, str(table.path.resolve()), heading, begin, end, above)
            begin, above = end, above + block.count(b"\n") + line_count
            file.seek(end)


def _find_next_hand(file: BinaryIO, heading: Heading, quoted: bool) -> tuple[int, int]:
    """Returns the byte where the next hand begins, and the number of lines up to it.

    The file may be in the middle of a row. ``quoted`` says whether it is inside quotes.
    """
    find_hand_id, hand_id, lines = heading.cells("hand_id"), None, 0
    row, row_lines = None, 0
    while line := file.readline():
        lines, row_lines = lines + 1, row_lines + 1
        quoted ^= line.count(b'"') % 2 == 1  # a line that ends within quotes does not end its row
        row = line if row is None else row + line
        if quoted:
            continue
        try:
            cells = next(csv.reader([row.decode()], delimiter=heading.separator), [])
        except (csv.Error, UnicodeDecodeError):  # the first row, whose beginning is missing
            cells = []
        if len(cells) == len(heading.columns):
            if hand_id not in (None, find_hand_id(cells)):
                return file.tell() - len(row), lines - row_lines
            hand_id = find_hand_id(cells)
        row, row_lines = None, 0
    return file.tell(), lines
