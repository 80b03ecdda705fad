"""Tests a database's journal: what is appended, also after a crash, and what reading it reveals."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from cardlab import journal
from cardlab.journal import Entry

ENTRIES = [Entry(f"2026-11-20T14:03:0{n}.000Z", f"app-code-p{n}-1", n + 1, f"{n}" * 32) for n in range(5)]


def write(folder: Path) -> Path:
    file = journal.file_of(folder / "db.sqlite3")
    journal.append(file, ENTRIES[:3])
    journal.append(file, ENTRIES[3:])
    return file


def test_entries_are_read_as_appended(tmp_path):
    lines = [*journal.read(write(tmp_path))]
    assert [line.entry for line in lines] == ENTRIES
    assert all(line.is_intact for line in lines)
    assert [line.number for line in lines] == [1, 2, 3, 4, 5]


def test_missing_journal_has_no_lines(tmp_path):
    assert [*journal.read(tmp_path / "none.jsonl")] == []


@pytest.mark.parametrize("cut", [1, 20, 90])
def test_incomplete_last_line_is_replaced(tmp_path, cut):
    file = write(tmp_path)
    file.write_bytes(file.read_bytes()[:-cut])
    assert [line.entry for line in journal.read(file)] == ENTRIES[:4]
    journal.append(file, ENTRIES[4:])
    lines = [*journal.read(file)]
    assert [line.entry for line in lines] == ENTRIES
    assert all(line.is_intact for line in lines)


def test_changed_line_is_found(tmp_path):
    file = write(tmp_path)
    file.write_text(file.read_text("utf-8").replace("p2-1", "p9-1"), "utf-8")
    assert [line.number for line in journal.read(file) if not line.is_intact] == [3]


def test_removed_line_is_found(tmp_path):
    file = write(tmp_path)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:1] + lines[2:]), "utf-8")
    assert [line.number for line in journal.read(file) if not line.is_intact] == [2]


def test_unreadable_line_is_found(tmp_path):
    file = write(tmp_path)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join([lines[0], "[1, 2]\n", "x\n", *lines[1:]]), "utf-8")
    read = [*journal.read(file)]
    assert [line.number for line in read if line.entry is None] == [2, 3]
    assert [line.number for line in read if not line.is_intact] == [2, 3]


def test_withdrawal_replaces_the_code(tmp_path):
    file = write(tmp_path)
    journal.append(file, [ENTRIES[1]._replace(lines=7)])
    assert journal.remove_code(file, "p1", "qq")
    lines = [*journal.read(file)]
    assert all(line.is_intact for line in lines)
    assert b"p1" not in file.read_bytes()
    own = [line.entry for line in lines if "qq" in line.entry.hand]
    assert [entry[1:] for entry in own] == [("app-code-qq-1", 0, journal.WITHDRAWN)] * 2
    assert ENTRIES[1].time not in {entry.time for entry in own}
    assert [line.entry for line in lines if line.entry not in own] == [ENTRIES[0], *ENTRIES[2:]]
    assert not journal.remove_code(file, "p1", "rr")
    assert not journal.remove_code(tmp_path / "none.jsonl", "p1", "rr")
    journal.append(file, [ENTRIES[4]])
    assert all(line.is_intact for line in journal.read(file))


@pytest.mark.parametrize("hand", ["p0-1", "p1-1", "p3-1"])
def test_withdrawal_hides_no_changed_line(tmp_path, hand):
    file = write(tmp_path)
    text = file.read_text("utf-8").replace(f'{hand}",', f'{hand}1",') + "p1, unreadable\n"
    file.write_text(text, "utf-8")
    damaged = [line.number for line in journal.read(file) if not line.is_intact]
    assert len(damaged) == 2
    assert journal.remove_code(file, "p1", "qq")
    assert [line.number for line in journal.read(file) if not line.is_intact] == damaged
    assert b"p1" not in file.read_bytes()


def _append_many(file: Path, name: str) -> None:
    for number in range(100):
        journal.append(file, [ENTRIES[0]._replace(hand=f"{name}-{number}")])


def test_several_processes_append_to_it(tmp_path):
    file = journal.file_of(tmp_path / "db.sqlite3")
    workers = [multiprocessing.Process(target=_append_many, args=(file, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for number in range(0, 100, 10):  # meanwhile, the file is replaced repeatedly
        journal.append(file, [ENTRIES[0]._replace(hand=f"app-code-p{number}-1")])
        assert journal.remove_code(file, f"p{number}", "qq")
    for worker in workers:
        worker.join()
    lines = [*journal.read(file)]
    assert len(lines) == 210
    assert all(line.is_intact for line in lines)
