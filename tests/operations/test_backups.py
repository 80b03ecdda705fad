"""Tests database backups: their schedule, retention and restoration."""

from __future__ import annotations

import contextlib
import datetime
import multiprocessing
import os
import sqlite3
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardlab import journal
from cardlab.operations import backups
from cardlab.operations.database import damage, open_sqlite
from cardlab.operations.terminal import Refusal

NOW = datetime.datetime(2026, 11, 22, 14, 0, tzinfo=datetime.timezone.utc)
MINUTE = datetime.timedelta(minutes=1)


@pytest.fixture
def database(project, monkeypatch) -> Path:
    """Provides the SQLite database of a project, with a table ``played``."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    file = project / "db.sqlite3"
    open_sqlite(file)
    change(file, "CREATE TABLE played (a INTEGER, b INTEGER, text TEXT)")
    return file


def change(file: Path, statement: str) -> None:
    """Executes a statement on a database and commits."""
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


def rows(file: Path) -> list[tuple]:
    """Returns the rows of ``played`` in a database."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        return database.execute("SELECT a FROM played ORDER BY a").fetchall()


def named(*times: datetime.datetime) -> list[Path]:
    """Returns the backup files of these times, newest first."""
    return sorted((Path(f"db-{at:%Y%m%d-%H%M%S}.sqlite3") for at in times), reverse=True)


# ------------------------------------------------------------------ retention


def test_newest_backups_are_kept_however_old():
    made = named(*(NOW - 5 * MINUTE * number for number in range(30)))
    today = NOW.date() + datetime.timedelta(days=100)
    assert backups.backups_to_keep(made, today) == set(made[: backups.NEWEST])


def test_last_backup_of_each_day_kept_two_weeks():
    made = named(*(NOW - MINUTE * 60 * hours for hours in range(24 * 30)))
    kept = backups.backups_to_keep(made, NOW.date())
    assert set(made[: backups.NEWEST]) < kept
    others = sorted(kept - set(made[: backups.NEWEST]))
    assert others == [Path(f"db-202611{day:02}-230000.sqlite3") for day in range(9, 22)]


def test_other_files_in_backup_folder_are_kept(database):
    for number in range(40):
        backups.back_up(NOW + MINUTE * number)
    others = [backups.folder() / name for name in ("db-mine.sqlite3", "db-20261101.sqlite3", "notes.txt")]
    for other in others:
        other.write_text("mine")
    backups.back_up(NOW + MINUTE * 50)
    assert len(backups.backup_files()) == backups.NEWEST
    assert backups.backup_files()[0].name == "db-20261122-145000.sqlite3"
    assert set(backups.folder().iterdir()) == {*others, *backups.backup_files()}


# ------------------------------------------------------------------ the journal


def write_journal(database: Path, hand: str) -> None:
    journal.append(journal.file_of(database), [journal.Entry(journal.now_utc(), hand, 1, "0" * 32)])


def hands_of(database: Path) -> list[str]:
    """Returns the hands in the journal of a database."""
    return [line.entry.hand for line in journal.read(journal.file_of(database))]


def test_each_backup_has_its_journal(database):
    for number in range(backups.NEWEST + 3):
        write_journal(database, f"hand-{number}")
        backups.back_up(NOW + MINUTE * number)
    newest, *_others, oldest = backups.backup_files()
    assert len(hands_of(newest)) == backups.NEWEST + 3
    assert len(hands_of(oldest)) == 4
    assert len([*journal.file_of(newest).parent.iterdir()]) == backups.NEWEST


def test_restored_backup_has_its_journal(database):
    write_journal(database, "before")
    backups.back_up(NOW)
    write_journal(database, "after")
    assert backups.restore(backups.backup_files()[0].name) == 0
    assert hands_of(database) == ["before"]
    [set_aside] = database.parent.glob("db-*.sqlite3")
    assert hands_of(set_aside) == ["before", "after"]
    assert backups.restore(set_aside.name) == 0
    assert hands_of(database) == ["before", "after"]


# ------------------------------------------------------------------ schedule


def writing(file: Path, stop) -> None:
    """Runs a process that writes rows in two-statement transactions until it is stopped."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        number = 0
        while not stop.is_set():
            number += 1
            with database:
                database.execute("INSERT INTO played VALUES (?, 0, ?)", (number, "UTCN" * 500))
                database.execute("UPDATE played SET b = a WHERE a = ?", (number,))


def test_backup_during_writes_is_complete(database):
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    writer = context.Process(target=writing, args=(database, stop))
    writer.start()
    try:
        deadline = time.monotonic() + 60
        for number in range(5):
            before = rows(database)
            while len(rows(database)) < len(before) + 20:
                assert time.monotonic() < deadline
            backups.back_up(NOW + MINUTE * number)
    finally:
        stop.set()
        writer.join()
    sizes = []
    for copy in reversed(backups.backup_files()):
        assert damage(copy) is None
        with contextlib.closing(sqlite3.connect(copy)) as database:
            found = database.execute("SELECT a, b FROM played ORDER BY a").fetchall()
        assert found == [(number, number) for number in range(1, len(found) + 1)]
        sizes.append(len(found))
    assert sizes == sorted(set(sizes))
    assert sizes[0] >= 20


def wait_until(true) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_backups_are_made_only_after_writes(database, monkeypatch):
    """One backup at first, one after a write, none while nothing changes."""
    made, looks = [], []
    monkeypatch.setattr(backups, "back_up", lambda _now: made.append(rows(database)))

    class End(threading.Event):
        def wait(self, timeout=None):
            looks.append(timeout)
            return super().wait(0.01)

    def run(end, *steps) -> None:
        thread = threading.Thread(target=backups.back_up_until, args=(end, 300))
        thread.start()
        for step in steps:
            step()
        end.set()
        thread.join()

    def idle() -> None:
        past = len(looks)
        wait_until(lambda: len(looks) > past + 3)

    run(
        End(),
        lambda: wait_until(lambda: made == [[]]),
        idle,
        lambda: change(database, "INSERT INTO played (a) VALUES (1)"),
        lambda: wait_until(lambda: made == [[], [(1,)]]),
        idle,
    )
    assert made == [[], [(1,)]]
    assert set(looks) == {300}
    backups.folder().mkdir()
    (backups.folder() / "db-20261122-140000.sqlite3").touch()
    run(End(), idle)  # another start, with existing backups
    assert len(made) == 2


def test_data_before_a_crash_is_backed_up(database):
    def run() -> list[list[tuple]]:
        """Starts and ends the backup thread's work; returns the rows of each backup, oldest first."""
        end = threading.Event()
        end.set()
        backups.back_up_until(end, 300)
        return [rows(made) for made in reversed(backups.backup_files())]

    with contextlib.closing(sqlite3.connect(database)) as server:
        server.execute("INSERT INTO played (a) VALUES (1)")
        server.commit()
        assert run() == [[(1,)]]
        assert run() == [[(1,)]]
        (made,) = backups.backup_files()
        made.rename(made.with_name("db-20261121-140000.sqlite3"))
        time.sleep(0.02)  # file times are coarse
        server.execute("INSERT INTO played (a) VALUES (2)")  # after the backup thread was killed
        server.commit()
        assert run() == [[(1,)], [(1,), (2,)]]
    assert run() == [[(1,)], [(1,), (2,)]]


def test_no_backups_with_zero_minutes_or_postgresql(database, monkeypatch):
    with backups.backup_thread(0):
        pass
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/d")
    with backups.backup_thread(5):
        pass
    assert not backups.folder().exists()
    monkeypatch.delenv("DATABASE_URL")
    with backups.backup_thread(5):
        change(database, "INSERT INTO played (a) VALUES (1)")
    [copy] = backups.backup_files()
    assert rows(copy) == [(1,)]


def test_failed_backup_is_reported_and_keeps_others(database, monkeypatch, capsys):
    backups.back_up(NOW)
    os.utime(backups.backup_files()[0], (0, 0))  # long before the database's last write
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=1000))
    with backups.backup_thread(5):
        pass
    [sentence] = capsys.readouterr().out.splitlines()
    assert "The backup failed" in sentence
    assert len(backups.backup_files()) == 1


def test_remains_of_killed_backup_are_removed(database):
    backups.folder().mkdir()
    for ending in (".part", ".part-journal", ".part-shm"):
        (backups.folder() / f"db-20261122-135500.sqlite3{ending}").write_bytes(b"half")
    assert backups.backup_files() == []
    backups.back_up(NOW)
    assert list(backups.folder().iterdir()) == backups.backup_files()


# ------------------------------------------------------------------ restore


def test_restore_recovers_backup_and_keeps_current_database(database, capsys):
    change(database, "INSERT INTO played (a) VALUES (1)")
    backups.back_up(NOW)
    [copy] = backups.backup_files()
    content = copy.read_bytes()
    change(database, "INSERT INTO played (a) VALUES (2)")
    assert backups.restore(copy.name) == 0
    assert rows(database) == [(1,)]
    assert copy.read_bytes() == content
    [aside] = database.parent.glob("db-*.sqlite3")
    assert aside.name in capsys.readouterr().out
    assert rows(aside) == [(1,), (2,)]
    backups.restore(str(aside))
    assert rows(database) == [(1,), (2,)]
    assert len(list(database.parent.glob("db-*"))) == 2


def test_restore_replaces_missing_or_damaged_database(database):
    backups.back_up(NOW)
    [copy] = backups.backup_files()
    database.write_bytes(b"nonsense" * 1000)
    backups.restore(copy.name)
    [aside] = database.parent.glob("db-*.sqlite3")
    assert aside.read_bytes() == b"nonsense" * 1000
    assert rows(database) == []
    database.unlink()
    backups.restore(copy.name)
    assert rows(database) == []


@pytest.mark.parametrize("fault", ["written over", "cut off", "no database"])
def test_damaged_backup_is_refused(database, fault):
    many = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 500) "
    change(database, f"{many} INSERT INTO played SELECT a, 0, hex(randomblob(250)) FROM n")
    backups.back_up(NOW)
    [copy] = backups.backup_files()
    content = copy.read_bytes()
    half = len(content) // 2
    damaged = {
        "written over": content[:half] + os.urandom(20_000) + content[half + 20_000 :],
        "cut off": content[:half],
        "no database": b"my precious notes" * 1000,
    }
    copy.write_bytes(damaged[fault])
    with pytest.raises(Refusal, match="could not be copied"):
        backups.restore(copy.name)
    assert len(rows(database)) == 500
    assert [path.name for path in database.parent.glob("db*") if path.is_file()] == ["db.sqlite3"]


def test_unknown_backup_is_refused(database):
    with pytest.raises(Refusal, match="no backup db-20261122-140000"):
        backups.restore("db-20261122-140000.sqlite3")


def test_backups_are_listed_newest_first(database, capsys):
    backups.list_backups()
    assert "no backups" in capsys.readouterr().out
    for number in range(2):
        backups.back_up(NOW + MINUTE * number)
    backups.list_backups()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [copy.name for copy in backups.backup_files()]
    assert "MB" in lines[1]
