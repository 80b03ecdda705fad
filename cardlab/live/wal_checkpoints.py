"""Checkpoints SQLite's write-ahead log (WAL) in a background thread.

By default SQLite does that within about every fortieth commit, and the moves of that commit wait for two more
disk writes. A passive checkpoint in a thread blocks no writer. It is as safe: a commit is on disk when the
WAL is.
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
MAX_ATTEMPTS = 3  # in a row, because of what is committed meanwhile
# Pages of 4 kB in the WAL from which a commit checkpoints it all the same, in case this thread fails.
AUTOCHECKPOINT_PAGES = 20_000


def disable_autocheckpoint(connection: sqlite3.Connection) -> None:
    """Keeps a connection from checkpoints within its commits, up to a long WAL."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT_PAGES}")


def begin() -> None:
    """Starts the thread, on SQLite on disk."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        disable_autocheckpoint(engine.raw_connection().connection)
        threading.Thread(target=_run, daemon=True, name="checkpoints").start()


def _run() -> None:
    while True:
        time.sleep(INTERVAL_SECONDS)
        try:
            checkpoint(DB_FILE)
        except sqlite3.Error as error:
            logger.warning("The WAL checkpoint failed: %s", error)


def checkpoint(file: str) -> bool:
    """Copies the WAL into the database, blocking nobody; returns whether all of it was copied."""
    with closing(sqlite3.connect(file)) as connection:
        for _attempt in range(MAX_ATTEMPTS):
            _busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if pages == copied:
                return True
    return False
