"""Tests sealing a folder of tables."""

from __future__ import annotations

import gc
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from test_golden import FOLDER, GOLDEN

from cardlab import seal

PLAYED = sorted((FOLDER / "ttt" / "played").glob("custom_export*.csv"))


@pytest.fixture
def folder(tmp_path) -> Path:
    for file in PLAYED:
        shutil.copy(file, tmp_path)
    return tmp_path


def test_seal_has_every_hand(folder):
    seal.write_seal(folder, "key")
    content = seal.read_seal(folder)
    assert content["sessions"] == ["tttg0ld"]
    assert content["tables"].keys() == {file.name for file in PLAYED}
    hands, actions = (content["tables"][f"custom_export{name}.csv"]["hands"] for name in ("_hands", ""))
    assert hands.keys() == actions.keys()
    assert all(summary[0] == int(summary[2]) for summary in actions.values())  # one row per record line
    assert {hand: summary[2:] for hand, summary in hands.items()} == {
        hand: summary[2:] for hand, summary in actions.items()
    }


def test_no_database_stays_open(folder, monkeypatch):
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda name: opened.append(connect(name)) or opened[-1])
    seal.write_seal(folder, "key")
    gc.collect()
    assert opened
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")


@pytest.mark.parametrize("game", GOLDEN)
def test_equal_tables_have_equal_seals(game, tmp_path):
    for name in "ab":
        shutil.copytree(FOLDER / game / "played", tmp_path / name)
    a, b = (seal.write_seal(tmp_path / name, "key").read_bytes() for name in "ab")
    assert a == b


def test_signature_needs_the_key(folder):
    content = json.loads(seal.write_seal(folder, "key").read_text("utf-8"))
    assert seal.is_signed(content, "key")
    assert not seal.is_signed(content, "another")
    content["tables"]["custom_export.csv"]["sha256"] = "0" * 64
    assert not seal.is_signed(content, "key")
    assert not seal.is_signed({"tables": {}}, "key")


def test_folder_without_seal_has_none(folder):
    assert seal.read_seal(folder) is None
    assert seal.compare_with_seal(folder / "custom_export.csv") is None


def test_table_is_compared_with_its_seal(folder):
    table, below = folder / "custom_export.csv", folder / "data" / "custom_export_hands.csv"
    below.parent.mkdir()
    shutil.move(folder / below.name, below)
    seal.write_seal(folder, "key")
    assert seal.compare_with_seal(table) is seal.compare_with_seal(below) is True  # also in an archive
    for file in (table, below):
        file.write_text(file.read_text("utf-8").replace("solved", "failed"), "utf-8")
        assert seal.compare_with_seal(file) is False
    (folder / seal.NAME).write_text("{}", "utf-8")
    assert seal.compare_with_seal(table) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": [1]}', '{"tables": {"a.csv": 1}}'])
def test_damaged_seal_is_an_error(folder, text):
    (folder / seal.NAME).write_text(text, "utf-8")
    with pytest.raises((json.JSONDecodeError, ValueError), match="tables|Expecting"):
        seal.read_seal(folder)
