"""Reads the database in a background thread, over a connection of its own, without oTree's lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy
from otree.database import DBSession, db, engine
from sqlalchemy.pool import NullPool

_engine = sqlalchemy.create_engine(engine.url, poolclass=NullPool, hide_parameters=True)


@contextmanager
def read_session() -> Iterator[None]:
    """Gives this thread's context a session of its own as oTree's ``db``.

    Nothing is flushed: reading a participant's ``vars`` counts as changing them in oTree, and the update
    would lock SQLite until all is read. Not for a server in memory: another connection would find another
    database.
    """
    db._db = DBSession(bind=_engine, autoflush=False)
    try:
        yield
    finally:
        db.close()
