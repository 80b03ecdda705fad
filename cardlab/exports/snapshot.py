"""Reads a snapshot of the server's database in a worker process."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Engine

COPY = "snapshot.sqlite3"  # of a SQLite database
COPY_CACHE_KIB = 20_000  # of SQLite, while it reads the copy


class NoSpace(Exception):
    """Raised if there is too little free disk space for a copy of the database."""


@contextmanager
def read_snapshot(folder: Path) -> Iterator[None]:
    """Makes oTree's ``db`` read a snapshot of the server's database within the block.

    Nothing is flushed, because oTree treats some reads as changes. Raises NoSpace.

    Args:
        folder: for the copy of a SQLite database.
    """
    from otree.database import DBSession, db

    copy = folder / COPY
    engine = snapshot_engine(copy)
    db._db = DBSession(bind=engine, autoflush=False)
    try:
        yield
    finally:
        db.close()
        engine.dispose()
        copy.unlink(missing_ok=True)


def snapshot_engine(copy: Path) -> Engine:
    """Returns a read-only engine over a snapshot of the server's database, made by the first query.

    Args:
        copy: the file for a copy of a SQLite database.
    """
    import sqlalchemy
    from otree.database import DB_FILE
    from sqlalchemy.pool import NullPool, StaticPool

    url = os.environ.get("DATABASE_URL", "sqlite:")
    if url.startswith("sqlite"):  # oTree always uses DB_FILE, too
        return sqlalchemy.create_engine(
            "sqlite://", creator=lambda: connect_to_copy(DB_FILE, copy), poolclass=StaticPool
        )
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)

    @sqlalchemy.event.listens_for(engine, "connect")
    def restrict(connection: Any, _record: object) -> None:
        connection.set_session("REPEATABLE READ", readonly=True)

    return engine


def connect_to_copy(file: str, copy: Path) -> sqlite3.Connection:
    """Copies a SQLite database to another file and returns a connection to that. Raises NoSpace.

    An export may take minutes, and a reader of the database would block checkpoints of the WAL for as long.
    The copy is on disk, so that an export of a large database needs no more memory.
    """
    needed, free = _stored_bytes(file), shutil.disk_usage(copy.parent).free
    if free < needed:
        raise NoSpace(f"{needed / 1e6:,.0f} MB needed, {free / 1e6:,.0f} MB free in {copy.parent}")
    connection = sqlite3.connect(copy, check_same_thread=False)
    connection.execute(f"PRAGMA cache_size = -{COPY_CACHE_KIB}")
    connection.execute("PRAGMA synchronous = off")  # nobody needs the copy after a crash
    with closing(sqlite3.connect(Path(file).resolve().as_uri() + "?mode=ro", uri=True)) as source:
        source.backup(connection)
    connection.execute("PRAGMA journal_mode = delete")  # the copy is one file, without a WAL
    return connection


def _stored_bytes(file: str) -> int:
    """Returns the size of a SQLite database with its WAL."""
    return sum(path.stat().st_size for path in (Path(file), Path(f"{file}-wal")) if path.exists())
