"""Processes beside the server, which read and write what would hold up those who play: the report
(:mod:`cardlab.admin.report_worker`) and the exports (:mod:`cardlab.exports.worker`).

Each is of low priority, has a folder of its own for what it writes, and ends with the server, however that
ends. It reads the database over a connection that cannot write; oTree itself is given an empty database in
memory (the environment says so), where it may make its tables.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

ENDED = 143  # exit code of who was told to end
ENVIRONMENT = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "PYTHONIOENCODING": "utf-8"}


# ------------------------------------------------------------------ in the server


def begin(
    module: str, *arguments: str, environment: dict[str, str] | None = None, stderr: Any = None
) -> subprocess.Popen[str]:
    """Start ``python -m cardlab.MODULE``, in the server's folder and environment.

    It holds the other end of a pipe, its stdin; where that is closed, the server is gone.
    """
    return subprocess.Popen(
        [sys.executable, "-m", f"cardlab.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, **ENVIRONMENT, **(environment or {})},
        encoding="utf-8",
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
    )


# ------------------------------------------------------------------ in the process


def step_back() -> None:
    """Let everybody else go first; on Windows the server has seen to it."""
    if hasattr(os, "nice"):
        os.nice(10)


def end_with_the_server(folder: str, hear: Callable[[bytes], None] = lambda _line: None) -> None:
    """Clear the folder away and end at once when the server is gone or everything is told to stop. What the
    server says meanwhile is heard line by line, in a thread."""

    def end(*_signal) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(ENDED)

    def listen() -> None:
        rest = b""
        while piece := os.read(0, 4096):  # nothing more, once the server's end of the pipe is closed
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                hear(line)
        end()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to hear
    threading.Thread(target=listen, daemon=True).start()


def telling() -> Callable[[str], None]:
    """What tells the server a line on stdout. Whatever else is printed goes to stderr from now on."""
    told = os.dup(1)
    os.dup2(2, 1)
    return lambda line: os.write(told, f"{line}\n".encode()) and None


def set_up_otree() -> None:
    """oTree and all apps. Looking for garbage meanwhile, of which there is none, took a tenth of the time."""
    gc.disable()
    import otree.main

    otree.main.setup()
    gc.freeze()  # what is there now stays, and need not be looked at again
    gc.enable()


@contextmanager
def reading_now() -> Iterator[None]:
    """oTree's ``db`` is what the server's database holds now, for as long as this lasts.

    Nothing is flushed: what reading changes, in oTree's eyes, stays here.
    """
    from otree.database import DBSession, db

    engine = read_only()
    db._db = DBSession(bind=engine, autoflush=False)
    try:
        yield
    finally:
        db.close()
        engine.dispose()


def read_only():
    """An engine for what the server's database holds now, which cannot write to it."""
    import sqlalchemy
    from otree.database import DB_FILE
    from sqlalchemy.pool import NullPool, StaticPool

    url = os.environ.get("DATABASE_URL", "sqlite:")
    if url.startswith("sqlite"):  # oTree, too, takes no other file
        return sqlalchemy.create_engine("sqlite://", creator=lambda: copied(DB_FILE), poolclass=StaticPool)
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)

    @sqlalchemy.event.listens_for(engine, "connect")
    def restrict(connection, _record) -> None:
        connection.set_session("REPEATABLE READ", readonly=True)

    return engine


def copied(file: str) -> sqlite3.Connection:
    """The database as it stands, in memory.

    As long as somebody reads the file SQLite cannot empty its write-ahead log, and commits come to wait for
    the disk; a copy takes some milliseconds, an export seconds.
    """
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(sqlite3.connect(Path(file).resolve().as_uri() + "?mode=ro", uri=True)) as source:
        source.backup(memory)
    return memory
