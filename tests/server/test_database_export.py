"""Tests `lab.py export --database` with the databases of released versions."""

from __future__ import annotations

import csv
from types import SimpleNamespace

import old_databases
import pytest
import without_database  # noqa: F401
from otree.database import db

from cardlab.operations import database_export
from cardlab.operations.command_line import command_line
from cardlab.operations.exported_files import read_rows
from cardlab.operations.terminal import Refusal
from cardlab.server import database_export as exporting

GAMES = {
    "0.3": {"matrix_game_app": 4, "triangle_app": 2, "ttt_solo_app": 3},
    "0.5": {"matrix_game_app": 4, "triangle_app": 2, "ttt_solo_app": 3},
    "0.10": {"triangle_app": 1, "ttt_pair_app": 2, "ttt_solo_app": 6},
    "0.11": {"triangle_app": 1, "ttt_pair_app": 2, "ttt_solo_app": 6},
}


def export(*arguments: object) -> int:
    options = command_line().parse_args(["export", *map(str, arguments)])
    return options.do(options)


@pytest.fixture
def in_this_process(monkeypatch, capsys):
    """Exports in this process instead of a new one with the apps, which saves seconds."""
    monkeypatch.setenv("CARD_LAB_SEAL_KEY", "the key of the tests")
    before = db._db

    def run(_module, *arguments):
        exporting.main(*arguments)
        return SimpleNamespace(returncode=0, stdout=capsys.readouterr().out)

    monkeypatch.setattr(database_export, "run_with_apps", run)
    monkeypatch.setattr(database_export, "install", lambda: None)
    yield
    db._db = before


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("version", old_databases.VERSIONS)
def test_old_database_is_exported(tmp_path, version, capsys):
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    file = old_databases.restore(version, tmp_path / "old.sqlite3")
    before = old_databases.content(file)
    out = tmp_path / "out"
    assert export("--database", file, "--out", out) == 0
    said = capsys.readouterr()
    assert said.out.endswith(f"The exports of 3 sessions were written to {out}\n")
    assert "could not" not in said.err
    assert old_databases.content(file) == before
    people = [*read_rows(out / "tables" / "otree_participant.csv")]
    assert len(people) == len(old_databases.query(file, "SELECT id FROM otree_participant"))
    sessions = [path for path in out.iterdir() if path.name != "tables"]
    hands = {}
    for folder in sessions:
        assert {"all_apps_wide.csv", "payments.csv", "page_times.csv", "README.txt", "seal.json"} <= {
            path.name for path in folder.iterdir()
        }
        for table in folder.glob("*_hands.csv"):
            app = table.name.removesuffix("_hands.csv")
            rows = [*read_rows(table)]
            hands[app] = max(hands.get(app, 0), len(rows))
            assert len(rows) <= len([*read_rows(table.with_name(f"{app}_actions.csv"))])
    assert hands == GAMES[version]


@pytest.mark.usefixtures("in_this_process")
def test_one_session_is_exported_without_its_missing_app(tmp_path, monkeypatch, capsys):
    file = old_databases.restore("0.10", tmp_path / "old.sqlite3")
    [(code,)] = old_databases.query(
        file,
        "SELECT DISTINCT _session_code FROM otree_participant WHERE _current_app_name = 'questionnaire_app'",
    )
    apps = ["consent_app", "ttt_solo_app", "triangle_app", "ttt_pair_app"]
    monkeypatch.setattr("otree.settings.OTREE_APPS", apps)
    assert database_export.export_database(file, code, str(tmp_path / "out")) == 1
    assert (tmp_path / "out" / code / "triangle_app_hands.csv").exists()
    assert not (tmp_path / "out" / code / "questionnaire_app.csv").exists()
    said = capsys.readouterr().err
    assert f"questionnaire_app.csv of session {code}: LookupError: no session config has this app" in said
    with pytest.raises(Refusal, match="has no session nothere1"):
        database_export.export_database(file, "nothere1", str(tmp_path / "out"))


def test_other_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(database_export, "install", lambda: None)
    text, empty = tmp_path / "notes.txt", tmp_path / "other.sqlite3"
    text.write_text("notes" * 1000)
    old_databases.query(empty, "CREATE TABLE other (id INTEGER)")
    for file, reason in {
        tmp_path / "none.sqlite3": "is empty or does not exist",
        text: "cannot be read as a SQLite database",
        empty: "is not a database of Card Lab",
    }.items():
        with pytest.raises(Refusal, match=reason):
            database_export.export_database(file, out=str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(Refusal, match="--database exports all sessions of the file, or the one"):
        export("--all", "--database", empty)
