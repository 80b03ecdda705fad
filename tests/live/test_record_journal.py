"""Tests which record ends are written to the journal, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
import without_database  # noqa: F401

from cardlab import journal
from cardlab.core.record_chain import RecordEnd
from cardlab.live import record_journal
from cardlab.live.record_journal import RecordJournal

ENDS = {"h1": RecordEnd(3, "a" * 32), "h2": RecordEnd(1, "b" * 32)}


class Database(dict):
    """The committed ends of records by hand."""

    def ends(self, hands):
        return {hand: self.get(hand, RecordEnd()) for hand in (self if hands is None else hands)}


@pytest.fixture
def file(tmp_path) -> Path:
    return journal.file_of(tmp_path / "db.sqlite3")


def entries(file: Path) -> list[tuple]:
    return [line.entry[1:] for line in journal.read(file)]


def test_only_committed_lines_are_written(file):
    database = Database(h1=RecordEnd(2, "0" * 32))
    written = RecordJournal(file, database.ends)
    written.note_change("h1", 3)
    written.write_changes()
    assert entries(file) == []
    database |= ENDS
    written.write_changes()
    written.write_changes()
    assert entries(file) == [("h1", *ENDS["h1"])]


def test_lines_of_a_rollback_are_given_up(file):
    database = Database()
    written = RecordJournal(file, database.ends)
    written.note_change("h1", 3)
    for _attempt in range(record_journal.MAX_ATTEMPTS + 1):
        written.write_changes()
    database |= ENDS
    written.write_changes()
    assert entries(file) == []


def test_change_meanwhile_is_not_lost(file):
    database = Database(ENDS)
    written = RecordJournal(file, lambda hands: [database.ends(hands), written.note_change("h1", 4)][0])
    written.note_change("h1", 3)
    written.write_changes()
    written._read_ends = database.ends
    database["h1"] = RecordEnd(4, "c" * 32)
    written.write_changes()
    assert entries(file) == [("h1", *ENDS["h1"]), ("h1", 4, "c" * 32)]


def test_start_catches_up(file):
    journal.append(file, [journal.Entry(journal.now_utc(), "h1", *ENDS["h1"])])
    written = RecordJournal(file, Database(ENDS).ends)
    written.catch_up()
    written.write_changes()
    assert entries(file) == [("h1", *ENDS["h1"]), ("h2", *ENDS["h2"])]
