"""Tests rehearsals on a running server: whole sessions, alone and in pairs."""

import csv
import io
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_fixture import REST_KEY, LabServer

from cardlab.operations.rehearse import fast_clock
from cardlab.rehearsal.__main__ import main


@pytest.fixture
def rehearse(server, monkeypatch, tmp_path):
    """Provides a function that runs the command on the server; it returns the exit code and the figures."""

    def run(*options):
        out = tmp_path / "figures.json"
        monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
        monkeypatch.setattr(sys, "argv", ["rehearsal", "--url", server.url, "--out", str(out), *options])
        with ThreadPoolExecutor() as pool:  # browser tests leave an event loop running in the main thread
            code = pool.submit(main).result()
        return code, json.loads(out.read_text("utf-8")) if out.exists() else None

    return run


SESSIONS = {
    "alone": (
        "ttt_static_422",
        "ttt_solo_app",
        ["ShowFileName=demo.txt", "practice_hands=0", "pay_rounding=2"],
        3,
        "solved",
    ),
    "in pairs": ("matrix_two", "matrix_game_app", ["games=1", "pack=special"], 4, "completed"),
}


@pytest.mark.parametrize(("config", "app", "fields", "people", "outcome"), SESSIONS.values(), ids=SESSIONS)
def test_whole_session_is_rehearsed(server, rehearse, capsys, config, app, fields, people, outcome):
    options = [part for field in fields for part in ("--field", field)]
    code, figures = rehearse("--config", config, "--participants", str(people), *options)
    assert (code, figures["errors"]) == (0, [])
    (session,) = figures["sessions"]
    assert len(figures["participants"]) == len(session["links"]) == people
    hands = list(csv.DictReader(io.StringIO(server.export(session["code"], app, "custom_export_hands"))))
    played = [row for row in hands if row["participant_code"]]
    assert {row["outcome"] for row in played} == {outcome}
    assert {row["participant_code"] for row in played} == {link[-8:] for link in session["links"]}
    attempts = server.query(
        f"SELECT check_attempts FROM {app}_player AS player JOIN otree_session AS session "
        "ON session.id = player.session_id WHERE session.code = ? AND round_number = 1",
        session["code"],
    )
    assert [text.count("\n") for (text,) in attempts] == [1] * people  # right at the first attempt
    actions = sum(one["actions"] for one in figures["participants"])
    assert figures["kinds"]["actions"]["count"] > actions > people
    payments = csv.DictReader(io.StringIO(server.api(f"/api/payments/{session['code']}").decode()))
    assert figures["pay"] == [float(row["total"]) for row in payments]
    assert min(figures["pay"]) >= 5
    assert "pay_rounding=2" not in fields or {pay % 2 for pay in figures["pay"]} == {0}
    assert f"{people} of {people} participants finished" in (said := capsys.readouterr().out)
    assert "Errors: 0" in said


def test_unknown_config_is_refused_with_the_nearest(rehearse, capsys):
    assert rehearse("--config", "ttt_dmo") == (2, None)
    assert "Unknown session config ttt_dmo. Did you mean ttt_demo?" in capsys.readouterr().err
    assert rehearse("--config", "") == (2, None)


@pytest.mark.long("plays for a minute; tests/rehearsal/test_promises.py checks the promises")
def test_online_study_keeps_its_promises(tmp_path):
    """In accelerated time, visitors arrive, leave, are replaced and play in pairs."""
    clock, out = fast_clock(20), tmp_path / "figures.json"
    with LabServer(tmp_path / "card_lab", environment=clock) as server:
        fields = ("games=1", "pack=special", "turn_limit_seconds=60", "gather_seconds=120", "no_shows=robot")
        command = [sys.executable, "-m", "cardlab.rehearsal", "--url", server.url, "--config", "matrix_two"]
        command += ["--online", "--participants", "12", "--minutes", "4", "--out", str(out)]
        command += [part for field in fields for part in ("--field", field)]
        environment = {**os.environ, **clock, "OTREE_REST_KEY": REST_KEY}
        finished = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    figures = json.loads(out.read_text("utf-8"))
    assert not any(figures["broken_promises"].values())
    assert len(figures["broken_promises"]) == 6
    visitors = figures["visitors"]
    assert sum(not visitor["has_left"] for visitor in visitors) == 12
    assert any(visitor["has_left"] for visitor in visitors)
    assert any(visitor["waits"] for visitor in visitors)
    assert "12 came to an end" in finished.stdout
