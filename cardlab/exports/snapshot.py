"""Reads a snapshot of the server's database in a worker process."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Engine


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Makes oTree's ``db`` read a snapshot of the server's database within the block.

    Nothing is flushed, because oTree treats some reads as changes.
    """
    from otree.database import DBSession, db

    engine = snapshot_engine()
    db._db = DBSession(bind=engine, autoflush=False)
    try:
        yield
    finally:
        db.close()
        engine.dispose()


def snapshot_engine() -> Engine:
    """Returns a read-only engine over a snapshot of the server's database."""
    import sqlalchemy
    from otree.database import DB_FILE
    from sqlalchemy.pool import NullPool, StaticPool

    url = os.environ.get("DATABASE_URL", "sqlite:")
    if url.startswith("sqlite"):  # oTree always uses DB_FILE, too
        return sqlalchemy.create_engine(
            "sqlite://", creator=lambda: copy_to_memory(DB_FILE), poolclass=StaticPool
        )
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)

    @sqlalchemy.event.listens_for(engine, "connect")
    def restrict(connection: Any, _record: object) -> None:
        connection.set_session("REPEATABLE READ", readonly=True)

    return engine


def copy_to_memory(file: str) -> sqlite3.Connection:
    """Returns a copy of a SQLite database in memory.

    Copying takes milliseconds. An export takes seconds, and a reader of the file would block checkpoints of
    the WAL and so slow down commits.
    """
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(sqlite3.connect(Path(file).resolve().as_uri() + "?mode=ro", uri=True)) as source:
        source.backup(memory)
    return memory
