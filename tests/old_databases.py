"""Restores the databases of released versions in tests/databases/ (README.md there)."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).parent / "databases"
VERSIONS = ("0.3", "0.5", "0.10", "0.11")


def restore(version: str, file: Path) -> Path:
    """Writes the database of a version into a new file; returns the file."""
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(gzip.decompress((FOLDER / f"{version}.sql.gz").read_bytes()).decode())
    return file


def content(file: Path) -> list[str]:
    """Returns the whole content of a database as SQL: tables, indexes and rows."""
    with closing(sqlite3.connect(file)) as database:
        return [*database.iterdump(), str(database.execute("PRAGMA user_version").fetchone())]


def query(file: Path, sql: str) -> list[tuple]:
    """Returns the rows that a statement finds, and commits what it changes."""
    with closing(sqlite3.connect(file)) as database, database:
        return database.execute(sql).fetchall()
