"""Limits how long a statement waits for a locked SQLite database, because oTree's lock is held meanwhile."""

from __future__ import annotations

from otree.database import IN_MEMORY, engine

# SQLite's default is 5 s. Another process commits in less than 1 s, even on a busy disk.
TIMEOUT_MS = 1500


def set_lock_timeout() -> None:
    """Sets the limit in the server. The timeout worker keeps the default, because it blocks nobody."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        engine.raw_connection().execute(f"PRAGMA busy_timeout = {TIMEOUT_MS}")
