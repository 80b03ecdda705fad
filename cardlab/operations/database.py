"""The database before the server starts: in order, of this version, whole; or a refusal."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.environment import venv_program
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, agreed, say


def database_url() -> str | None:
    """The PostgreSQL address in DATABASE_URL; None where db.sqlite3 is the database."""
    url = os.environ.get("DATABASE_URL", "").strip()
    if url in ("", "sqlite:///db.sqlite3"):
        return None
    if not re.match(r"postgres(ql)?(\+psycopg2)?://", url):
        raise Refusal(
            "DATABASE_URL must look like postgresql://user:password@host:5432/name; "
            "without it Card Lab keeps its data in db.sqlite3."
        )
    return url


def database_file() -> Path:
    """The SQLite database, whether it is there or not."""
    return project.FOLDER / "db.sqlite3"


def check_database(url: str | None) -> str | None:
    """Returns what is wrong with the database, to follow "The database …"; None if nothing is.

    Raises Refusal for a database that cannot be reached.
    """
    answer = run_with_apps("cardlab.server.schema_check", url or "sqlite:///db.sqlite3")
    if answer.returncode:
        raise Refusal("The project's settings or apps cannot be loaded; the lines above say why.")
    facts: dict[str, str | None] = json.loads(answer.stdout.splitlines()[-1])
    if "unreachable" in facts:
        raise Refusal(
            f"The database cannot be reached: {facts['unreachable']}. Check DATABASE_URL and that the "
            "database server is running; without DATABASE_URL Card Lab keeps its data in db.sqlite3."
        )
    return facts["fault"]


def run_with_apps(
    module: str, *arguments: str, stderr: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a module that loads the project's apps, with an empty database in memory; captures its stdout."""
    in_memory = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "OTREE_SECRET_KEY": "unused"}
    return subprocess.run(
        [venv_program("python"), "-m", module, *arguments],
        cwd=project.FOLDER,
        env={**os.environ, **in_memory},
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
    )


HEADER = b"SQLite format 3\0"  # the first bytes of every SQLite database
SMALLEST = 512  # bytes: one page of the smallest size that SQLite allows


def open_sqlite(file: Path) -> None:
    """Make sure of a SQLite database in WAL mode, which commits faster and loses nothing either. One that is
    damaged stays as it is: what is broken :func:`damage` says."""
    # SQLite begins a database as an empty file, and at the next start an empty file looks like lost data. So
    # a new database gets its name when it is complete.
    new = not has_content(file)
    opened = Path(f"{file}.part") if new else file
    try:
        if new:
            opened.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(opened)) as database:
            database.execute("PRAGMA journal_mode=WAL")
        if new:
            opened.replace(file)
    except sqlite3.Error as error:
        locked = isinstance(error, sqlite3.OperationalError)
        if not locked and _is_sqlite(file):
            return
        raise Refusal(
            f"{file.name} cannot be opened as a database ({error}): close what else uses it, put a backup in "
            "its place, or move the file elsewhere, and run again to start with a new one."
        ) from error


def _is_sqlite(file: Path) -> bool:
    """Whether a file begins as a database of SQLite's does."""
    if not file.exists():
        return False
    with file.open("rb") as content:
        return content.read(len(HEADER)) == HEADER


def has_content(file: Path) -> bool:
    """Returns whether a file is there and not empty."""
    return file.exists() and file.stat().st_size > 0


def has_run_before() -> bool:
    """Returns whether a server has run in this folder: it leaves keys and backups."""
    kept = [*project.FOLDER.glob("secrets/*_key"), *project.FOLDER.glob("backups/db-*.sqlite3")]
    return bool(kept)


def lost_data(file: Path) -> str | None:
    """Returns what is wrong with a file that is too short to be a database; None for any other file.

    SQLite itself would take such a file for a new database and overwrite it. Where no server has run yet, an
    empty file is no loss: oTree's own commands, such as ``otree test``, leave one.
    """
    from cardlab.operations import backups  # which imports this module

    size = file.stat().st_size if file.exists() else None
    if size is None or size >= SMALLEST or (size == 0 and not has_run_before()):
        return None
    content = "is empty" if size == 0 else f"has only {size} byte{'s' if size > 1 else ''}"
    newest = next(iter(backups.copies()), None)
    backup = (
        f"Restore the newest backup: {COMMAND} restore {newest.name}." if newest else "There is no backup."
    )
    return f"{file.name} {content}: this is not a Card Lab database, and its data may be lost. {backup}"


def damage(file: Path) -> str | None:
    """What is broken in a SQLite database, in SQLite's words; None if it is whole. Reads the whole file."""
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        found = str(error)
    return None if found == "ok" else found.splitlines()[-1]


def copy_database(file: Path, copy: Path) -> None:
    """A complete copy, checked, by SQLite's own means; a plain file copy would miss what stands in the WAL.

    In one step, which holds nobody up who writes meanwhile; between smaller ones a write would make SQLite
    begin anew. Until it is whole its name ends in ``.part``.
    """
    unfinished = Path(f"{copy}.part")
    try:
        with (
            contextlib.closing(sqlite3.connect(file)) as old,
            contextlib.closing(sqlite3.connect(unfinished)) as new,
        ):
            old.backup(new)
        if found := damage(unfinished):
            raise sqlite3.DatabaseError(found)
        os.replace(unfinished, copy)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise Refusal(f"{file.name} could not be copied ({error}); nothing was changed.") from error


def set_aside(file: Path) -> Path | None:
    """Rename a database that nobody uses, as it is to the last byte; its new name, None if there is none."""
    aside = dated(file)
    for ending in ("", "-wal", "-shm"):
        part = Path(f"{file}{ending}")
        if part.exists():
            part.rename(f"{aside}{ending}")
    return aside if aside.exists() else None


def dated(file: Path) -> Path:
    """A name beside the database, with day and time, that is not taken."""
    now = datetime.datetime.now().astimezone()
    while (name := file.with_name(f"db-{now:%Y%m%d-%H%M%S}.sqlite3")).exists():
        now += datetime.timedelta(seconds=1)
    return name


def start_afresh(file: Path, damaged: bool) -> None:
    """Keep the database beside it under another name, then put an empty one in its place."""
    if damaged:  # SQLite's own means may stumble over it
        copy = set_aside(file)
    else:
        copy = dated(file)
        copy_database(file, copy)
        for ending in ("", "-wal", "-shm"):
            Path(f"{file}{ending}").unlink(missing_ok=True)
    open_sqlite(file)
    say(f"The old database is kept as {copy.name}; starting with an empty one.")


def prepare_database(fresh: bool) -> None:
    """A database that serves this installation, or a refusal; nothing is ever deleted unasked."""
    url, file = database_url(), database_file()
    if url:
        fault = check_database(url)
        if fault or fresh:
            raise Refusal(
                f"The database in DATABASE_URL {fault or 'is left as it is'}: to start afresh make a "
                "new one, for instance with createdb, and put its name into DATABASE_URL. The old one stays."
            )
        return
    if lost := lost_data(file):
        if not fresh:
            raise Refusal(
                f"{lost} To keep the file under another name and start with an empty database: "
                f"{COMMAND} run --fresh. Nothing was changed."
            )
        aside = set_aside(file)
        say(f"The old file is kept as {aside.name}.")
    old = has_content(file)
    if file.exists() and not old:
        say(f"{file.name} is empty, and no server has run in this folder yet: starting with a new database.")
    open_sqlite(file)
    size = file.stat().st_size / 1e9
    if size > 0.5:
        say(f"Checking {file.name}: {size:.1f} GB take about {4 * size:.0f} seconds …")
    damaged = damage(file) if old else None
    if damaged and not fresh:
        raise Refusal(
            f"The database {file.name} is damaged ({damaged}); nothing was changed. Put a backup in its "
            f"place with {COMMAND} restore, or keep it under another name and start with an empty one: "
            f"{COMMAND} run --fresh. How to get out what can still be read: docs/running-a-session.md, "
            '"A damaged database".'
        )
    fault = None if fresh and old else check_database(None)
    if fault and not fresh:
        question = f"The database {file.name} {fault}."
        if not sys.stdin.isatty() or not agreed(f"{question} Keep a copy of it and start afresh?"):
            raise Refusal(
                f"{question} Nothing was changed. "
                f"To keep a copy of it and start afresh: {COMMAND} run --fresh"
            )
    if fault or (fresh and old):
        start_afresh(file, bool(damaged))
        check_database(None)
