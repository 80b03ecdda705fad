"""Verifies the records in a database, by their digests and by the journal of the database."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cardlab import folders, journal
from cardlab.analysis.verification.finding import Finding
from cardlab.games.contract import BadFile, NotInstalled
from cardlab.games.record import is_opening_line
from cardlab.row_chain import next_digest

HEADER = b"SQLite format 3\0"
LINES = """
    SELECT line.hand, line.number, line.text, line.digest, session.code
    FROM card_lab_line AS line LEFT JOIN otree_session AS session ON session.id = line.session_id
    ORDER BY line.hand, line.number
"""

Line = tuple[str, int, str, str, str | None]  # hand, number, text, digest, code of the session
Result = tuple[list[Finding], list[str], int]  # findings, notes, and the number of hands


def is_database(path: Path) -> bool:
    """Whether a file is a SQLite database."""
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER


def is_postgres(url: str) -> bool:
    """Whether this is the URL of a PostgreSQL database, as oTree's ``DATABASE_URL``."""
    return re.match(r"postgres(ql)?(\+psycopg2)?://", url) is not None


def verify_database(path: Path, journal_file: Path | None = None) -> Result:
    """Verifies all records of a SQLite database. Raises BadFile.

    ``journal_file`` is by default the journal next to the database.
    """
    return _verify(str(path), _lines_of_sqlite(path), journal_file or journal.file_of(path))


def verify_postgres(url: str, journal_file: Path | None = None) -> Result:
    """Verifies all records of a PostgreSQL database. Raises BadFile, or NotInstalled without psycopg2.

    ``journal_file`` is by default the journal in the project's folder with the name of the database.
    """
    name = urlsplit(url).path.strip("/")
    file = journal_file or journal.file_of(folders.PROJECT / f"{name}.sqlite3")
    return _verify(name, _lines_of_postgres(url, name), file)


def _verify(name: str, lines: Iterable[Line], journal_file: Path) -> Result:
    """Verifies records. The journal is read first, because a database is never behind its journal."""
    history = _Journal(journal_file)
    findings, notes, hands = history.findings, [], 0
    if not journal_file.exists():
        notes.append(f"{name} has no journal ({journal_file}), so missing records may stay unnoticed.")
    for hand, lines_of_hand in groupby(lines, key=lambda line: str(line[0])):
        record = [*lines_of_hand]
        hands += 1
        findings += _verify_record(name, hand, record)
        findings += history.compare(name, hand, record)
    findings += history.missing(name)
    return findings, notes, hands


def _lines_of_sqlite(path: Path) -> Iterator[Line]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            yield from database.execute(LINES)
    except sqlite3.Error as error:
        raise BadFile(str(path), f"This database cannot be read ({error}).") from None


def _lines_of_postgres(url: str, name: str) -> Iterator[Line]:
    try:
        psycopg2 = import_module("psycopg2")
    except ImportError:
        raise NotInstalled("To verify a PostgreSQL database, install psycopg2-binary.") from None
    try:
        with closing(psycopg2.connect(re.sub(r"^postgres\w*(\+psycopg2)?:", "postgresql:", url))) as database:
            database.set_session(isolation_level="REPEATABLE READ", readonly=True)
            with database.cursor("lines") as cursor:  # with a name, so that rows are read in blocks
                cursor.execute(LINES)
                yield from cursor
    except psycopg2.Error as error:
        raise BadFile(name, f"This database cannot be read ({str(error).strip()}).") from None


def _verify_record(name: str, hand: str, lines: Sequence[Line]) -> Iterator[Finding]:
    """Yields what is wrong within a record. Lines are those of the record, from 1."""
    digest, expected, latest_ms = hand, 1, 0
    for _hand, number, text, written_digest, session in lines:
        if number != expected:
            yield Finding(name, number, hand, _describe_missing(expected, number))
        elif next_digest(digest, text) != written_digest:
            yield Finding(name, number, hand, "This line of the record was altered.")
        if hand.split("-")[1:2] != [session]:
            yield Finding(name, number, hand, f"This line belongs to the session {session}.")
        server_ms = _server_ms(text)
        if server_ms is not None and server_ms < latest_ms:
            yield Finding(name, number, hand, "Its time is earlier than that of the line before.")
        latest_ms = server_ms or latest_ms
        digest, expected = written_digest, number + 1


def _describe_missing(expected: int, number: int) -> str:
    if number == expected + 1:
        return f"Line {expected} of this record is missing."
    if number > expected:
        return f"Lines {expected} to {number - 1} of this record are missing."
    return "This line of the record is repeated."


def _server_ms(text: str) -> int | None:
    """Returns the time of an event; None for an opening, and for a line that cannot be read."""
    if is_opening_line(text):
        return None
    try:
        event: Any = json.loads(text)
        return int(event[4])
    except (ValueError, TypeError, IndexError):
        return None


class _Journal:
    """The entries of a journal by hand, and what is wrong in it."""

    def __init__(self, file: Path) -> None:
        self.findings: list[Finding] = []
        self._name = str(file)
        self._entries: dict[str, list[tuple[int, journal.Entry]]] = defaultdict(list)
        for line in journal.read(file):
            if line.entry is None or not line.is_intact:
                sentence = "This line of the journal was altered, or lines before it are missing."
                self.findings.append(Finding(self._name, line.number, "", sentence))
            if line.entry and line.entry.digest == journal.WITHDRAWN:
                self._entries.pop(line.entry.hand, None)
            elif line.entry:
                self._entries[line.entry.hand].append((line.number, line.entry))

    def compare(self, name: str, hand: str, lines: Sequence[Line]) -> Iterator[Finding]:
        """Yields how a record differs from the journal."""
        digests = {number: digest for _hand, number, _text, digest, _session in lines}
        last = lines[-1][1]
        for number, entry in self._entries.pop(hand, ()):
            where = f"{self._name}, line {number}"
            if entry.lines > last:
                count = entry.lines - last
                sentence = f"The last {count} lines are missing" if count > 1 else "The last line is missing"
                yield Finding(name, last, hand, f"{sentence}. The journal has them ({where}).")
            elif digests.get(entry.lines) != entry.digest:
                sentence = f"The record was altered up to this line. It differs from the journal ({where})."
                yield Finding(name, entry.lines, hand, sentence)

    def missing(self, name: str) -> Iterator[Finding]:
        """Yields a finding for each hand of the journal without a line in the database."""
        for hand, entries in self._entries.items():
            number, entry = entries[-1]
            where = f"{self._name}, line {number}"
            sentence = f"This hand of {entry.lines} lines is missing. The journal has it ({where})."
            yield Finding(name, None, hand, sentence)
