"""The simulated disk: real SQLite, whose statements and commits fail, and whose files a crash damages.

Model of a crash (SQLite in WAL mode):

- A commit appends frames to the WAL. With ``synchronous`` FULL or EXTRA, SQLite flushes them before the
  commit returns, so all frames of commits that have returned are on disk. With NORMAL only a checkpoint
  flushes the WAL, so any of the frames since then may be missing.
- Unflushed data may be on disk in any part and order: each sector of 512 bytes has its old or its new
  content. An interrupted commit is such a write.
- The database file changes only in a checkpoint, which flushes it at its end. In an interrupted one, each
  page of the file has its old or its new content; the WAL still has all of them.

The model trusts the disk controller: a flush writes, and a sector is written completely or not at all.
"""

from __future__ import annotations

import random
import sqlite3
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FILE = "db.sqlite3"
WAL = f"{FILE}-wal"
SECTOR = 512
WAL_HEADER, FRAME_HEADER = 32, 24
FULL = 2  # of ``PRAGMA synchronous``; EXTRA is 3
WRITES = ("INSERT", "UPDATE", "DELETE", "REPLAC")

_connect = sqlite3.connect


class InjectedFault(sqlite3.OperationalError):
    """A fault that the simulated disk raises on purpose."""


class Crash(BaseException):
    """Ends the simulated server at once; whatever follows has no effect."""


@dataclass
class Plan:
    """A fault that will happen ``times`` times, after ``after`` more statements, writes or commits."""

    at: str  # "statement", "write" or "commit"
    kind: str
    after: int = 0
    times: int = 1


class Connection(sqlite3.Connection):
    """A connection whose statements and commits may fail. :meth:`Disk.install` sets ``disk``."""

    disk: Disk
    is_lost = False
    is_otrees = False  # oTree opens its connection only once

    @cached_property
    def flushes_commits(self) -> bool:
        """Returns whether a commit of this connection is on disk when it returns."""
        plain = sqlite3.Cursor(self)
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        return bool(plain.execute("PRAGMA synchronous").fetchone()[0] >= FULL)

    def cursor(self, *_factory: Any) -> Cursor:
        return super().cursor(Cursor)

    def commit(self) -> None:
        if self.in_transaction:
            self.disk.commit(self, super().commit)
        elif self.disk.dead:
            raise Crash

    def rollback(self) -> None:
        if self.disk.dead:
            raise Crash
        if self.is_lost:
            raise InjectedFault("the connection is lost")
        super().rollback()

    def give_up(self) -> None:
        """Rolls back, as SQLite itself does after some errors."""
        super().rollback()


class Cursor(sqlite3.Cursor):
    """A cursor whose statements may fail."""

    def execute(self, statement: str, *values: Any) -> Any:
        if "busy_timeout" in statement:  # waiting would block the whole simulation
            return super().execute("SELECT 1")
        self.connection.disk.statement(self.connection, statement)
        return super().execute(statement, *values)

    def executemany(self, statement: str, rows: Any) -> Any:
        self.connection.disk.statement(self.connection, statement)
        return super().executemany(statement, rows)


class Disk:
    """The disk, with its planned faults; ``chance`` decides what a crash leaves."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.plans: list[Plan] = []
        self.raised = 0  # faults raised in this run of the server
        self.tallies: Counter[str] = Counter()
        self.commits = 0
        self.after_commit: Callable[[], None] = lambda: None  # called after each commit that was kept
        self.dead = False
        self._unflushed_since: bytes | None = None  # the WAL at its last flush, if more was written since

    def install(self) -> None:
        """Makes all connections to the database file use this disk."""
        Connection.disk = self

        def connect(file: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
            if Path(str(file)).name != FILE:
                return _connect(file, *arguments, **options)
            return _connect(file, *arguments, **{**options, "factory": Connection, "timeout": 0})

        sqlite3.connect = sqlite3.dbapi2.connect = connect

    # Faults.

    def _due(self, *places: str) -> Plan | None:
        for plan in self.plans:
            if plan.at in places:
                if plan.after:
                    plan.after -= 1
                    continue
                plan.times -= 1
                if not plan.times:
                    self.plans.remove(plan)
                return plan
        return None

    def note_fault(self, kind: str) -> None:
        self.raised += 1
        self.tallies[f"fault: {kind}"] += 1

    def fail(self, kind: str, sentence: str) -> None:
        self.note_fault(kind)
        raise InjectedFault(sentence)

    def statement(self, connection: Connection, statement: str) -> None:
        """Raises the planned fault, if any; called before each statement."""
        if self.dead:
            raise Crash
        if connection.is_lost:
            self.fail("connection lost", "the connection is lost")
        is_write = statement.lstrip()[:6].upper() in WRITES
        plan = self._due("statement", *(["write"] if is_write else []))
        if plan is None:
            return
        if plan.kind == "crash at a statement":
            self.crash(plan.kind)
        if plan.kind == "connection lost" and not connection.is_otrees:
            connection.is_lost = True
        if plan.kind in ("statement fails, rolled back", "disk full"):
            connection.give_up()
        sentence = {"disk full": "database or disk is full"}.get(plan.kind, "disk I/O error")
        self.fail(plan.kind, sentence)

    def commit(self, connection: Connection, commit: Any) -> None:
        """Commits, or raises the planned fault."""
        if self.dead:
            raise Crash
        if connection.is_lost:
            self.fail("connection lost", "the connection is lost")
        plan = self._due("commit")
        kind = plan.kind if plan else ""
        if kind == "crash before a commit":
            self.crash(kind)
        if kind in ("commit fails, rolled back", "disk full"):
            connection.give_up()
        if kind in ("commit fails", "commit fails, rolled back", "disk full"):
            self.fail(kind, "database or disk is full" if kind == "disk full" else "disk I/O error")
        if kind == "crash in a commit":
            self._note_unflushed()
            commit()
            self.crash(kind)
        if connection.flushes_commits:
            commit()
            self._unflushed_since = None
        else:
            self._note_unflushed()
            commit()
        self.commits += 1
        self.after_commit()
        if kind == "crash after a commit":
            self.crash(kind)
        if kind == "commit fails, but is kept":
            self.fail(kind, "disk I/O error")

    def _note_unflushed(self) -> None:
        if self._unflushed_since is None:
            self._unflushed_since = self.read(WAL)

    # Crashes.

    @staticmethod
    def read(file: str) -> bytes:
        path = Path(file)
        return path.read_bytes() if path.exists() else b""

    def torn(self, before: bytes, after: bytes) -> bytes:
        """Returns the WAL as a crash may leave it, given its content at the last flush and now."""
        sectors = range(0, len(after), SECTOR)
        changed = (n for n in sectors if before[n : n + SECTOR] != after[n : n + SECTOR])
        first = next(changed, len(after))
        begins = range(first, len(after), SECTOR)
        how, cut = self.chance.randrange(5), self.chance.randrange(len(begins) + 1)
        frame = FRAME_HEADER + page_size(after)
        if how == 0:  # nothing or everything was written
            return after if cut % 2 else before
        if how == 1:  # cut between two frames
            frames = (len(after) - WAL_HEADER) // frame
            return spliced(before, after[: WAL_HEADER + frame * self.chance.randrange(frames + 1)], first)
        if how == 2:  # cut at any sector
            return spliced(before, after[: first + SECTOR * cut], first)
        missing = {self.chance.choice(begins)} if how == 3 and begins else set()
        if how == 4:  # any sectors missing
            missing = {begin for begin in begins if self.chance.random() < 0.5}
        content = bytearray(after)
        for begin in missing:
            old = before[begin : begin + SECTOR].ljust(SECTOR, b"\0")
            content[begin : begin + SECTOR] = old[: len(content[begin : begin + SECTOR])]
        return bytes(content)

    def crash(self, kind: str, database: bytes | None = None) -> None:
        """Saves what is on disk at this moment, and ends the server."""
        self.tallies[f"fault: {kind}"] += 1
        self.dead = True
        wal = self.read(WAL)
        if self._unflushed_since is not None:
            wal = self.torn(self._unflushed_since, wal)
        Path("crashed.db").write_bytes(self.read(FILE) if database is None else database)
        Path("crashed.wal").write_bytes(wal)
        raise Crash

    def checkpoint(self, is_interrupted: bool) -> None:
        """Checkpoints the WAL, like the server's thread; an interrupted one mixes pages, then crashes."""
        before = self.read(FILE)
        wal = self.read(WAL)
        connection = _connect(FILE, timeout=0)
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        connection.close()
        self._unflushed_since = None
        self.tallies["checkpoints"] += 1
        if is_interrupted:
            after, size = self.read(FILE), page_size(wal)
            pages = range(0, len(after), size)
            mixed = b"".join(
                (before if self.chance.random() < 0.5 and begin + size <= len(before) else after)[
                    begin : begin + size
                ]
                for begin in pages
            )
            self.crash("crash in a checkpoint", mixed)


def page_size(wal: bytes) -> int:
    """Returns the page size from the header of a WAL."""
    return struct.unpack(">I", wal[8:12])[0] if len(wal) >= WAL_HEADER else 4096


def spliced(before: bytes, head: bytes, first: int) -> bytes:
    """Returns the new head of a file, followed by the rest of its old content."""
    return before if len(head) <= first else head + before[len(head) :]


def restart_on_crashed_files() -> None:
    """Replaces the database with the files that the crash left."""
    for suffix in ("", "-wal", "-shm"):
        Path(FILE + suffix).unlink(missing_ok=True)
    Path("crashed.db").replace(FILE)
    wal = Path("crashed.wal")
    if wal.stat().st_size:
        wal.replace(WAL)
    else:
        wal.unlink()
