"""Reads the database in a background thread, over a separate connection, without oTree's lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy
from otree.database import DBSession, db, engine
from sqlalchemy.pool import NullPool

_engine = sqlalchemy.create_engine(engine.url, poolclass=NullPool, hide_parameters=True)


@contextmanager
def read_session() -> Iterator[None]:
    """Replaces oTree's ``db`` by a read-only session in this thread's context.

    Nothing is flushed, because oTree treats reading a participant's ``vars`` as a change, and the update
    would lock SQLite. Not for a database in memory, where each connection has its own database.
    """
    db._db = DBSession(bind=_engine, autoflush=False)
    try:
        yield
    finally:
        db.close()
