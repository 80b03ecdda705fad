"""A read-only snapshot of the server's database, for a worker process."""

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
    """Makes oTree's ``db`` read the server's database as it is now, within the block.

    Nothing is flushed: objects that oTree considers changed by reading are not written.
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
    """Returns an engine that reads the server's database as it is now, and cannot write to it."""
    import sqlalchemy
    from otree.database import DB_FILE
    from sqlalchemy.pool import NullPool, StaticPool

    url = os.environ.get("DATABASE_URL", "sqlite:")
    if url.startswith("sqlite"):  # oTree ignores any other file, too
        return sqlalchemy.create_engine(
            "sqlite://", creator=lambda: copy_to_memory(DB_FILE), poolclass=StaticPool
        )
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)

    @sqlalchemy.event.listens_for(engine, "connect")
    def restrict(connection: Any, _record: object) -> None:
        connection.set_session("REPEATABLE READ", readonly=True)

    return engine


def copy_to_memory(file: str) -> sqlite3.Connection:
    """Copies the SQLite database to memory, which takes milliseconds; an export takes seconds.

    A reader of the file keeps SQLite from checkpointing its WAL, which would slow down commits.
    """
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(sqlite3.connect(Path(file).resolve().as_uri() + "?mode=ro", uri=True)) as source:
        source.backup(memory)
    return memory
