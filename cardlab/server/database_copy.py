"""Copies a database before it is upgraded: SQLite next to it, PostgreSQL by ``pg_dump`` into ``backups/``."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy.engine.url import URL

WITHOUT_BACKUP_VARIABLE = (
    "CARD_LAB_UPGRADE_WITHOUT_BACKUP"  # set to 1 where PostgreSQL is backed up in another way
)


class CopyFailed(Exception):
    """Raised if a database cannot be copied; its text is a sentence."""


def copy_database(url: URL, made_by: str) -> str:
    """Copies a database; returns the copy's name, with the time and version. Raises CopyFailed."""
    name = f"db-{datetime.now().astimezone():%Y%m%d-%H%M%S}-{made_by.lower().replace(' ', '-')}"
    if url.get_backend_name() == "sqlite":
        return _copy_sqlite(Path(url.database or ""), name)
    return _dump_postgres(url, name)


def _copy_sqlite(file: Path, name: str) -> str:
    """Copies with SQLite's backup API, because a copy of the file would miss the WAL; checks the copy."""
    copy = file.with_name(f"{name}.sqlite3")
    unfinished = Path(f"{copy}.part")
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(unfinished)) as target:
            shutil.copymode(file, unfinished)
            source.backup(target)
            if (result := target.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(result)
        os.replace(unfinished, copy)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise CopyFailed(f"{file.name} could not be copied ({error}).") from error
    return copy.name


def _dump_postgres(url: URL, name: str) -> str:
    if os.environ.get(WITHOUT_BACKUP_VARIABLE) == "1":
        return f"none, because {WITHOUT_BACKUP_VARIABLE} is set"
    otherwise = f"Back up the database yourself, then start again with {WITHOUT_BACKUP_VARIABLE}=1."
    program = shutil.which("pg_dump")
    if program is None:
        raise CopyFailed(
            "PostgreSQL's program pg_dump, which makes the backup, is not installed. Install it (on Debian: "
            f"apt install postgresql-client). {otherwise}"
        )
    Path("backups").mkdir(exist_ok=True)
    copy = Path("backups", f"{name}.dump")
    # Every user of the computer can read the arguments of a process, so the password is not among them.
    address = URL("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    password = {"PGPASSWORD": url.password} if url.password else {}
    dumped = subprocess.run(
        [program, "--format=custom", f"--file={copy}", f"--dbname={address}"],
        env={**os.environ, **password},
        capture_output=True,
        encoding="utf-8",
    )
    if dumped.returncode:
        copy.unlink(missing_ok=True)
        reason = (dumped.stderr.strip() or "no reason given").splitlines()[-1]
        raise CopyFailed(f"pg_dump could not copy the database ({reason}). {otherwise}")
    return str(copy)
