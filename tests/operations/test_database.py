"""Tests which database is used and whether it is intact."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import sqlite3
from pathlib import Path

import pytest

from cardlab.operations.database import (
    damage,
    database_url,
    lost_data,
    open_sqlite,
    prepare_database,
    start_afresh,
)
from cardlab.operations.terminal import Refusal


@pytest.mark.parametrize("url", ["", "sqlite:///db.sqlite3"])
def test_without_postgresql_the_database_is_the_file(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert database_url() is None


@pytest.mark.parametrize(
    "url", ["postgres://u@h/d", "postgresql://u:p@h:5432/d", "postgresql+psycopg2://h/d"]
)
def test_postgresql_address_is_accepted(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert database_url() == url


@pytest.mark.parametrize("url", ["mysql://u:hush@h/d", "sqlite:///other.db", "hush"])
def test_refused_address_is_not_repeated(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(Refusal, match="postgresql://user:password@host") as refusal:
        database_url()
    assert "hush" not in str(refusal.value)


@pytest.fixture
def database(tmp_path) -> Path:
    """Provides a SQLite database of a hundred pages."""
    file = tmp_path / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE played (id INTEGER PRIMARY KEY, record TEXT)")
        database.executemany("INSERT INTO played (record) VALUES (?)", [("UTCN" * 100,) for _ in range(1000)])
    return file


def overwrite(file: Path, begin: int, length: int) -> None:
    """Overwrites bytes of a file with random bytes."""
    with open(file, "r+b") as content:
        content.seek(begin)
        content.write(random.Random(1).randbytes(length))


def test_intact_database_has_no_damage(database):
    assert damage(database) is None


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_overwritten_database_is_damaged(database, part):
    overwrite(database, int(database.stat().st_size * part), 10_000)
    found = damage(database)
    assert found
    assert "\n" not in found


def test_truncated_database_is_damaged(database):
    os.truncate(database, database.stat().st_size // 2)
    assert "malformed" in damage(database)


def test_damaged_database_is_kept_unchanged(database, capsys, monkeypatch):
    names = (database.with_name(f"db-20261130-10000{second}.sqlite3") for second in itertools.count())
    monkeypatch.setattr("cardlab.operations.database.dated_name", lambda _file: next(names))
    overwrite(database, 100_000, 50_000)
    damaged = database.read_bytes()
    start_afresh(database, damaged=True)
    [kept] = database.parent.glob("db-*.sqlite3")
    assert kept.read_bytes() == damaged
    assert damage(database) is None
    assert kept.name in capsys.readouterr().out


# ------------------------------------------------------------------ an empty file


def test_new_database_is_renamed_when_complete(tmp_path, monkeypatch):
    """A start that is killed earlier leaves no empty file, which would look like lost data."""
    file = tmp_path / "db.sqlite3"
    connect = sqlite3.connect

    def watched(opened, *arguments, **named):
        assert not file.exists()
        assert opened != file
        return connect(opened, *arguments, **named)

    monkeypatch.setattr("cardlab.operations.database.sqlite3.connect", watched)
    Path(f"{file}.part").write_bytes(b"left by a start that was killed")
    open_sqlite(file)
    assert [path.name for path in tmp_path.iterdir()] == ["db.sqlite3"]
    assert lost_data(file) is None
    monkeypatch.undo()
    with contextlib.closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


TOO_SHORT = {
    b"": "db.sqlite3 is empty. It is not a Card Lab database, and its data may be lost.",
    b"\n": "db.sqlite3 has only 1 byte. It is not",
    b"SQLite format 3\0": "db.sqlite3 has only 16 bytes. It is not",
    b"SQLite format 3\0\x10\0" + bytes(80): "db.sqlite3 has only 98 bytes. It is not",
}


@pytest.fixture
def checked(monkeypatch):
    """Provides a check of the tables that finds no fault, and no DATABASE_URL."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("cardlab.operations.database.check_database", lambda _url: None)


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("content", TOO_SHORT, ids=len)
def test_too_short_file_is_refused(project, content, capsys):
    file = project / "db.sqlite3"
    file.write_bytes(content)
    (project / "secrets").mkdir()
    (project / "secrets" / "secret_key").touch()  # a server has run here
    with pytest.raises(Refusal) as refusal:
        prepare_database(fresh=False)
    assert str(refusal.value).startswith(TOO_SHORT[content])
    assert "There are no backups." in str(refusal.value)
    assert "run --fresh" in str(refusal.value)
    assert file.read_bytes() == content

    (project / "backups").mkdir()
    for name in ("db-20261121-100000.sqlite3", "db-20261122-100000.sqlite3"):
        (project / "backups" / name).touch()
    with pytest.raises(Refusal, match=r"newest backup, run: .* restore db-20261122-100000\.sqlite3\. "):
        prepare_database(fresh=False)

    prepare_database(fresh=True)
    [kept] = project.glob("db-*.sqlite3")
    assert kept.read_bytes() == content
    assert kept.name in capsys.readouterr().out
    assert damage(file) is None
    prepare_database(fresh=False)  # accepts the new database


@pytest.mark.usefixtures("checked")
def test_missing_database_is_created(project):
    prepare_database(fresh=False)
    assert damage(project / "db.sqlite3") is None
    prepare_database(fresh=False)  # accepts it after a start that was stopped at once


@pytest.mark.usefixtures("checked")
def test_zeros_are_not_a_database(project):
    """A crash of the file system can leave such a file."""
    (project / "db.sqlite3").write_bytes(bytes(8192))
    with pytest.raises(Refusal, match="cannot be opened as a database|is damaged"):
        prepare_database(fresh=False)
    assert (project / "db.sqlite3").read_bytes() == bytes(8192)


@pytest.mark.usefixtures("checked")
def test_empty_file_before_first_run_is_accepted(project, capsys):
    """oTree creates the file as soon as one of its commands is started."""
    file = project / "db.sqlite3"
    file.touch()
    prepare_database(fresh=False)
    assert "db.sqlite3 is empty, and no server has run in this folder yet" in capsys.readouterr().out
    assert damage(file) is None
    assert [path.name for path in project.glob("*.sqlite3*")] == ["db.sqlite3"]
