"""Tests that a database copy has all commits, is on disk, and is not made if the disk is full."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from cardlab.exports.snapshot import NoSpace, connect_to_copy


@pytest.fixture
def database(tmp_path):
    """Provides a connection to a database whose rows are in the WAL."""
    with closing(sqlite3.connect(tmp_path / "db.sqlite3", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE line (text TEXT)")
        connection.execute("INSERT INTO line VALUES ('committed')")
        yield connection


def test_copy_has_the_commits_so_far(database, tmp_path):
    file = tmp_path / "copy.sqlite3"
    with closing(connect_to_copy(str(tmp_path / "db.sqlite3"), file)) as copy:
        database.execute("INSERT INTO line VALUES ('later')")
        checkpoint = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert checkpoint[0] == 0  # no reader blocks it
        assert copy.execute("SELECT text FROM line").fetchall() == [("committed",)]
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("copy")] == ["copy.sqlite3"]


def test_full_disk_prevents_the_copy(database, tmp_path, monkeypatch):
    stored = sum(file.stat().st_size for file in tmp_path.glob("db.sqlite3*") if "shm" not in file.name)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=stored - 1))
    with pytest.raises(NoSpace, match="MB needed"):
        connect_to_copy(str(tmp_path / "db.sqlite3"), tmp_path / "copy.sqlite3")
    assert not (tmp_path / "copy.sqlite3").exists()
