"""Reads label files: CSV files with a header line and a line for each participant label."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence

from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.text_file import numbered_lines, quote, shorten

LABEL_COLUMN = "label"


def read_labels(source: DealFile, columns: Sequence[str]) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """Yields the line, the label and the cells by column of each label. Raises BadFile.

    ``columns`` are those that the file must have, besides that of the labels.
    """
    lines = [line for _number, line in numbered_lines(source.text, source.name)]
    separator = max(",;\t", key=lines[0].count)
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    seen: dict[str, int] = {}
    try:
        names = [name.strip() for name in next(rows, [])]
        _check_names(source.name, names, (LABEL_COLUMN, *columns))
        for row in rows:
            line = rows.line_num
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise BadFile(source.name, f"This line has {len(row)} cells instead of {len(names)}.", line)
            cells = dict(zip(names, map(str.strip, row)))
            label = cells[LABEL_COLUMN]
            if not label:
                raise BadFile(source.name, "This line has no label. Write a label, or delete the line.", line)
            if label in seen:
                raise BadFile(
                    source.name,
                    f"The label {quote(label)} is also in line {seen[label]}. Each label may "
                    "appear only once.",
                    line,
                )
            seen[label] = line
            yield line, label, cells
    except csv.Error as error:
        raise BadFile(source.name, f"This line is not valid CSV ({error}).", rows.line_num) from None


def _check_names(file: str, names: Sequence[str], needed: Sequence[str]) -> None:
    for name in needed:
        if names.count(name) != 1:
            found = ", ".join(map(shorten, names))
            raise BadFile(
                file, f"The first line must name exactly one column {shorten(name)}. It has {found}.", 1
            )
