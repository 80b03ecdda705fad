"""Removes the data of a participant who withdrew from backups, older databases, journals and keeper logs.

Each file is rewritten completely or not at all, so a repeated call completes an interrupted one. SQLite keeps
deleted bytes in free pages and in the WAL, so each database is also compacted.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import sqlalchemy
from otree.database import engine
from sqlalchemy.pool import NullPool

from cardlab import folders, journal
from cardlab.core import clock
from cardlab.live import personal_data
from cardlab.live.lock_timeout import TIMEOUT_MS
from cardlab.live.personal_data import Payment
from cardlab.live.record_store import Records

DATABASE = "db.sqlite3"
UNFINISHED = ".withdrawal"  # the ending of a file that is not complete yet
UNFINISHED_BACKUP = "db-*.part"  # a backup that lab.py is making
BACKUP_SECONDS = 60.0  # how long to wait for that backup
COMPACT_ATTEMPTS, COMPACT_PAUSE = 20, 0.1  # a reader prevents emptying the WAL


class FileReport(NamedTuple):
    """The files that were rewritten and deleted, and sentences about files that still have data.

    Paths are relative to the project.
    """

    rewritten: list[str]
    deleted: list[str]
    faults: list[str]


class Withdrawal(NamedTuple):
    """A withdrawal: the participant's code, the pseudonym, and the open payment."""

    code: str
    pseudonym: str
    payment: Payment


def clean_files(withdrawal: Withdrawal, session: str, folder: Path = folders.PROJECT) -> FileReport:
    """Removes a participant's data from all files of the project that the server or lab.py has made."""
    report = FileReport([], [], [])
    for unfinished in _unfinished(folder):  # of a call that was interrupted
        unfinished.unlink(missing_ok=True)
    _clean_databases(withdrawal, folder, report)
    _clean_logs(withdrawal, folder, report)
    _clean_journals(withdrawal, folder, report)
    report.faults.extend(_copies(folder, session))
    return report


def _unfinished(folder: Path) -> list[Path]:
    return [*folder.glob(f"*{UNFINISHED}"), *folder.rglob(f"backups/*{UNFINISHED}")]


# ------------------------------------------------------------------ databases


def _clean_databases(withdrawal: Withdrawal, folder: Path, report: FileReport) -> None:
    """Cleans all databases except the server's, including a backup that is being written."""
    cleaned: dict[Path, int] = {}
    deadline = time.monotonic() + BACKUP_SECONDS
    while True:
        is_backing_up = any(_is_recent(file) for file in (folder / "backups").glob(UNFINISHED_BACKUP))
        for file in _databases(folder):
            if cleaned.get(file) != _inode(file):
                _clean_database(file, withdrawal, folder, report)
                cleaned[file] = _inode(file)
        if not is_backing_up or time.monotonic() > deadline:
            return
        time.sleep(COMPACT_PAUSE)


def _databases(folder: Path) -> list[Path]:
    files = [*sorted(folder.glob("*.sqlite3")), *sorted((folder / "backups").glob("*.sqlite3"))]
    return [file for file in files if file != folder / DATABASE]


def _is_recent(file: Path) -> bool:
    """Returns whether a file was written within the last minute; an older one is a killed backup."""
    with suppress(FileNotFoundError):
        return time.time() - file.stat().st_mtime < BACKUP_SECONDS
    return False


def _inode(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_ino
    return 0


def _clean_database(file: Path, withdrawal: Withdrawal, folder: Path, report: FileReport) -> None:
    name = file.relative_to(folder).as_posix()
    try:
        if _needs_cleaning(file, withdrawal):
            rewrite_database(file, withdrawal)
            report.rewritten.append(name)
    except (sqlite3.Error, OSError) as error:
        report.faults.append(
            f"{name} could not be rewritten ({error}) and still has the data. Run the command again, or "
            "delete the file."
        )


def _needs_cleaning(file: Path, withdrawal: Withdrawal) -> bool:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        records = Records(lambda: connection)
        tables = personal_data.Database(records).columns
        if "otree_participant" not in tables:
            return False
        if records.rows("SELECT 1 FROM otree_participant WHERE code = :code", code=withdrawal.code):
            return True
        found = None
        if personal_data.WITHDRAWALS.name in tables:
            found = personal_data.find_withdrawal(records, withdrawal.code)
        return found is not None and bool(found[1].total) and not withdrawal.payment.total


def rewrite_database(file: Path, withdrawal: Withdrawal) -> None:
    """Replaces a database by a copy without the participant's data. Raises sqlite3.Error or OSError.

    The copy gets the times of the file, by which lab.py knows whether a backup is up to date.
    """
    unfinished = Path(f"{file}{UNFINISHED}")
    before = file.stat()
    try:
        with (
            closing(sqlite3.connect(file)) as source,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            shutil.copymode(file, unfinished)
            source.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # closing it removes the WAL, too
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            _remove(Records(lambda: copy), withdrawal)
            copy.commit()
            copy.execute("VACUUM")
            if (result := copy.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(result)
        os.utime(unfinished, ns=(before.st_atime_ns, before.st_mtime_ns))
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)
        Path(f"{unfinished}-journal").unlink(missing_ok=True)


def _remove(records: Records, withdrawal: Withdrawal) -> None:
    code, pseudonym, payment = withdrawal
    if personal_data.remove_data(records, code, pseudonym, payment, clock.now_ms()) is None:
        personal_data.mark_paid(records, code)


def compact(tables: Iterable[str] = ()) -> str:
    """Rewrites the server's database, so that no deleted bytes are left in it.

    Call it under oTree's lock. On PostgreSQL only ``tables`` are rewritten. Returns a sentence if it failed.
    """
    try:
        if engine.dialect.name == "sqlite":
            return _compact_sqlite(DATABASE)
        _compact_postgres(tables)
    except (sqlite3.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", error)).strip()
        return f"The database could not be compacted ({reason}), so deleted data are still in its files."
    return ""


def _compact_sqlite(file: str) -> str:
    with closing(sqlite3.connect(file, timeout=TIMEOUT_MS / 1000, isolation_level=None)) as database:
        database.execute("VACUUM")
        for _attempt in range(COMPACT_ATTEMPTS):
            is_busy, *_pages = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not is_busy:
                return ""
            time.sleep(COMPACT_PAUSE)
    return "Another program reads the database, so deleted data are still in its WAL file."


def _compact_postgres(tables: Iterable[str]) -> None:
    own_engine = sqlalchemy.create_engine(engine.url, poolclass=NullPool, hide_parameters=True)
    with own_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute("SET lock_timeout = '10s'")
        quote = connection.dialect.identifier_preparer.quote
        for table in tables:
            connection.execute(f"VACUUM FULL {quote(table)}")


# ------------------------------------------------------------------ logs and copies


def _clean_logs(withdrawal: Withdrawal, folder: Path, report: FileReport) -> None:
    """Deletes the participant's keeper logs, and replaces the code in those of co-players."""
    code, pseudonym = withdrawal.code.encode(), withdrawal.pseudonym.encode()
    for file in sorted((folder / "logs").rglob("*")):
        name = file.relative_to(folder).as_posix()
        try:
            if withdrawal.code in file.name:
                file.unlink()
                report.deleted.append(name)
            elif file.is_file() and code in (content := file.read_bytes()):
                unfinished = file.with_name(f"{file.name}{UNFINISHED}")
                unfinished.write_bytes(content.replace(code, pseudonym))
                os.replace(unfinished, file)
                report.rewritten.append(name)
        except OSError as error:
            report.faults.append(f"{name} could not be changed ({error}). Delete the file.")


def _clean_journals(withdrawal: Withdrawal, folder: Path, report: FileReport) -> None:
    """Replaces the participant's code in all journals, so that none of their hands counts as missing."""
    for file in sorted([*folder.glob("journal/*.jsonl"), *folder.glob("backups/journal/*.jsonl")]):
        name = file.relative_to(folder).as_posix()
        try:
            if journal.remove_code(file, withdrawal.code, withdrawal.pseudonym):
                report.rewritten.append(name)
        except OSError as error:
            report.faults.append(f"{name} could not be rewritten ({error}) and still has the code.")


def _copies(folder: Path, session: str) -> Iterator[str]:
    """Yields sentences about copies in the project that may have the data."""
    exports, dumps = folder / "exports", folder / "backups"
    copies = [
        *exports.glob(f"{session}*"),
        *exports.glob(f"*/{session}"),
        *dumps.glob("*.dump"),
    ]
    names = sorted(path.relative_to(folder).as_posix() for path in copies)
    if names:
        yield f"These copies may still have the data. Replace or delete them: {', '.join(names)}."
