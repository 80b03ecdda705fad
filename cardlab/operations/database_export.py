"""``lab.py export --database``: exports a SQLite file of any version since 0.3, without a server."""

import contextlib
import csv
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from cardlab import seal
from cardlab.operations import project
from cardlab.operations.database import copy_database, damage, has_content, run_with_apps
from cardlab.operations.download import CHUNK_BYTES, chunks_of_session, write_chunks
from cardlab.operations.environment import install
from cardlab.operations.exported_files import export_file, report_missing_hands, write_readme
from cardlab.operations.keys import seal_key
from cardlab.operations.terminal import Refusal, say

TABLES = "tables"  # the folder with every table as it is in the database
# Exports that belong to no app, by their names in cardlab.server.database_export.
NAMES = {
    "ExportPageTimes": "page_times.csv",
    "ExportWide": "all_apps_wide.csv",
    "payments": "payments.csv",
    "notices": "notices.csv",
    "ExportBrowserEvents": "browser_events.csv",
}


def export_database(file: Path, session: str = "", out: str | None = None) -> int:
    """Writes every table as CSV, and the usual exports of each session, or only of ``session``.

    The file is copied first and stays as it is. Returns 1 if an export could not be made or lacks a hand,
    else 0.
    """
    if not has_content(file):
        raise Refusal(f"{file} is empty or does not exist. Name a SQLite database, such as db.sqlite3.")
    if fault := damage(file):
        raise Refusal(
            f"{file} cannot be read as a SQLite database ({fault}). If it is damaged, see "
            "docs/how-to/back-up-and-restore.md."
        )
    install()
    folder = Path(out) if out else project.FOLDER / "exports" / file.stem
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary, "copy.sqlite3")
        copy_database(file, copy)
        with contextlib.closing(sqlite3.connect(copy)) as database:
            names = table_names(database)
            if "otree_session" not in names:
                raise Refusal(f"{file} is not a database of Card Lab: it has no table otree_session.")
            write_tables(database, names, folder / TABLES)
        say(f"{len(names)} tables were written to {folder / TABLES}")
        return export_sessions(file, copy, folder, session)


def table_names(database: sqlite3.Connection) -> list[str]:
    """Returns the names of all tables."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return sorted(name for (name,) in rows if not name.startswith("sqlite_"))  # those are SQLite's own


def write_tables(database: sqlite3.Connection, names: Iterable[str], folder: Path) -> None:
    """Writes each table into a CSV file with its name. NULL becomes an empty cell."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        quoted = name.replace('"', '""')
        rows = database.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 the database names its own tables
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as text:
            table = csv.writer(text)
            table.writerow(column[0] for column in rows.description)
            table.writerows(rows)


def export_sessions(file: Path, copy: Path, folder: Path, session: str) -> int:
    """Writes the usual exports, made by a subprocess with the apps from an upgraded ``copy``."""
    answer = run_with_apps("cardlab.server.database_export", str(copy), str(copy.parent), session)
    if answer.returncode:
        raise Refusal(
            "The usual exports could not be made; the lines above give the reason. Every table is in "
            f"{folder / TABLES}."
        )
    written: dict[str, dict[str, Path]] = {}
    failed = []
    for code, kind, app, function, path, reason in json.loads(answer.stdout.splitlines()[-1]):
        name = export_file(app, function) if function else NAMES.get(kind, f"{app}.csv")
        exports = written.setdefault(code, {})
        if reason:
            failed.append(f"{name} of session {code}: {reason}")
        else:
            exports[name] = Path(path)
    if session and not written:
        raise Refusal(f"{file} has no session {session}. Its sessions are in {folder / TABLES}.")
    missing = [move_exports(folder / code, code, exports, file) for code, exports in written.items()]
    say(f"The exports of {len(written)} session{'s' * (len(written) != 1)} were written to {folder}")
    for sentence in failed:
        print(f"This export could not be made: {sentence}", file=sys.stderr)
    return 1 if failed or any(missing) else 0


def move_exports(folder: Path, session: str, exports: dict[str, Path], file: Path) -> int:
    """Moves the exports of a session to ``folder``; returns 1 if a hand is missing in them, else 0."""
    folder.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for name, path in exports.items():
        unfinished = folder / f"{name}.part"
        with open(path, "rb") as file_of_worker:
            chunks: Iterable[bytes] = iter(partial(file_of_worker.read, CHUNK_BYTES), b"")
            if name == "page_times.csv":
                chunks = chunks_of_session(chunks, session)
            hashes[name] = write_chunks(chunks, unfinished)
        path.unlink()
        os.replace(unfinished, folder / name)
    write_readme(folder / "README.txt", session, str(file), hashes)
    seal.write_seal(folder, seal_key())
    return report_missing_hands(folder, exports)
