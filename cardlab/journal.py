"""The journal of a database: a text file outside it, to which the ends of all records are appended.

A line is a JSON array: the time (UTC), the id of a hand, the number of lines of its record, their digest, and
the digest of this and all earlier lines of the journal. The server writes it after the commit, so a database
may be ahead of its journal, but never behind. Only a withdrawal changes earlier lines.

Needs only the standard library, because the server, the analysis and the commands of ``lab.py`` use it.
"""

from __future__ import annotations

import json
import os
import shutil
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

    With ``WITHDRAWN`` instead of the digest, the hand was removed because a participant withdrew.
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


def remove_code(file: Path, code: str, pseudonym: str) -> bool:
    """Removes a participant's code, because they withdrew; returns whether the journal had it.

    The lines of the hands with the code keep their places. They get the pseudonym, the time of the withdrawal
    and ``WITHDRAWN``, so that the hands do not count as missing. The digests of these and of all later lines
    are computed again, but those of lines that were altered stay wrong. The file is replaced as a whole.
    """
    if not file.exists():
        return False
    with _locked(file):
        if code.encode() not in file.read_bytes():
            return False
        unfinished, now, digest = file.with_suffix(".part"), now_utc(), ""
        with open(unfinished, "w", encoding="utf-8", newline="\n") as rewritten:
            for text, line in _read_lines(file):
                if line.entry is None:
                    rewritten.write(text.replace(code, pseudonym))
                    continue
                entry = line.entry
                if code in entry.hand.split("-"):
                    entry = Entry(now, entry.hand.replace(code, pseudonym), 0, WITHDRAWN)
                digest = next_digest(digest, _encode(entry)) if line.is_intact else json.loads(text)[-1]
                rewritten.write(f"{_encode((*entry, digest))}\n")
        shutil.copymode(file, unfinished)
        os.replace(unfinished, file)
    return True


def append(file: Path, entries: Iterable[Entry]) -> None:
    """Appends entries. Several processes may do so. Removes an incomplete last line, which a crash leaves."""
    file.parent.mkdir(exist_ok=True)
    with _locked(file), open(file, "a+b") as stream:
        digest, end = _last_digest(stream)
        stream.truncate(end)
        for entry in entries:
            digest = next_digest(digest, _encode(entry))
            stream.write(f"{_encode((*entry, digest))}\n".encode())


def read(file: Path) -> Iterator[Line]:
    """Yields the lines of a journal, without an incomplete last one; nothing if there is no file."""
    return (line for _text, line in _read_lines(file)) if file.exists() else iter(())


def _read_lines(file: Path) -> Iterator[tuple[str, Line]]:
    """Yields the lines with their texts."""
    digest = ""
    with open(file, encoding="utf-8", errors="replace", newline="\n") as lines:
        for number, text in enumerate(lines, 1):
            if not text.endswith("\n"):
                return
            try:
                *cells, written_digest = json.loads(text)
                entry = Entry(*cells)
            except (ValueError, TypeError):
                yield text, Line(number, None, False)
                continue
            is_intact = written_digest == next_digest(digest, _encode(entry))
            digest = str(written_digest)
            yield text, Line(number, entry, is_intact)


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
def _locked(file: Path) -> Iterator[None]:
    """Locks a journal for other processes within the block, by a file beside it, as it may be replaced."""
    with open(file.with_suffix(".lock"), "a+b") as stream:
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
