"""What is committed to SQLite's write-ahead log is carried over into the database beside the play.

By itself SQLite does that within every fortieth commit or so, and whoever has moved just then waits for two
more turns of the disk; who commits meanwhile, too. In a thread of its own it holds up nobody: SQLite lets
others write beside it. Nothing is less safe: a commit is on disk when the log is.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from contextlib import closing

from otree.database import DB_FILE, IN_MEMORY, engine

logger = logging.getLogger("cardlab.server")

INTERVAL_SECONDS = 1.0  # seconds
MAX_ATTEMPTS = 3  # times in a row: what is committed meanwhile has to be carried over, too
# Pages of 4 kB in the log from which a commit carries it over all the same: then this thread is not heard of.
AUTOCHECKPOINT_PAGES = 20_000


def disable_autocheckpoint(connection: sqlite3.Connection) -> None:
    """A connection of the server's does not carry anything over within its commits."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT_PAGES}")


def begin() -> None:
    """Carry over from now on, where there is such a log."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        disable_autocheckpoint(engine.raw_connection())
        threading.Thread(target=_run, daemon=True, name="checkpoints").start()


def _run() -> None:
    while True:
        time.sleep(INTERVAL_SECONDS)
        try:
            checkpoint(DB_FILE)
        except sqlite3.Error as error:
            logger.warning("the write-ahead log was not carried over into the database: %s", error)


def checkpoint(file: str) -> bool:
    """Carry over what the log has; whether it is empty then. Holds nobody up who reads or writes."""
    with closing(sqlite3.connect(file)) as connection:
        for _time in range(MAX_ATTEMPTS):
            _busy, pages, carried_over = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if pages == carried_over:
                return True
    return False
