"""Backups of the SQLite database in ``backups/``, made while the server runs; ``lab.py restore``."""

import contextlib
import datetime
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from cardlab import journal
from cardlab.operations import project
from cardlab.operations.database import (
    backup_files,
    copy_database,
    copy_journal,
    database_file,
    database_url,
    set_aside,
)
from cardlab.operations.project import COMMAND
from cardlab.operations.running_server import server_lock
from cardlab.operations.terminal import Commands, Refusal, say

MINUTES = 5  # between two backups by default
NEWEST = 12  # backups that are always kept
DAYS = 14  # the last backup of each of these days is kept


def add_command(commands: Commands) -> None:
    """Adds ``lab.py restore``."""
    command = commands.add_parser("restore", help="restore a backup of the database")
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="the backup to restore; without it, lists all backups"
    )
    command.set_defaults(do=lambda options: restore(options.name) if options.name else list_backups())


def folder() -> Path:
    """Returns the folder of the backups."""
    return project.FOLDER / "backups"


@contextlib.contextmanager
def backup_thread(minutes: int) -> Iterator[None]:
    """Backs up every ``minutes`` within the block and at its end; never with 0 or PostgreSQL."""
    if not minutes or database_url():
        yield
        return
    end = threading.Event()
    thread = threading.Thread(target=back_up_until, args=(end, 60 * minutes), daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def back_up_until(end: threading.Event, seconds: float) -> None:
    """Backs up every ``seconds`` and at the end, if anything was written since the last backup."""
    with contextlib.closing(sqlite3.connect(database_file())) as database:

        def data_version() -> int:
            """Returns a number that changes with every commit of another connection."""
            version: int = database.execute("PRAGMA data_version").fetchone()[0]
            return version

        backed_up = data_version() if is_backed_up(database_file()) else None
        ended = False
        while not ended:
            ended = end.wait(seconds)
            now = datetime.datetime.now().astimezone()
            try:
                if ended:  # now, because closing would do it and make the file newer than its backup
                    database.execute("PRAGMA wal_checkpoint")
                if (version := data_version()) != backed_up:
                    back_up(now)
                    backed_up = version
            except (Refusal, sqlite3.Error, OSError) as error:
                say(f"{now:%H:%M} The backup failed; sessions continue without it. {error}")


def is_backed_up(file: Path) -> bool:
    """Returns whether the last backup is up to date."""
    last_write = max(part.stat().st_mtime for part in (file, Path(f"{file}-wal")) if part.exists())
    return any(backup.stat().st_mtime >= last_write for backup in backup_files()[:1])


def back_up(now: datetime.datetime) -> None:
    """Makes a backup and deletes expired ones. Raises Refusal if it cannot be made."""
    file = database_file()
    folder().mkdir(exist_ok=True)
    for unfinished in folder().glob("db-*.part*"):  # of a backup that was killed
        unfinished.unlink()
    free_bytes = shutil.disk_usage(folder()).free
    if free_bytes < 2 * file.stat().st_size:  # the server, too, needs room to write
        raise Refusal(f"Only {free_bytes / 1e6:.0f} MB of disk space are free. Free some space.")
    copy = folder() / f"db-{now:%Y%m%d-%H%M%S}.sqlite3"
    copy_journal(file, copy)  # first, because a journal may not be ahead of its database
    copy_database(file, copy)
    backups = backup_files()
    for expired in set(backups) - backups_to_keep(backups, now.date()):
        with contextlib.suppress(OSError):  # on Windows an open file stays until the next time
            expired.unlink()
            journal.file_of(expired).unlink(missing_ok=True)


def backups_to_keep(files: list[Path], today: datetime.date) -> set[Path]:
    """Returns the newest backups and the last one of each recent day; ``files`` has the newest first."""
    last = {file.stem[:11]: file for file in reversed(files)}  # db-20261122
    first_day = f"db-{today - datetime.timedelta(days=DAYS - 1):%Y%m%d}"
    return {*files[:NEWEST], *(file for day, file in last.items() if day >= first_day)}


def list_backups() -> int:
    """Prints the backups."""
    backups = backup_files()
    if not backups:
        say(f"There are no backups in {folder()} yet. The server makes them while it is running.")
        return 0
    lines = [f"    {file.name}  {file.stat().st_size / 1e6:8.1f} MB" for file in backups]
    say(f"Backups in {folder()}, by date and time:", *lines)
    say(f"To restore one, stop the server, then run: {COMMAND} restore NAME")
    return 0


def restore(name: str) -> int:
    """Replaces the database, which is kept, by a backup: a name in ``backups/`` or a path."""
    if database_url():
        raise Refusal(
            "DATABASE_URL names a PostgreSQL database, which this command cannot restore. Use pg_restore."
        )
    with server_lock():
        file = database_file()
        backup = next((path for path in (folder() / name, project.FOLDER / name) if path.is_file()), None)
        if backup is None:
            raise Refusal(f"There is no backup {name}. To list the backups, run: {COMMAND} restore")
        restored = file.with_name("db-restored.sqlite3")
        try:
            copy_database(backup, restored)  # may fail: a damaged backup, a full disk
            previous = set_aside(file)
            restored.replace(file)
            copy_journal(backup, file)
        except OSError as error:
            raise Refusal(
                f"{file.name} could not be replaced ({error}). Close other programs that use it, and "
                "try again."
            ) from error
        finally:
            restored.unlink(missing_ok=True)
        say(f"The backup {backup.name} was restored.")
        if previous:
            say(f"The previous database was kept. To go back to it, run: {COMMAND} restore {previous.name}")
        return 0
