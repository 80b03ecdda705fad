"""Commits to SQLite's write-ahead log (WAL), and checkpoints it in a background thread.

By default SQLite checkpoints in about every fortieth commit, which delays its moves by two disk writes. A
passive checkpoint in a thread blocks no writer. It is as safe, because a commit is durable once the WAL is on
disk.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from contextlib import closing

from otree.database import DB_FILE, IN_MEMORY, engine

logger = logging.getLogger("cardlab.server")

INTERVAL_SECONDS = 1.0
MAX_ATTEMPTS = 3  # in a row, because new commits may arrive meanwhile
# If this thread fails, a commit checkpoints a WAL of this many pages of 4 kB.
AUTOCHECKPOINT_PAGES = 20_000


def disable_autocheckpoint(connection: sqlite3.Connection) -> None:
    """Prevents checkpoints within a connection's commits, unless the WAL becomes very long."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT_PAGES}")


def sync_commits(connection: sqlite3.Connection) -> None:
    """Makes each commit of a connection durable before it returns.

    This is SQLite's default, but a build can have another one.
    """
    connection.execute("PRAGMA synchronous = FULL")


def begin() -> None:
    """Starts the thread, if the database is SQLite on disk."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        connection = engine.raw_connection().connection
        sync_commits(connection)
        disable_autocheckpoint(connection)
        threading.Thread(target=_run, daemon=True, name="checkpoints").start()


def _run() -> None:
    while True:
        time.sleep(INTERVAL_SECONDS)
        try:
            checkpoint(DB_FILE)
        except sqlite3.Error as error:
            logger.warning("The WAL checkpoint failed: %s", error)


def checkpoint(file: str) -> bool:
    """Checkpoints without blocking writers; returns whether the whole WAL was copied."""
    with closing(sqlite3.connect(file)) as connection:
        for _attempt in range(MAX_ATTEMPTS):
            _busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if pages == copied:
                return True
    return False
