"""Tests the server fixture itself: it serves, survives a kill, and works on PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from server_fixture import FOLDER_OF_FIRST_COPY, WINDOWS, LabServer, remove_stale_copies
from tabs import open_first_hand


def first_config(server: LabServer) -> str:
    return json.loads(server.api("/api/session_configs"))[0]["name"]


@pytest.mark.long("test_kill.py kills servers too")
def test_committed_data_survive_a_kill(lab_server):
    session = lab_server.create_session(first_config(lab_server), participants=2)
    assert len(set(session.participants)) == len(session.start_urls) == 2
    lab_server.kill9()
    lab_server.start()
    with urllib.request.urlopen(session.start_urls[0]) as page:
        assert session.participants[0] in page.url
    assert lab_server.export(session.code).startswith("session_code,")
    with lab_server.sqlite() as database:
        assert database.execute("SELECT code FROM otree_session").fetchall() == [(session.code,)]


def test_row_counts_change_only_with_sessions(lab_server):
    """Otherwise a test that compares counts would fail whenever the computer moves in another test's game."""
    session = lab_server.create_session("ttt_demo")
    tab = open_first_hand(lab_server, session.participants[0])
    before, lines = lab_server.row_counts(), lab_server.query("SELECT count(*) FROM card_lab_line")
    tab.play("CTT")
    assert lab_server.query("SELECT count(*) FROM card_lab_line") > lines
    assert lab_server.row_counts() == before
    lab_server.create_session("ttt_demo")
    assert lab_server.row_counts()["otree_session"] == before["otree_session"] + 1


@pytest.mark.long("the same as on SQLite")
def test_servers_have_separate_postgresql_databases(tmp_path, postgres):
    with LabServer(tmp_path / "one", postgres.new_database()) as one:
        session = one.create_session(first_config(one))
        with LabServer(tmp_path / "two", postgres.new_database()) as two:
            assert b"[]" in two.api("/api/sessions")
        assert session.code.encode() in one.api("/api/sessions")


def test_server_errors_are_logged(lab_server):
    session = lab_server.create_session("ttt_demo")
    page = lab_server.folder / "_templates" / "otree" / "SessionPayments.html"
    page.write_text("{{ no_such_name }}", "utf-8")
    with pytest.raises(urllib.error.HTTPError, match="500"):
        lab_server.api(f"/SessionPayments/{session.code}")
    lab_server.stop()
    assert "no_such_name" in lab_server.stderr_text()
    with pytest.raises(AssertionError, match="no_such_name"):
        lab_server.assert_no_fault()
    lab_server.assert_no_fault()  # an error is reported once


@pytest.mark.skipif(WINDOWS, reason="on Windows no copies are kept, and os.kill would end the process")
def test_copies_of_killed_processes_are_removed(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    names = [f"card-lab-copy-{ended.pid}-a", f"card-lab-copy-{os.getpid()}-a", "card-lab-copy-b-a"]
    for name in names:
        (tmp_path / name / "cardlab").mkdir(parents=True)
    remove_stale_copies(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
    assert f"card-lab-copy-{os.getpid()}-" in FOLDER_OF_FIRST_COPY.name
