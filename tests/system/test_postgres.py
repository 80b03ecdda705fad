"""Tests a whole session and a refused one on PostgreSQL."""

import csv
import io
from contextlib import closing
from urllib.parse import urlsplit

import psycopg2
import pytest
from exported_hands import TARGET_APP, export_rows, hands_by_participant, unexpected_log_lines
from server_fixture import LabServer, wait_for
from tabs import Visitor, create_by_form

from cardlab import journal
from cardlab.analysis.commands import main
from cardlab.operations.preflight import ERROR, OK
from cardlab.operations.preflight.database import check_connection
from cardlab.server.preflight import database_facts

FUNCTIONS = (
    "custom_export",
    "custom_export_hands",
    "custom_export_participants",
    "custom_export_ck_log",
    "custom_export_nk_log",
    "custom_export_transform",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory, postgres):
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab", postgres.new_database()) as running:
        yield running


def play_a_session(server):
    """Plays all hands of the demo: the shortest solution, a solution with a pass, and only passes."""
    session = server.create_session("ttt_demo", 2, Path="logs.txt")
    visitor = Visitor(server, session.participants[0], "PC 1")
    tab = visitor.sit_down()
    tab.send_action("U", number=9)
    tab.play("CTT")
    tab = visitor.next_hand()
    tab.play("TUPT")
    tab = visitor.next_hand()
    while not tab.state["over"]:
        tab.send_action("P", traces=[["pick up", 1]])
    visitor.send()
    assert visitor.name == "Results"
    return session


def rows(server):
    with closing(psycopg2.connect(server.database_url)) as database, database.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        counts = {}
        for name in tables:
            cursor.execute(f'SELECT count(*) FROM "{name}"')
            counts[name] = cursor.fetchone()[0]
        return counts


def test_records_are_verified_with_journal(server, capsys):
    session = play_a_session(server)
    file = journal.file_of(server.folder / f"{urlsplit(server.database_url).path.strip('/')}.sqlite3")
    arguments = ["verify", server.database_url, "--journal", str(file)]
    hand = f"ttt_solo_app-{session.code}-{session.participants[0]}-1"

    def lines_in_journal():
        return max((line.entry.lines for line in journal.read(file) if line.entry.hand == hand), default=0)

    wait_for(lambda: lines_in_journal() > 4, "the journal to have the first hand")
    assert main(arguments) == 0
    assert "all whole" in capsys.readouterr().out
    with closing(psycopg2.connect(server.database_url)) as database, database, database.cursor() as cursor:
        cursor.execute("DELETE FROM card_lab_line WHERE hand = %s AND number > 4", [hand])
    assert main(arguments) == 1
    assert f"hand {hand}: The last " in capsys.readouterr().out
    assert main(["verify", "postgresql://nobody:secret@127.0.0.1:1/none"]) == 2
    assert "secret" not in capsys.readouterr().err


def test_both_databases_export_the_same_tables(server, shared_server):
    played = [play_a_session(one) for one in (server, shared_server)]
    for function in FUNCTIONS:
        ours, theirs = (
            list(csv.reader(io.StringIO(one.export(session.code, TARGET_APP, function))))
            for one, session in zip((server, shared_server), played, strict=True)
        )
        assert [len(row) for row in ours] == [len(row) for row in theirs]
        if not function.endswith("_log"):
            assert ours[0] == theirs[0]
    exported = [
        [
            (row["sequence"], row["outcome"], row["score"], row["payoff"])
            for row in export_rows(one, session.code, "custom_export_hands")
        ]
        for one, session in zip((server, shared_server), played, strict=True)
    ]
    assert (
        exported[0]
        == exported[1]
        == [
            ("CTT", "solved", "850", "850.0"),
            ("TUPT", "solved", "800", "800.0"),
            ("P" * 20, "failed", "0", "0.0"),
        ]
    )
    for hand in hands_by_participant(server, played[0].code).values():
        assert hand.final_state().sequence == hand.moves
    transforms = [
        one.export(session.code, TARGET_APP, "custom_export_transform")
        for one, session in zip((server, shared_server), played, strict=True)
    ]
    assert transforms[0] == transforms[1]
    assert unexpected_log_lines(server) == unexpected_log_lines(shared_server) == []


@pytest.mark.parametrize("fields", [{"ShowFileName": "none.txt"}, {"pay_by": "luck"}])
def test_a_refused_session_leaves_nothing(server, fields):
    before = rows(server)
    said = create_by_form(server, "ttt_demo", 3, **fields)
    assert said["error"].startswith("Failed to create session: ")
    assert "Traceback" not in said["traceback"]
    assert rows(server) == before
    server.api("/api/export_wide")


def test_check_warns_of_fsync_off(postgres):
    url = postgres.new_database()
    fsync, commit = check_connection(
        database_facts(url)
    )  # the tests' PostgreSQL does not have to survive a power cut
    assert fsync[0] == ERROR
    assert fsync[1].startswith("PostgreSQL has fsync = off, so accepted moves may be lost")
    assert commit[0] == OK
    assert commit[1].startswith("PostgreSQL saves a move in")
    [(kind, sentence)] = check_connection(database_facts(url.replace("lab:", "nobody:")))
    assert kind == ERROR
    assert "Cannot connect to the database: " in sentence
