"""Checks and prepares the database before the server starts."""

import contextlib
import datetime
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from cardlab import journal
from cardlab.operations import project
from cardlab.operations.environment import module_command
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, confirm, say


def database_url() -> str | None:
    """Returns the PostgreSQL address in DATABASE_URL; None if db.sqlite3 is the database."""
    url = os.environ.get("DATABASE_URL", "").strip()
    if url in ("", "sqlite:///db.sqlite3"):
        return None
    if not re.match(r"postgres(ql)?(\+psycopg2)?://", url):
        raise Refusal(
            "DATABASE_URL must have the form postgresql://user:password@host:5432/name. Without "
            "DATABASE_URL, Card Lab stores its data in db.sqlite3."
        )
    return url


def database_file() -> Path:
    """Returns the path of the SQLite database, which need not exist."""
    return project.FOLDER / "db.sqlite3"


def check_database(url: str | None) -> str | None:
    """Upgrades the database if necessary, and prints a line about it.

    Returns None if it can be used, else the rest of a sentence that begins with "The database". Raises
    Refusal if it cannot be reached or the upgrade fails.
    """
    answer = run_with_apps("cardlab.server.schema_check", url or "sqlite:///db.sqlite3")
    if answer.returncode == 2:  # another oTree is installed; cardlab.server.app.install() has printed this
        sys.exit(2)
    if answer.returncode:
        raise Refusal("The project's settings or apps cannot be loaded. The lines above give the reason.")
    facts: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    if "unreachable" in facts:
        raise Refusal(
            f"Cannot connect to the database: {facts['unreachable']}. Check DATABASE_URL, and "
            "that the database server is running. Without DATABASE_URL, Card Lab stores its "
            "data in db.sqlite3."
        )
    if "failed" in facts:
        raise Refusal(facts["failed"])
    say(*facts.get("lines", []))
    fault: str | None = facts.get("fault")
    return fault


def run_with_apps(
    module: str, *arguments: str, stderr: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a module that loads the project's apps, with an empty database in memory; captures its stdout."""
    in_memory = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "OTREE_SECRET_KEY": "unused"}
    # This process compiles the packages after an installation; Python 3.14 warns of SQLAlchemy's source.
    in_memory["PYTHONWARNINGS"] = "ignore::SyntaxWarning"
    return subprocess.run(
        module_command(module, *arguments),
        cwd=project.FOLDER,
        env={**os.environ, **in_memory},
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
    )


HEADER = b"SQLite format 3\0"  # the first bytes of every SQLite database
SMALLEST = 512  # bytes: one page of the smallest size that SQLite allows


def open_sqlite(file: Path) -> None:
    """Creates or opens a SQLite database in WAL mode; does not change a damaged one (:func:`damage`)."""
    # SQLite begins a database as an empty file, which would look like lost data at the next start. So a new
    # database gets its name when it is complete.
    is_new = not has_content(file)
    opened = Path(f"{file}.part") if is_new else file
    try:
        if is_new:
            opened.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(opened)) as database:
            database.execute("PRAGMA journal_mode=WAL")
        if is_new:
            opened.replace(file)
    except sqlite3.Error as error:
        is_locked = isinstance(error, sqlite3.OperationalError)
        if not is_locked and _is_sqlite(file):
            return
        raise Refusal(
            f"{file.name} cannot be opened as a database ({error}). Close other programs that "
            "use it, restore a backup, or move the file elsewhere to start with a new database. "
            "Then run the command again."
        ) from error


def _is_sqlite(file: Path) -> bool:
    if not file.exists():
        return False
    with file.open("rb") as content:
        return content.read(len(HEADER)) == HEADER


def has_content(file: Path) -> bool:
    """Returns whether a file exists and is not empty."""
    return file.exists() and file.stat().st_size > 0


def has_run_before() -> bool:
    """Returns whether a server has run in this folder, which leaves keys and backups."""
    return any([*project.FOLDER.glob("secrets/*_key"), *backup_files()])


def lost_data(file: Path) -> str | None:
    """Returns an error message about a file that is too short to be a database; None for any other file.

    SQLite would overwrite such a file. An empty file before the first run is accepted, because oTree's
    commands, such as ``otree test``, leave one.
    """
    size = file.stat().st_size if file.exists() else None
    if size is None or size >= SMALLEST or (size == 0 and not has_run_before()):
        return None
    content = "is empty" if size == 0 else f"has only {size} byte{'s' if size > 1 else ''}"
    newest = next(iter(backup_files()), None)
    backup = (
        f"To restore the newest backup, run: {COMMAND} restore {newest.name}."
        if newest
        else "There are no backups."
    )
    return f"{file.name} {content}. It is not a Card Lab database, and its data may be lost. {backup}"


def damage(file: Path) -> str | None:
    """Returns SQLite's description of a damaged database; None if it is intact. Reads the whole file."""
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            result = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        result = str(error)
    return None if result == "ok" else result.splitlines()[-1]


def backup_files() -> list[Path]:
    """Returns the finished backups, the newest first; ignores files of any other name."""
    files = (project.FOLDER / "backups").glob("db-*.sqlite3")
    return sorted((file for file in files if re.fullmatch(r"db-\d{8}-\d{6}", file.stem)), reverse=True)


def copy_database(file: Path, copy: Path) -> None:
    """Copies a database with SQLite's backup API, because a file copy would miss the WAL; checks the copy.

    One step does not block writers, and unlike smaller steps is not restarted by a write. The name of an
    unfinished copy ends in ``.part``. Raises Refusal.
    """
    unfinished = Path(f"{copy}.part")
    try:
        with (
            contextlib.closing(sqlite3.connect(file)) as source,
            contextlib.closing(sqlite3.connect(unfinished)) as target,
        ):
            source.backup(target)
        if fault := damage(unfinished):
            raise sqlite3.DatabaseError(fault)
        os.replace(unfinished, copy)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise Refusal(f"{file.name} could not be copied ({error}). Nothing was changed.") from error


def copy_journal(database: Path, copy: Path) -> None:
    """Copies the journal of a database, if it has one, to the path of the copy's journal."""
    source, target = journal.file_of(database), journal.file_of(copy)
    if source.exists():
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)


def set_aside(file: Path, renamed: Path | None = None) -> Path | None:
    """Renames a database that is not in use, with its WAL and its journal; by default to a dated name.

    Returns its new path, None if there is no database.
    """
    renamed = renamed or dated_name(file)
    for ending in ("", "-wal", "-shm"):
        part = Path(f"{file}{ending}")
        if part.exists():
            part.rename(f"{renamed}{ending}")
    set_journal_aside(file, renamed)
    return renamed if renamed.exists() else None


def set_journal_aside(file: Path, renamed: Path) -> None:
    """Renames the journal of a database, if it has one, like the database."""
    if journal.file_of(file).exists():
        journal.file_of(file).rename(journal.file_of(renamed))


def dated_name(file: Path) -> Path:
    """Returns a free path in the database's folder, with date and time."""
    now = datetime.datetime.now().astimezone()
    while (name := file.with_name(f"db-{now:%Y%m%d-%H%M%S}.sqlite3")).exists():
        now += datetime.timedelta(seconds=1)
    return name


def start_afresh(file: Path, damaged: bool) -> None:
    """Keeps the database under another name, then creates an empty one in its place."""
    copy = dated_name(file)
    if damaged:  # SQLite may fail to copy it
        set_aside(file, copy)
    else:
        copy_database(file, copy)
        set_journal_aside(file, copy)
        for ending in ("", "-wal", "-shm"):
            Path(f"{file}{ending}").unlink(missing_ok=True)
    open_sqlite(file)
    say(f"The old database was kept as {copy.name}. Starting with an empty database.")


GO_BACK = (
    "Nothing was changed. Go back to the apps and the version of Card Lab with which it was used, and "
    "finish, export or archive its sessions."
)


def prepare_database(fresh: bool, ask: bool = True) -> None:
    """Makes sure that the database fits this installation; upgrades it. Raises Refusal; deletes nothing.

    Args:
        fresh: Keep the database under another name and start with an empty one.
        ask: Offer this at the terminal if the database does not fit.
    """
    url, file = database_url(), database_file()
    if url:
        fault = check_database(url)
        if fault or fresh:
            raise Refusal(
                f"The database in DATABASE_URL {f'{fault}. {GO_BACK}' if fault else 'was not changed.'} To "
                "start with an empty database, create a new one, for example with createdb, and put its name "
                "in DATABASE_URL. The old database is not deleted."
            )
        return
    if sentence := lost_data(file):
        if not fresh:
            raise Refusal(
                f"{sentence} To keep the file under another name and start with an empty database, "
                f"run: {COMMAND} run --fresh. Nothing was changed."
            )
        if renamed := set_aside(file):
            say(f"The old file was kept as {renamed.name}.")
    _prepare_sqlite(file, fresh, ask)


def _prepare_sqlite(file: Path, fresh: bool, ask: bool) -> None:
    exists = has_content(file)
    if file.exists() and not exists:
        say(f"{file.name} is empty, and no server has run in this folder yet. Starting with a new database.")
    open_sqlite(file)
    size = file.stat().st_size / 1e9
    if size > 0.5:
        say(f"Checking {file.name} ({size:.1f} GB); this takes about {4 * size:.0f} seconds …")
    damaged = damage(file) if exists else None
    if damaged and not fresh:
        raise Refusal(
            f"The database {file.name} is damaged ({damaged}). Nothing was changed. To restore a "
            f"backup, run: {COMMAND} restore. To keep the damaged file under another name and "
            f"start with an empty database, run: {COMMAND} run --fresh. To read a damaged file, see "
            "docs/how-to/back-up-and-restore.md."
        )
    fault = None if fresh and exists else check_database(None)
    if fault and not fresh:
        question = f"The database {file.name} {fault}."
        offered = ask and sys.stdin.isatty()
        if not offered or not confirm(f"{question} Keep a copy of it and start with an empty database?"):
            raise Refusal(
                f"{question} {GO_BACK} Or start with an empty database: {COMMAND} run --fresh keeps a copy "
                f"of the old one, and {COMMAND} export --database FILE exports it."
            )
    if fault or (fresh and exists):
        start_afresh(file, bool(damaged))
        check_database(None)
