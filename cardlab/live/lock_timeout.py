"""A database that another program has locked is an error at once: who waits for it holds oTree's lock."""

from __future__ import annotations

from otree.database import IN_MEMORY, engine

# SQLite's own is 5 s for each statement; a commit beside the server takes less than one, on a busy disk.
MILLISECONDS = 1500


def fail_fast() -> None:
    """In the server alone: the timeout worker waits beside it and holds nobody up."""
    if engine.dialect.name == "sqlite" and not IN_MEMORY:
        engine.raw_connection().execute(f"PRAGMA busy_timeout = {MILLISECONDS}")
