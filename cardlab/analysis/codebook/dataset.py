"""Arranges the exports of one or several sessions as a dataset of Psych-DS.

The tables of the sessions are joined in ``data/`` under the names of Psych-DS, each with a sidecar that
explains its columns. Logs in the formats of the original programs go to ``log/``. With a key, pseudonyms
replace what identifies participants.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from cardlab.analysis.codebook import book, psych_ds
from cardlab.analysis.codebook.columns import describe_columns, read_header, strip_round
from cardlab.analysis.codebook.pseudonyms import KEPT, Pseudonyms, timestamp_ms
from cardlab.analysis.codebook.table_names import psych_ds_name
from cardlab.analysis.output import atomic_file
from cardlab.analysis.spreadsheets import open_table
from cardlab.games.columns import Timestamp
from cardlab.games.contract import BadFile
from cardlab.row_chain import has_digests, rechain

DATA = "data"
LOGS = "log"
WIDE = "all_apps_wide"
NOT_TABLES = ("README.txt",)  # the other texts of an export are logs


class Exports(NamedTuple):
    """The exports of a session: their folder, the session's code, and its apps."""

    folder: Path
    session: str
    apps: tuple[str, ...]


def read_exports(folder: Path) -> Exports:
    """Identifies the session and apps whose exports are in a folder. Raises BadFile if there are none."""
    wide = folder / f"{WIDE}.csv"
    if not wide.is_file():
        raise BadFile(str(folder), f"This folder has no {wide.name}. Name a folder of exports of a session.")
    header = read_header(wide)
    codes = {row["session.code"] for row in _read_rows(wide)} if "session.code" in header else set()
    if not codes:
        raise BadFile(
            str(wide), "This session has no data: nobody has come, or everybody has withdrawn. Leave it out."
        )
    if len(codes) > 1:
        raise BadFile(str(wide), f"This table has {len(codes)} sessions. Export one session into a folder.")
    apps = dict.fromkeys(name.partition(".")[0] for name in header if strip_round(name) != name)
    return Exports(folder, codes.pop(), tuple(apps))


def write_tables(
    exports: Sequence[Exports], out: Path, study: str, own: Mapping[str, str], key: bytes | None
) -> list[str]:
    """Writes the tables of all sessions, with their sidecars, and the logs; returns the tables' names.

    Parameters:
        exports: The exports of each session.
        out: The folder of the dataset.
        study: The name of the study, used with several sessions.
        own: The meanings of fields of a researcher's own apps, by ``app.model.field``.
        key: The key of the pseudonyms; None leaves the cells as they are.
    """
    scope = ("session", exports[0].session) if len(exports) == 1 else ("study", study)
    apps = dict.fromkeys(app for one in exports for app in one.apps)
    files = [path for one in exports for path in sorted(one.folder.glob("*.csv")) if path.name != book.NAME]
    names = dict.fromkeys(path.stem for path in files)
    pseudonyms = [Pseudonyms(key, created_ms(one), KEPT | {*one.apps}) if key else None for one in exports]
    (out / DATA).mkdir(parents=True, exist_ok=True)
    for name in names:
        file = f"{DATA}/{psych_ds_name(name, apps, scope)}"
        sources = [(one.folder / f"{name}.csv", how) for one, how in zip(exports, pseudonyms)]
        _join([(path, how) for path, how in sources if path.is_file()], name, own, out / file)
        sidecar = psych_ds.describe_table(out, file, book.read_columns(out, file, own))
        book.write_json((out / file).with_suffix(".json"), sidecar)
    book.write_json(out / DATA / psych_ds.FOLDER_METADATA, psych_ds.describe_folder())
    _copy_logs(exports, out / LOGS)
    return list(names)


def created_ms(exports: Exports) -> int:
    """Returns when the session was created, or without a game the earliest time of its tables."""
    earliest: list[str] = []
    for path in sorted(exports.folder.glob("*.csv")):
        meanings = {
            column.column: column.meaning for column in describe_columns(path.stem, read_header(path), [])
        }
        for row in _read_rows(path):
            if created := row.get("session_created_utc"):
                return timestamp_ms(created)
            earliest += [
                cell
                for name, cell in row.items()
                if cell and isinstance(meanings[strip_round(name)], Timestamp)
            ]
    return min(map(timestamp_ms, earliest), default=0)


def _join(
    sources: Sequence[tuple[Path, Pseudonyms | None]], name: str, own: Mapping[str, str], out: Path
) -> None:
    """Writes the rows of one table of all sessions, with the columns of all and the digests of its cells."""
    columns = list(dict.fromkeys(column for path, _how in sources for column in read_header(path)))
    rows = chain([columns], *(_cells(path, how, name, own, columns) for path, how in sources))
    is_changed = len(sources) > 1 or any(how for _path, how in sources)
    with atomic_file(out) as file:
        table = rechain(rows) if is_changed and has_digests(columns) else rows
        csv.writer(file, lineterminator="\n").writerows(table)


def _cells(
    path: Path, how: Pseudonyms | None, name: str, own: Mapping[str, str], columns: Iterable[str]
) -> Iterator[list[str]]:
    """Yields the rows of a session's table in the order of ``columns``, with pseudonyms."""
    header = read_header(path)
    meanings = {column.column: column.meaning for column in describe_columns(name, header, [], own)}
    for row in _read_rows(path):
        if how:
            row = {column: how.replace(meanings[strip_round(column)], cell) for column, cell in row.items()}
        yield [row.get(column, "") for column in columns]


def _copy_logs(exports: Sequence[Exports], out: Path) -> None:
    """Copies the logs, which have neither labels nor times of day; those of several sessions into folders."""
    for one in exports:
        folder = out if len(exports) == 1 else out / one.session
        for path in sorted(one.folder.glob("*.txt")):
            if path.name not in NOT_TABLES:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, folder / path.name)


def _read_rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(2**31 - 1)  # because a whole record may be in one cell
    with open_table(path) as text:
        yield from csv.DictReader(text)
