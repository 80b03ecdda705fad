"""The journal of a database: an append-only text file outside it, with the ends of all records.

A line is a JSON array: the time (UTC), the id of a hand, the number of lines of its record, their digest, and
the digest of this and all earlier lines of the journal. The server writes it after the commit, so a database
may be ahead of its journal, but never behind.

Needs only the standard library, because the server, the analysis and the commands of ``lab.py`` use it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, NamedTuple

from cardlab.row_chain import next_digest

WITHDRAWN = "withdrawn"  # instead of a digest


class Entry(NamedTuple):
    """The end of a hand's record at a time: the number of its lines and their digest.

    With ``WITHDRAWN`` instead of the digest, the hand was removed because a participant withdrew. Earlier
    entries of the hand no longer count.
    """

    time: str
    hand: str
    lines: int
    digest: str


class Line(NamedTuple):
    """A line of a journal: its number from 1, its entry, and whether its digest is right.

    ``entry`` is None if the line cannot be read.
    """

    number: int
    entry: Entry | None
    is_intact: bool


def file_of(database: Path) -> Path:
    """Returns the journal of a SQLite database or of its copy: ``journal/db.jsonl`` beside ``db.sqlite3``."""
    return database.parent / "journal" / f"{database.stem}.jsonl"


def now_utc() -> str:
    """Returns the time as a journal has it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def append_withdrawal(file: Path, hands: Iterable[str]) -> None:
    """Appends that these hands were removed because a participant withdrew, so none counts as missing."""
    now = now_utc()
    append(file, [Entry(now, hand, 0, WITHDRAWN) for hand in hands])


def append(file: Path, entries: Iterable[Entry]) -> None:
    """Appends entries. Several processes may do so. Removes an incomplete last line, which a crash leaves."""
    file.parent.mkdir(exist_ok=True)
    with open(file, "a+b") as stream, _locked(stream):
        digest, end = _last_digest(stream)
        stream.truncate(end)
        for entry in entries:
            digest = next_digest(digest, _encode(entry))
            stream.write(f"{_encode((*entry, digest))}\n".encode())
        stream.flush()  # before the lock is released


def read(file: Path) -> Iterator[Line]:
    """Yields the lines of a journal, without an incomplete last one; nothing if there is no file."""
    if not file.exists():
        return
    digest = ""
    with open(file, encoding="utf-8", errors="replace", newline="\n") as lines:
        for number, text in enumerate(lines, 1):
            if not text.endswith("\n"):
                return
            try:
                *cells, written_digest = json.loads(text)
                entry = Entry(*cells)
            except (ValueError, TypeError):
                yield Line(number, None, False)
                continue
            is_intact = written_digest == next_digest(digest, _encode(entry))
            digest = str(written_digest)
            yield Line(number, entry, is_intact)


def _encode(cells: Iterable[str | int]) -> str:
    return json.dumps([*cells], ensure_ascii=False, separators=(",", ":"))


def _last_digest(stream: IO[bytes]) -> tuple[str, int]:
    """Returns the digest of the last complete line, "" if there is none, and the position of its end."""
    end = stream.seek(0, 2)
    begin = max(0, end - 4096)  # more than two lines
    stream.seek(begin)
    complete, line_end, rest = stream.read().rpartition(b"\n")
    try:
        digest = str(json.loads(complete.rpartition(b"\n")[2])[-1])
    except (ValueError, IndexError, TypeError):
        digest = ""
    return digest, end - len(rest)


@contextmanager
def _locked(stream: IO[bytes]) -> Iterator[None]:
    """Locks a file for other processes within the block."""
    if sys.platform == "win32":
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX)
        yield  # closing the file releases the lock
