"""Copies of the SQLite database in ``backups/``: made while the server runs, and put back by ``restore``."""

from __future__ import annotations

import contextlib
import datetime
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.database import copy_database, database_file, database_url, set_aside
from cardlab.operations.one_server import only_server
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, say

MINUTES = 5  # between two copies, if --backup-minutes says nothing else
NEWEST = 12  # copies that are kept however old they are
DAYS = 14  # for which the last copy of each day is kept, too


def add_command(commands) -> None:
    """``lab.py restore``."""
    command = commands.add_parser("restore", help="go back to a copy of the database", allow_abbrev=False)
    command.add_argument("name", nargs="?", metavar="NAME", help="which; without it they are listed")
    command.set_defaults(do=lambda asked: tell() if asked.name is None else restore(asked.name))


def folder() -> Path:
    """Where the copies are."""
    return project.FOLDER / "backups"


def copies() -> list[Path]:
    """The finished copies, the newest first; a file of any other name is none, and is left alone."""
    files = folder().glob("db-*.sqlite3")
    return sorted((file for file in files if re.fullmatch(r"db-\d{8}-\d{6}", file.stem)), reverse=True)


@contextlib.contextmanager
def made_meanwhile(minutes: int) -> Iterator[None]:
    """Copy every ``minutes`` as long as the block runs, and at its end; with 0, or PostgreSQL, never."""
    if not minutes or database_url():
        yield
        return
    end = threading.Event()
    thread = threading.Thread(target=copy_until, args=(end, 60 * minutes), daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def copy_until(end: threading.Event, seconds: float) -> None:
    """Copy the database every ``seconds`` and at the end, if anything was written since the last copy."""
    with contextlib.closing(sqlite3.connect(database_file())) as database:

        def version() -> int:
            """It changes with everything that another connection writes."""
            return database.execute("PRAGMA data_version").fetchone()[0]

        copied = version() if is_copied(database_file()) else None
        ended = False
        while not ended:
            ended = end.wait(seconds)
            now = datetime.datetime.now().astimezone()
            try:
                if ended:  # now, and not when it is closed: the copy is to be newer than the file
                    database.execute("PRAGMA wal_checkpoint")
                if (found := version()) != copied:
                    copy(now)
                    copied = found
            except (Refusal, sqlite3.Error, OSError) as error:
                say(f"{now:%H:%M} No backup was made; the sessions go on without. {error}")


def is_copied(file: Path) -> bool:
    """Whether nothing was written since the last copy was made, such as before a crash."""
    written = max(part.stat().st_mtime for part in (file, Path(f"{file}-wal")) if part.exists())
    return any(made.stat().st_mtime >= written for made in copies()[:1])


def copy(now: datetime.datetime) -> None:
    """Make one more copy, and delete those whose time is over; a Refusal if it cannot be made."""
    file = database_file()
    folder().mkdir(exist_ok=True)
    for unfinished in folder().glob("db-*.part*"):  # of a copy that was killed
        unfinished.unlink()
    free = shutil.disk_usage(folder()).free
    if free < 2 * file.stat().st_size:  # the server, too, needs room to write
        raise Refusal(f"Only {free / 1e6:.0f} MB of the disk are free: make room.")
    copy_database(file, folder() / f"db-{now:%Y%m%d-%H%M%S}.sqlite3")
    made = copies()
    for old in set(made) - kept(made, now.date()):
        with contextlib.suppress(OSError):  # on Windows a file that somebody has open stays: next time
            old.unlink()


def kept(files: list[Path], today: datetime.date) -> set[Path]:
    """Of copies, the newest first, those to keep: the newest by number, and the last of each recent day."""
    last = {file.stem[:11]: file for file in reversed(files)}  # db-20261122
    first_day = f"db-{today - datetime.timedelta(days=DAYS - 1):%Y%m%d}"
    return {*files[:NEWEST], *(file for day, file in last.items() if day >= first_day)}


def tell() -> int:
    """Say which copies there are."""
    if not copies():
        say(f"There is no copy in {folder()} yet: the server makes them while it runs.")
        return 0
    lines = [f"    {file.name}  {file.stat().st_size / 1e6:8.1f} MB" for file in copies()]
    say(f"The copies in {folder()}, by day and time:", *lines)
    say(f"To go back to one: stop the server, then {COMMAND} restore NAME")
    return 0


def restore(name: str) -> int:
    """Put a copy in the place of the database, which is kept, while no server uses it; ``name`` is one in
    ``backups/``, or a path."""
    if database_url():
        raise Refusal("The database is the one in DATABASE_URL: go back to a copy of it with pg_restore.")
    with only_server():
        file = database_file()
        chosen = next((path for path in (folder() / name, project.FOLDER / name) if path.is_file()), None)
        if chosen is None:
            raise Refusal(f"There is no copy {name}: {COMMAND} restore lists them.")
        ready = file.with_name("db-restored.sqlite3")
        try:
            copy_database(chosen, ready)  # first what can fail: a copy that is damaged, a disk that is full
            aside = set_aside(file)
            ready.replace(file)
        except OSError as error:
            raise Refusal(f"{file.name} could not be replaced ({error}): close what else uses it.") from error
        finally:
            ready.unlink(missing_ok=True)
        say(f"The database is now the copy {chosen.name}.")
        if aside:
            say(f"The one that was there is kept; to go back to it: {COMMAND} restore {aside.name}")
        return 0
