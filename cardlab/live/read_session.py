"""Reading the database beside the play: in a thread, over a connection of its own, without oTree's lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy
from otree.database import DBSession, db, engine
from sqlalchemy.pool import NullPool

_apart = sqlalchemy.create_engine(engine.url, poolclass=NullPool, hide_parameters=True)


@contextmanager
def read_session() -> Iterator[None]:
    """oTree's ``db`` is a session of its own meanwhile, for this thread alone: it is kept in a context
    variable.

    Nothing is flushed: to oTree whoever reads a participant's vars has changed them, and the update would
    lock SQLite until all is read. Not for a server in memory: another connection would find another
    database.
    """
    db._db = DBSession(bind=_apart, autoflush=False)
    try:
        yield
    finally:
        db.close()
