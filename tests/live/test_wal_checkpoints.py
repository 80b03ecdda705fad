"""Tests WAL checkpoints while other connections read and write."""

import sqlite3
from contextlib import closing

from cardlab.live.wal_checkpoints import checkpoint, disable_autocheckpoint, sync_commits


def test_a_checkpoint_copies_the_wal(tmp_path):
    file = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        disable_autocheckpoint(writer)
        writer.execute("CREATE TABLE line (text)")
        for number in range(20):
            writer.executemany("INSERT INTO line VALUES (?)", [(f"{number} {'x' * 4000}",)] * 200)
            writer.commit()
        before = file.stat().st_size
        assert before < 1_000_000  # without an automatic checkpoint
        writer.execute("INSERT INTO line VALUES ('not committed')")
        assert checkpoint(str(file))
        assert file.stat().st_size > 16_000_000
        writer.rollback()
        assert writer.execute("SELECT count(*) FROM line").fetchone() == (4000,)


def test_a_reader_blocks_no_checkpoint(tmp_path):
    file = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(file)) as writer, closing(sqlite3.connect(file)) as reader:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE line (text)")
        writer.commit()
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM line").fetchone()
        writer.execute("INSERT INTO line VALUES ('later')")
        writer.commit()
        assert not checkpoint(str(file))
        reader.rollback()
        assert checkpoint(str(file))


def test_commits_are_synced_whatever_the_default(tmp_path):
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as writer:
        writer.execute("PRAGMA synchronous = OFF")
        sync_commits(writer)
        assert writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
