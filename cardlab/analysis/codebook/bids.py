"""Writes the actions and answers of a dataset as a dataset of BIDS with behavioural data (``beh``).

See https://bids-specification.readthedocs.io. Each participant has a file of actions for each game. Answers
to questions are in ``phenotype/``. The dataset of Psych-DS with all tables is in ``sourcedata/``.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TextIO

from cardlab import __version__
from cardlab.analysis.codebook.book import Book, write_json
from cardlab.analysis.codebook.columns import Column, read_header, strip_round
from cardlab.analysis.codebook.table_names import table_name

SOURCE = "sourcedata"  # its folder with the dataset of Psych-DS
SESSION = "session"  # the name of the task with the answers in all apps
VERSION = "1.10.0"
MISSING = "n/a"

README = """\
# {name}

{description}

{conditionsOfAccess}

`sub-…/beh/` has each participant's actions, and those of co-players in the same hands; `task-session` has
the participant's fields in all apps. `phenotype/` has answers to questions. All tables are in `sourcedata/`,
a dataset of Psych-DS. Its `README.md` explains all files.
"""

PARTICIPANTS = {
    "participant_id": "oTree's code of the participant",
    "session_code": "oTree's code of the session",
    "treatment": "the participant's treatment; n/a without treatments",
    "finished": "1 if the participant reached the end of the study, else 0",
}
_WIDE = ("participant.code", "session.code", "participant.treatment", "participant.finished")


def write_bids(folder: Path, about: Mapping[str, Any], book: Book) -> None:
    """Writes the dataset into ``folder``, from the tables in its folder ``sourcedata/``.

    Parameters:
        folder: The folder of the dataset.
        about: The properties of the dataset in schema.org.
        book: The columns of each table by the path of its file in ``sourcedata/``.
    """
    write_json(folder / "dataset_description.json", _describe(about))
    (folder / "README.md").write_text(README.format(**about), "utf-8")
    (folder / ".bidsignore").write_text("SHA256SUMS\n", "utf-8")
    write_tables(folder, folder / SOURCE, book)


def write_tables(folder: Path, source: Path, book: Book) -> None:
    """Writes the tables into ``folder``, with their descriptions, from those of the dataset ``source``."""
    tables = {table_name(file): file for file in book}
    wide = tables["all_apps_wide"]
    codes = _write_participants(folder, source / wide)
    _write_answers_of_session(folder, source / wide, book[wide])
    for table, file in tables.items():
        names = {column.column for column in book[file]}
        if "participant_code" not in names:  # a table of a researcher's own app
            continue
        if table.endswith("_actions"):
            _write_actions(folder, source / file, table.removesuffix("_actions"), book[file], codes)
        elif table.endswith(("_answers", "_consent")):
            _write_answers(folder, source / file, table, book[file])


def _describe(about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "Name": about["name"],
        "BIDSVersion": VERSION,
        "DatasetType": "raw",
        "License": about["license"],
        "Authors": [author["name"] for author in about["author"]],
        "HowToAcknowledge": about["citation"],
        "GeneratedBy": [{"Name": "Card Lab", "Version": __version__}],
    }


def _write_participants(folder: Path, wide: Path) -> list[str]:
    """Writes the table of participants; returns their codes."""
    with (folder / "participants.tsv").open("w", encoding="utf-8", newline="") as file:
        codes = []
        _write_row(file, PARTICIPANTS)
        for row in _read_rows(wide):
            codes.append(row["participant.code"])
            _write_row(file, [f"sub-{codes[-1]}", *(row.get(name, "") for name in _WIDE[1:])])
    write_json(
        folder / "participants.json", {name: {"Description": text} for name, text in PARTICIPANTS.items()}
    )
    return codes


def _write_actions(
    folder: Path, table: Path, app: str, columns: Sequence[Column], codes: Iterable[str]
) -> None:
    """Writes all rows of each participant's hands, including deals and the actions of co-players.

    Co-players who withdrew still have rows. They are not in ``codes`` and get no file.
    """
    task, header = re.sub("[^A-Za-z0-9]", "", app), read_header(table)
    players: dict[str, set[str]] = defaultdict(set)  # by hand
    for row in _read_rows(table):
        players[row["hand_id"]].add(row["participant_code"])
    seated = set().union(*players.values())
    with_file = [code for code in codes if code in seated]
    for code in with_file:
        with _beh_file(folder, code, task) as file:
            _write_row(file, header)
    # The files of one hand are open at a time, because a system allows only some hundreds.
    for hand, rows in groupby(_read_rows(table), key=itemgetter("hand_id")):
        lines = [row.values() for row in rows]
        for code in players[hand].intersection(with_file):
            with _beh_file(folder, code, task, "a") as file:
                for cells in lines:
                    _write_row(file, cells)
    if with_file:
        described = {"TaskName": app, **_sidecar(columns, header)}
        write_json(folder / f"task-{task}_beh.json", described)


def _write_answers_of_session(folder: Path, wide: Path, columns: Sequence[Column]) -> None:
    """Writes each participant's row of the table of all apps, because BIDS requires data of everybody."""
    header = read_header(wide)
    for row in _read_rows(wide):
        with _beh_file(folder, row["participant.code"], SESSION) as file:
            _write_row(file, header)
            _write_row(file, row.values())
    write_json(folder / f"task-{SESSION}_beh.json", {"TaskName": SESSION, **_sidecar(columns, header)})


def _beh_file(folder: Path, code: str, task: str, mode: Literal["w", "a"] = "w") -> TextIO:
    path = folder / f"sub-{code}" / "beh" / f"sub-{code}_task-{task}_beh.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open(mode, encoding="utf-8", newline="")


def _write_answers(folder: Path, table: Path, name: str, columns: Sequence[Column]) -> None:
    (folder / "phenotype").mkdir(exist_ok=True)
    header = read_header(table)
    with (folder / "phenotype" / f"{name}.tsv").open("w", encoding="utf-8", newline="") as file:
        _write_row(file, ["participant_id", *header])
        for row in _read_rows(table):
            _write_row(file, [f"sub-{row['participant_code']}", *row.values()])
    described = {
        "MeasurementToolMetadata": {"Description": f"{name} of Card Lab"},
        **_sidecar(columns, header),
    }
    write_json(folder / "phenotype" / f"{name}.json", described)


def _sidecar(columns: Sequence[Column], header: Iterable[str]) -> dict[str, Any]:
    """Returns the description of each column."""
    meanings = {column.column: str(column.meaning) for column in columns}
    return {name: {"Description": meanings[strip_round(name)]} for name in header}


def _write_row(file: TextIO, cells: Iterable[Any]) -> None:
    """Writes a row as BIDS requires: no quotes, no tabs or lines within cells, ``n/a`` for empty ones."""
    file.write("\t".join(" ".join(str(cell).split()) or MISSING for cell in cells) + "\n")


def _read_rows(table: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(2**31 - 1)  # because a whole record may be in one cell
    with table.open(encoding="utf-8-sig", newline="") as text:
        yield from csv.DictReader(text)
