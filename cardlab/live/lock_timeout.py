"""Limits how long a statement waits for a locked SQLite database, because it waits under oTree's lock."""

from __future__ import annotations

from otree.database import IN_MEMORY, engine

# The default is 5 s for each statement; a commit of another process takes less than 1 s, even on a busy disk.
TIMEOUT_MS = 1500


def set_lock_timeout() -> None:
    """Sets the limit in the server; the timeout worker may wait longer, because it blocks nobody."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        engine.raw_connection().execute(f"PRAGMA busy_timeout = {TIMEOUT_MS}")
