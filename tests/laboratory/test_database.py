"""Which database is used, and whether it is whole."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from pathlib import Path

import pytest

from laboratory.database import damage, database_url, open_sqlite, start_afresh
from laboratory.terminal import Refusal


@pytest.mark.parametrize("url", ["", "sqlite:///db.sqlite3"])
def test_without_postgresql_the_database_is_the_file(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert database_url() is None


@pytest.mark.parametrize(
    "url", ["postgres://u@h/d", "postgresql://u:p@h:5432/d", "postgresql+psycopg2://h/d"]
)
def test_a_postgresql_address_is_taken(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert database_url() == url


@pytest.mark.parametrize("url", ["mysql://u:hush@h/d", "sqlite:///other.db", "hush"])
def test_another_address_is_refused_without_repeating_it(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(Refusal, match="postgresql://user:password@host") as refusal:
        database_url()
    assert "hush" not in str(refusal.value)


@pytest.fixture
def database(tmp_path) -> Path:
    """A SQLite database of a hundred pages."""
    file = tmp_path / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE played (id INTEGER PRIMARY KEY, record TEXT)")
        database.executemany("INSERT INTO played (record) VALUES (?)", [("UTCN" * 100,) for _ in range(1000)])
    return file


def overwrite(file: Path, begin: int, length: int) -> None:
    """Put nonsense in the place of bytes of a file."""
    with open(file, "r+b") as content:
        content.seek(begin)
        content.write(random.Random(1).randbytes(length))


def test_a_whole_database_has_no_damage(database):
    assert damage(database) is None


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_database_that_was_written_over_is_damaged(database, part):
    overwrite(database, int(database.stat().st_size * part), 10_000)
    found = damage(database)
    assert found
    assert "\n" not in found


def test_a_database_that_was_cut_off_is_damaged(database):
    os.truncate(database, database.stat().st_size // 2)
    assert "malformed" in damage(database)


def test_a_damaged_database_is_kept_to_the_last_byte(database, capsys):
    overwrite(database, 100_000, 50_000)
    damaged = database.read_bytes()
    start_afresh(database, damaged=True)
    [kept] = database.parent.glob("db-*.sqlite3")
    assert kept.read_bytes() == damaged
    assert damage(database) is None
    assert kept.name in capsys.readouterr().out
