"""Tests that a withdrawal removes a participant's data from all files, and that payment stays possible."""

import contextlib
import csv
import json
import os
import sqlite3
import subprocess
import sys
import urllib.error
from contextlib import closing

import psycopg2
import pytest
import requests
from exported_hands import export_rows
from matrix_table import MatrixTable, create_session, session_rows
from researcher import Researcher, study_server
from server_fixture import REST_KEY, LabServer, wait_for
from stages import clean_environment
from tabs import Socket, Visitor

from cardlab import journal
from cardlab.analysis.verification.databases import verify_database
from cardlab.operations import export as exporting
from cardlab.operations import project
from cardlab.operations.database import copy_database

SENTENCE = "I am the one with the red scarf"
KEYS = {"OTREE_REST_KEY": REST_KEY, "CARD_LAB_LABEL_KEY": "key of the labels"}  # as lab.py sets them
DATA = (".jsonl", ".sqlite3", ".sqlite3-wal", ".sqlite3-shm", ".part", ".withdrawal")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    study = study_server(tmp_path_factory.mktemp("server"))
    study.environment.update(KEYS)
    with study as running:
        yield running


def files_with(server, *texts):
    """Returns the names of a server's databases and logs that contain one of the texts."""
    files = [file for file in server.folder.rglob("*") if file.suffix in DATA]
    files += [file for file in (server.folder / "logs").rglob("*") if file.is_file()]
    found = set()
    for file in files:
        with contextlib.suppress(FileNotFoundError):  # the server may have removed or replaced it just now
            content = file.read_bytes()
            found |= {file.name for text in texts if text in file.name or text.encode() in content}
    return found


def withdraw(server, code, **fields):
    return json.loads(server.api("/api/withdraw", {"participant": code, **fields}))


def status_of(server, path, **fields):
    headers = {"otree-rest-key": REST_KEY, "accept": "text/html"}
    return requests.get(server.url + path, headers=headers, timeout=60, **fields).status_code


def label_of(code):
    """Returns a label that occurs nowhere else."""
    return f"Zora-{code[::-1]}"


def play_alone(server, **fields):
    """Plays a hand with logs and a request for help; returns the session, the code and the label."""
    fields = {"practice_hands": 0, "check": False, "help_button": True, **fields}
    session = server.create_session("ttt_demo", 2, Path="withdrawn.txt", **fields)
    code = session.participants[0]
    label = label_of(code)
    visitor = Visitor(server, code, label)
    with visitor.sit_down() as tab:
        tab.play("CTT")
    with Socket(server, f"/here/{code}") as page:
        page.receive()
        page.send(json.dumps({"help": SENTENCE}))
        page.receive()
    visitor.send()
    return session, code, label


def back_up(server):
    """Makes two backups as lab.py does, and one named like that of an upgrade; returns the first two."""
    folder = server.folder / "backups"
    folder.mkdir(exist_ok=True)
    copies = [folder / "db-20261121-120000.sqlite3", folder / "db-20261122-120000.sqlite3"]
    for copy in (*copies, server.folder / "db-20261120-120000-card-lab-0.13.sqlite3"):
        copy.unlink(missing_ok=True)
        copy_database(server.folder / "db.sqlite3", copy)
    return copies


def test_no_file_keeps_data(server):
    session, code, label = play_alone(server)
    ends = journal.file_of(server.folder / "db.sqlite3")
    wait_for(lambda: code in (ends.read_text() if ends.exists() else ""), "the journal to have the hand")
    times = "SELECT count(*) FROM otree_pagetimebatch WHERE text LIKE ?"
    server.api("/api/export_page_times")  # makes oTree write its buffered page times
    assert server.query(times, f"%{code}%") != [(0,)]
    copy, _newer = back_up(server)
    written = copy.stat().st_mtime_ns
    assert len(files_with(server, label)) >= 4
    assert len(files_with(server, code)) >= 6
    answer = withdraw(server, code, paid=True)
    assert answer["session"] == session.code
    assert answer["is_new"] is True
    assert files_with(server, label, code, SENTENCE) == set()
    assert copy.stat().st_mtime_ns == written
    assert server.query(times, f"%{code}%") == [(0,)]
    assert export_rows(server, session.code) == []
    assert len(export_rows(server, session.code, "custom_export_participants")) == 1
    lines = list(journal.read(ends))
    assert journal.WITHDRAWN in {line.entry.digest for line in lines}
    assert all(line.is_intact for line in lines)
    assert verify_database(server.folder / "db.sqlite3")[:2] == ([], [])
    assert withdraw(server, code)["is_new"] is False
    assert list(journal.read(ends)) == lines
    assert files_with(server, label, code) == set()


def test_a_restored_backup_knows_the_withdrawal(server):
    """All backups are rewritten; one that could not be is completed by the next withdrawal."""
    session, code, label = play_alone(server)
    copy, newer = back_up(server)
    content = newer.read_bytes()
    newer.write_bytes(b"SQLite format 3\0 damaged")
    assert any(newer.name in sentence for sentence in withdraw(server, code)["sentences"])
    newer.write_bytes(content)
    assert newer.name in files_with(server, SENTENCE)
    withdraw(server, code)
    assert files_with(server, SENTENCE) == set()
    for file in (server.folder / "db.sqlite3", copy, newer):
        with closing(sqlite3.connect(file)) as database:
            owed = "SELECT code, label, total FROM card_lab_withdrawal WHERE code != ''"
            assert [row[:2] for row in database.execute(owed)] == [(code, label)], file
    withdraw(server, code, paid=True)
    assert files_with(server, label, code) == set()


def test_pages_refuse_politely(server):
    session, code, _label = play_alone(server)
    withdraw(server, code)
    for path in (f"/InitializeParticipant/{code}", f"/OutOfRangeNotification/{code}", f"/p/{code}/x/y/3"):
        page = requests.get(server.url + path, timeout=60)
        assert (page.status_code, "Your data were removed" in page.text) == (410, True)
    (pseudonym,) = server.query(
        "SELECT code FROM otree_participant WHERE _session_code = ? AND status = 'withdrawn'", session.code
    )
    assert status_of(server, f"/InitializeParticipant/{pseudonym[0]}") == 410
    server.stop()
    server.start()
    assert status_of(server, f"/InitializeParticipant/{code}") == 410
    for fields in ({"participant": "zzzzzzzz"}, {"participant": "../etc"}):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            server.api("/api/withdraw", fields)
    with pytest.raises(urllib.error.HTTPError, match="400"):
        server.api("/api/withdraw", {"participant": 7})


def test_late_visitor_finds_session_still_closed(server):
    """The only participant who had come has withdrawn, and their row has no time any more."""
    session = server.create_session("ttt_demo", 2, late_after_minutes=0.0001)
    first, late = session.participants
    Visitor(server, first)
    withdraw(server, first)
    page = requests.get(f"{server.url}/InitializeParticipant/{late}", timeout=60)
    assert "you cannot take part this time" in page.text


def test_nothing_is_stored_afterwards(server):
    """An open page goes on sending actions, help requests and events, and none are stored."""
    session = server.create_session("ttt_demo", 1, practice_hands=0, check=False, help_button=True)
    (code,) = session.participants
    visitor = Visitor(server, code, label_of(code))
    tab = visitor.sit_down()
    tab.play("C")
    page = Socket(server, f"/here/{code}")
    page.receive()
    message = tab.message("T")
    withdraw(server, code, paid=True)
    before = {name: count for name, count in server.row_counts().items() if "timebatch" not in name}
    tab.send(message)
    assert tab.wait_for_reload()
    while page.receive() != {"auto_advanced": True}:
        pass
    page.send(json.dumps({"help": SENTENCE}))
    page.send(json.dumps({"leave": True}))
    assert status_of(server, f"/p/{code}/target/Hand/{visitor.index}") == 410
    assert {name: count for name, count in server.row_counts().items() if "timebatch" not in name} == before
    assert SENTENCE not in str(server.query("SELECT text FROM card_lab_notice"))


def test_payment_stays_possible(server):
    session, code, label = play_alone(server, payoff_base=500)
    rows = csv.DictReader(server.api(f"/api/payments/{session.code}").decode().splitlines())
    (due,) = [row["total"] for row in rows if row["participant_code"] == code]
    withdraw(server, code)
    payments = server.api(f"/api/payments/{session.code}").decode()
    (row,) = csv.DictReader(payments.splitlines())
    assert (row["participant_code"], row["participant_label"], row["total"]) == (code, label, due)
    assert float(due) > 0
    assert row["status"] == "withdrawn"
    researcher = Researcher(server, session)
    page = researcher.http.get(f"{server.url}/SessionPayments/{session.code}").text
    assert label in page
    assert list(researcher.rows()) == [session.participants[1]]
    comment = researcher.http.get(f"{researcher.address}/rows").json()["comment"]
    assert "1 participant has withdrawn. Their data were removed." in comment
    withdraw(server, code, paid=True)
    assert len(server.api(f"/api/payments/{session.code}").decode().splitlines()) == 1
    assert files_with(server, label, code) == set()


def test_a_shared_hand_keeps_moves(server, tmp_path, monkeypatch):
    """The partner plays on as after a dropout, and exports identify the seat only by a random code."""
    session = create_session(server, 2, group_size=2, payoff_base=100)
    code, partner = session.participants
    label = label_of(code)
    visitors = [Visitor(server, code, label), Visitor(server, partner, "Partner")]
    for visitor in (*visitors, visitors[0]):
        visitor.open_start_link()
        visitor.walk_to("Gather", "Hand")
    table = MatrixTable(server, session, visitors)
    table.play(3)
    before = [row["action"] for row in session_rows(server, session, "custom_export")]
    withdraw(server, code, paid=True)
    rows = session_rows(server, session, "custom_export")
    assert [row["action"] for row in rows][: len(before)] == before
    seats = {row["seat"]: (row["participant_code"], row["participant_label"]) for row in rows if row["seat"]}
    (left,) = {seat for seat, (who, _label) in seats.items() if who != partner}
    pseudonym, empty = seats[left]
    assert pseudonym not in (code, "")
    assert empty == ""
    assert (left, "dropped_out") in {(row["seat"], row["action"].replace(" ", "_")) for row in rows}
    (notice,) = csv.DictReader(server.api(f"/api/notices/{session.code}").decode().splitlines())
    assert (notice["participant_code"], notice["participant_label"], notice["what"]) == ("", "", "withdrew")
    table.players.pop(left)
    table.play_to_the_end()
    table.next_page()
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    assert exporting.export(session.code, str(tmp_path), server.url) == 0
    exported = {file.name: file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file()}
    assert not [name for name, text in exported.items() if code in text or label in text]
    assert sorted(name for name, text in exported.items() if pseudonym in text) == [
        f"matrix_game_app_{table_name}.csv" for table_name in ("actions", "hands")
    ]
    assert files_with(server, label, code) == set()


def test_participants_remove_their_own_data(server):
    """The button appears only at the end, and only if the session has it."""
    for has_button in (True, False):
        session = server.create_session(
            "ttt_demo", 1, practice_hands=0, check=False, withdraw_button=has_button, Path="withdrawn.txt"
        )
        (code,) = session.participants
        label = label_of(code)
        visitor = Visitor(server, code, label)
        visitor.walk_to("Hand")
        page = Socket(server, f"/here/{code}")
        page.receive()
        page.send(json.dumps({"withdraw": True}))
        assert not page.receives_within(0.5)
        assert 'id="ask-to-withdraw"' not in visitor.page.text
        while visitor.name != "Results":
            with visitor.sit_down() as tab:
                while not tab.state["over"]:
                    tab.send_action("P")
            visitor.send()
            visitor.walk_to("Hand", "Results")
        assert ('id="ask-to-withdraw"' in visitor.page.text) == has_button
        page.send(json.dumps({"withdraw": True}))
        if not has_button:
            assert not page.receives_within(0.5)
            continue
        while page.receive() != {"auto_advanced": True}:
            pass
        assert status_of(server, f"/InitializeParticipant/{code}") == 410
        wait_for(lambda name=label: files_with(server, name) == {"db.sqlite3"}, "the logs to be cleaned")
        withdraw(server, code, paid=True)
        assert files_with(server, label, code) == set()


def lab(server, *arguments, answer=""):
    """Runs lab.py in the server's folder; returns the exit code and all output."""
    if not (server.folder / ".venv").exists():
        (server.folder / ".venv").symlink_to(project.FOLDER / ".venv")
    done = subprocess.run(
        [sys.executable, "lab.py", *arguments],
        cwd=server.folder,
        env={
            **os.environ,
            **clean_environment(),
            **KEYS,
        },
        input=answer,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


def test_the_command_asks_first(server):
    session, code, label = play_alone(server)
    status, said = lab(server, "withdraw", code, "--url", server.url, answer="n\n")
    assert f"participant {code} of session {session.code}: from" in said
    assert (status, said.splitlines()[-1]) == (1, "Remove the data? [y/N] Nothing was removed.")
    assert files_with(server, label)
    status, said = lab(server, "withdraw", code, "--url", server.url, answer="y\n")
    assert status == 0
    assert f"The data of participant {code} of session" in said
    assert "To be paid: " in said
    assert lab(server, "withdraw", code, "--url", server.url, "--paid", "--yes")[0] == 0
    assert files_with(server, label, code) == set()
    ((pseudonym,),) = server.query(
        "SELECT code FROM otree_participant WHERE _session_code = ? AND status = 'withdrawn'", session.code
    )
    for unknown in ("zzzzzzzz", pseudonym):
        status, said = lab(server, "withdraw", unknown, "--url", server.url)
        assert (status, said.splitlines()[-1]) == (
            2,
            f"There is no participant {unknown} at {server.url}. Nothing was removed.",
        )
    assert lab(server, "withdraw", "../etc", "--yes")[0] == 2


def test_the_command_needs_no_server(server):
    _session, code, label = play_alone(server)
    server.stop()
    status, said = lab(server, "withdraw", code, "--yes", "--paid")
    assert (status, f"The data of participant {code} of session" in said) == (0, True), said
    assert files_with(server, label, code) == set()
    status, said = lab(server, "withdraw", "zzzzzzzz")
    assert (status, "Remove the data?" in said) == (2, False)
    server.start()
    assert status_of(server, f"/InitializeParticipant/{code}") == 410


def test_withdrawal_on_postgres(tmp_path, postgres):
    with LabServer(tmp_path / "card_lab", postgres.new_database(), KEYS) as server:
        session, code, label = play_alone(server)
        server.api("/api/export_page_times")

        def tables_with(*texts):
            with closing(psycopg2.connect(server.database_url)) as database, database.cursor() as cursor:
                cursor.execute(
                    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
                )
                found = set()
                for (name,) in cursor.fetchall():
                    cursor.execute(f'SELECT * FROM "{name}"')
                    content = str(cursor.fetchall())
                    found |= {name for text in texts if text in content}
                return found

        assert tables_with(label, code, SENTENCE) >= {
            *("otree_participant", "card_lab_line", "card_lab_notice", "otree_pagetimebatch"),
        }
        (sentence,) = [line for line in withdraw(server, code)["sentences"] if line.startswith("The ")]
        assert sentence == f"The data of participant {code} of session {session.code} were removed."
        assert tables_with(label, code, SENTENCE) == {"card_lab_withdrawal"}
        assert len(withdraw(server, code, paid=True)["sentences"]) == 1
        assert tables_with(label, code, SENTENCE) == set()
        assert export_rows(server, session.code) == []
        assert status_of(server, f"/InitializeParticipant/{code}") == 410
