"""Reads label files: CSV files with a header line and a line for each participant label.

The label file of a room may also be a plain list of labels.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.text_file import numbered_lines, quote, shorten

LABEL_COLUMN, LANGUAGE_COLUMN = "label", "language"
LONGEST_LABEL = 100  # characters, the length of oTree's column
_SEPARATORS = ",;\t"


class RoomLabels(NamedTuple):
    """The valid labels of a room in the order of its file, each with its language, and the file's faults.

    The language is "" where the file has none.
    """

    languages: dict[str, str]
    faults: list[BadFile]


def read_room_labels(source: DealFile, languages: Collection[str]) -> RoomLabels:
    """Reads the label file of a room: a list of labels, or a CSV file with the columns label and language.

    ``languages`` are the languages of the server.
    """
    room_labels = RoomLabels({}, [])
    try:
        header = re.split(f"[{_SEPARATORS}]", next(numbered_lines(source.text, source.name))[1])
        is_table = len(header) > 1 and LABEL_COLUMN in (cell.strip(' "') for cell in header)
        for fault in (
            _add_table(source, languages, room_labels) if is_table else _add_list(source, room_labels)
        ):
            room_labels.faults.append(fault)
    except BadFile as fault:
        room_labels.faults.append(fault)
    if not room_labels.languages and not room_labels.faults:
        sentence = "This file has no labels, so nobody can enter the room. Write one label per line."
        room_labels.faults.append(BadFile(source.name, sentence))
    return room_labels


def _add_table(source: DealFile, languages: Collection[str], room_labels: RoomLabels) -> Iterator[BadFile]:
    """Adds the labels and languages of a CSV file; yields its faults. Raises BadFile for its columns."""
    for line, label, cells in read_labels(source, [LANGUAGE_COLUMN]):
        if fault := _label_fault(label):
            yield BadFile(source.name, f"Column {LABEL_COLUMN}: {fault}", line)
            continue
        language = cells[LANGUAGE_COLUMN].lower()
        if fault := _language_fault(language, languages):
            yield BadFile(source.name, fault, line)
        room_labels.languages[label] = "" if fault else language


def _add_list(source: DealFile, room_labels: RoomLabels) -> Iterator[BadFile]:
    """Adds the labels of a list; yields its faults."""
    first_lines: dict[str, int] = {}
    for number, line in numbered_lines(source.text, source.name):
        for match in re.finditer(r"\S+", line):
            label, place = match[0], (number, match.start() + 1)
            if line.split() != [label]:
                sentence = f"{quote(label)} is not alone on its line. Write one label per line."
                yield BadFile(source.name, sentence, *place)
            if fault := _label_fault(label):
                yield BadFile(source.name, fault, *place)
            elif label in first_lines:
                sentence = f"{label} is already in line {first_lines[label]}. Delete one of the two."
                yield BadFile(source.name, sentence, *place)
            else:
                first_lines[label] = number
                room_labels.languages[label] = ""


def _label_fault(label: str) -> str | None:
    """Returns why oTree would reject a label; None if it is valid."""
    if not (label.isascii() and label.replace("_", "a").isalnum()):
        hint = ""
        if any(separator in label for separator in _SEPARATORS):
            hint = f" For a file with more columns, write {LABEL_COLUMN},{LANGUAGE_COLUMN} in the first line."
        return f"{quote(label)} is not a valid label. Use only the characters a–z, A–Z, 0–9 and _.{hint}"
    if len(label) > LONGEST_LABEL:
        return f"The label has {len(label)} characters. The limit is {LONGEST_LABEL}."
    return None


def _language_fault(language: str, languages: Collection[str]) -> str | None:
    """Returns why a cell of the languages is invalid; None if it is valid."""
    if not language or language in languages:
        return None
    return (
        f"Column {LANGUAGE_COLUMN}: {quote(language)} is not a language of this server. Write one of "
        f"{', '.join(languages)}, or leave the cell empty."
    )


def languages_in(source: DealFile) -> dict[str, str]:
    """Returns the languages in a label file by label; {} without such a column. Raises BadFile."""
    cells_by_label = {label: cells for _line, label, cells in read_labels(source, [])}
    return {label: cells.get(LANGUAGE_COLUMN, "").lower() for label, cells in cells_by_label.items()}


def check_languages(source: DealFile, languages: Collection[str]) -> None:
    """Raises BadFile if a label file has a language that is not in ``languages``."""
    for line, _label, cells in read_labels(source, []):
        if fault := _language_fault(cells.get(LANGUAGE_COLUMN, "").lower(), languages):
            raise BadFile(source.name, fault, line)


def read_labels(source: DealFile, columns: Sequence[str]) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """Yields the line, the label and the cells by column of each label. Raises BadFile.

    ``columns`` are the columns that the file must have in addition to the label column.
    """
    lines = [line for _number, line in numbered_lines(source.text, source.name)]
    separator = max(_SEPARATORS, key=lines[0].count)
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    line_by_label: dict[str, int] = {}
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
            if label in line_by_label:
                raise BadFile(
                    source.name,
                    f"The label {quote(label)} is also in line {line_by_label[label]}. Each label may "
                    "appear only once.",
                    line,
                )
            line_by_label[label] = line
            yield line, label, cells
    except csv.Error as error:
        raise BadFile(source.name, f"This line is not valid CSV ({error}).", rows.line_num) from None


def _check_names(file: str, names: Sequence[str], required_names: Sequence[str]) -> None:
    for name in required_names:
        if names.count(name) != 1:
            names_text = ", ".join(map(shorten, names))
            raise BadFile(
                file, f"The first line must name exactly one column {shorten(name)}. It has {names_text}.", 1
            )
