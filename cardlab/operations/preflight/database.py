"""Checks that the database is intact and writable, and commits fast enough."""

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from cardlab.operations import project
from cardlab.operations.database import damage, database_file, database_url, has_content, lost_data
from cardlab.operations.preflight import Finding, ok, problem, warning
from cardlab.operations.project import COMMAND

COMMIT_SAMPLES = 20  # we report the median
SLOW_COMMIT = 0.05  # seconds; participants notice slower commits

# The safe values of PostgreSQL's settings, where each is set, and what is at risk otherwise.
IN_CONFIG, IN_DATABASE = "in postgresql.conf", "with ALTER DATABASE … SET …, or in postgresql.conf"
SAFE_SETTINGS = {
    "fsync": (("on",), IN_CONFIG, "accepted moves may be lost if the power fails"),
    "full_page_writes": (("on",), IN_CONFIG, "the database may be damaged if the power fails"),
    "synchronous_commit": (
        ("on", "local", "remote_write", "remote_apply"),
        IN_DATABASE,
        "moves already shown may be lost if PostgreSQL ends suddenly",
    ),
    "default_transaction_read_only": (("off",), IN_DATABASE, "nothing can be written"),
}


def check_sqlite() -> Iterator[Finding]:
    """Checks the SQLite database. A PostgreSQL database is checked by :func:`check_connection`."""
    if database_url():
        return
    file = database_file()
    if lost := lost_data(file):
        yield problem(lost)
        return
    exists = has_content(file)
    if exists:
        if fault := damage(file):
            yield problem(f"{file.name} is damaged ({fault}). To restore a backup, run: {COMMAND} restore")
            return
        try:
            with contextlib.closing(sqlite3.connect(file, timeout=2, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
        except sqlite3.Error as error:
            yield problem(
                f"{file.name} cannot be written ({error}). Close other programs that use it, and "
                "check its permissions."
            )
            return
    state = f"{file.name} is intact and writable" if exists else ""
    yield check_folder(project.FOLDER, state or "There is no database yet; one can be written here")


def check_folder(folder: Path, state: str) -> Finding:
    """Writes a temporary database into a folder as the server would; ``state`` begins the sentence."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix=".check-", dir=folder) as temporary,
            contextlib.closing(sqlite3.connect(Path(temporary, "db.sqlite3"), isolation_level=None)) as made,
        ):
            mode = made.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            made.execute("CREATE TABLE written (number INTEGER)")
            durations = []
            for number in range(COMMIT_SAMPLES):
                start = time.perf_counter()
                made.execute("INSERT INTO written VALUES (?)", [number])
                durations.append(time.perf_counter() - start)
    except (sqlite3.Error, OSError) as error:
        return problem(
            f"No database can be written in {folder} ({error}). Check the permissions and the disk."
        )
    if mode != "wal":
        return problem(
            f"The disk of {folder} does not support SQLite's write-ahead log. Move Card Lab to another disk."
        )
    seconds = median(durations)
    if seconds > SLOW_COMMIT:
        return warning(f"{state}, but the disk is slow: saving a move takes {1000 * seconds:.0f} ms.")
    return ok(f"{state}; saving a move takes {1000 * seconds:.1f} ms.")


def check_connection(facts: dict[str, Any]) -> Iterator[Finding]:
    """Checks the facts about the database that a subprocess in the server's environment has collected.

    Args:
        facts: ``unreachable`` or ``fault``, the reason why the database cannot be used, or null. With
            PostgreSQL also its ``settings``, and either ``commit_seconds``, the median, or ``rejected``, why
            nothing could be written (:func:`cardlab.server.preflight.database_facts`).
    """
    if unreachable := facts.get("unreachable"):
        yield problem(f"Cannot connect to the database: {unreachable}. Check that PostgreSQL is running.")
    if fault := facts.get("fault"):
        yield problem(f"The database {fault}. To start with a new one: docs/how-to/new-version.md.")
    yield from check_settings(facts.get("settings", {}))
    if rejected := facts.get("rejected"):
        yield problem(f"Nothing can be written to PostgreSQL: {rejected}. Check the permissions of its user.")
    if seconds := facts.get("commit_seconds"):
        if seconds > SLOW_COMMIT:
            slow = f"PostgreSQL takes {1000 * seconds:.0f} ms to save a move"
            yield warning(f"{slow}. The disk is slow or busy.")
        else:
            yield ok(f"PostgreSQL saves a move in {1000 * seconds:.1f} ms.")


def check_settings(settings: dict[str, str]) -> Iterator[Finding]:
    """Checks PostgreSQL's settings for values that may lose an accepted move."""
    for name, value in settings.items():
        safe, place, risk = SAFE_SETTINGS[name]
        if value not in safe:
            yield problem(
                f"PostgreSQL has {name} = {value}, so {risk}. Set it to {safe[0]} ({place}) and "
                "restart PostgreSQL."
            )
