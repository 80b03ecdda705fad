"""Tests the creation of sessions, and their refusal in one sentence."""

import csv
import io
import json
import urllib.error
from contextlib import closing

import pytest
from exported_hands import export_rows, hands_by_participant
from server_fixture import LabServer
from tabs import Visitor, create_by_form, creation_error, open_first_hand

ROW = "2H 3C 3H 4C 2C 4H 2H ck"  # solved by C T T


@pytest.fixture(scope="module")
def deals(server):
    """Provides the running server's folder of show files."""
    folder = server.folder / "deals" / "ttt"
    files = {
        "wrong_card.txt": f"C Ck UP T N Nk G FirstMove\n{ROW}\n2H 3C 5H 4C 2C 4H 2H ck\n",
        "wrong_value.ini": "[PREFERENCES]\n\nViewCard = some\n",
        "markup.txt": "2H 3C <b>3H</b> 4C 2C 4H 2H ck\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


REFUSED = {
    "a wrong card": (
        {"ShowFileName": "wrong_card.txt"},
        "wrong_card.txt, line 3, column 7: '5H' is",
    ),
    "markup": ({"ShowFileName": "markup.txt"}, "line 1, column 7: '‹b›3H‹/b›' is not a card"),
    "a wrong value": (
        {"settings_file": "wrong_value.ini"},
        "wrong_value.ini, line 3, column 12: ",
    ),
    "an unknown back": (
        {"CardsBackFile": "dorso9.png"},
        "CardsBackFile dorso9.png is not in _static",
    ),
    "a rate that is no number": ({"payoff_rate": "nan"}, "payoff_rate must be a number, not 'nan'."),
}


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_refused_session_leaves_no_rows(server, deals, fields, sentence):
    before = server.row_counts()
    message = creation_error(server, "ttt_demo", **fields)
    assert message["error"].startswith("Failed to create session: ")
    assert sentence in message["error"]
    assert "Traceback" not in message["traceback"]
    assert 'File "' not in message["traceback"]
    assert "\n" not in message["error"]
    assert server.row_counts() == before


# Values that only the REST interface can send, because it accepts any JSON.
REFUSED_BY_REST = {
    "practice_hands as text": {"practice_hands": "2"},
    "a missing show file": {"ShowFileName": "nowhere.txt"},
}


@pytest.mark.parametrize("fields", REFUSED_BY_REST.values(), ids=REFUSED_BY_REST)
def test_session_refused_over_rest_leaves_nothing_behind(server, fields):
    before = server.row_counts()
    with pytest.raises(urllib.error.HTTPError):
        server.create_session("ttt_demo", 2, **fields)
    assert server.row_counts() == before
    server.api("/api/export_wide")


def test_wide_export_works_after_a_refusal(server, deals):
    kept = server.create_session("ttt_demo", 2)
    creation_error(server, "ttt_demo", ShowFileName="wrong_card.txt")
    for path in ("/api/export_wide", f"/api/export_wide?session_code={kept.code}"):
        wide = list(csv.DictReader(io.StringIO(server.api(path).decode())))
        assert set(kept.participants) <= {row["participant.code"] for row in wide}


def test_wide_export_has_no_empty_columns(server):
    session = server.create_session("ttt_demo", 2)
    Visitor(server, session.participants[0]).sit_down().play("C")
    rows = list(
        csv.DictReader(io.StringIO(server.api(f"/api/export_wide?session_code={session.code}").decode()))
    )
    columns = [name for name in rows[0] if name.startswith("ttt_solo_app.")]
    assert len(rows) == 2
    assert "ttt_solo_app.1.player.instructions_done_ms" in columns
    assert "ttt_solo_app.3.player.id_in_group" in columns
    assert [name for name in columns if not any(row[name] for row in rows)] == []


def test_refused_session_leaves_empty_tables(tmp_path):
    with LabServer(tmp_path / "card_lab") as server:
        creation_error(server, "ttt_demo", ShowFileName="nowhere.txt")
        filled = {name for name, count in server.row_counts().items() if count}
        assert filled <= {"card_lab_made_by", "otree_taskqueuemessage", "sqlite_sequence"}
        server.api("/api/export_wide")
        server.create_session("ttt_demo")
        server.api("/api/export_wide")


def test_newly_added_file_can_be_chosen(server, deals):
    (deals / "today.txt").write_text(f"{ROW}\n3H 2C 2H 4C 4H 3C 4H nk\n", "utf-8")
    session = server.create_session("ttt_demo", ShowFileName="today.txt")
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    tab.play("CTT")
    assert visitor.next_hand().first["view"]["goal"] == "4H"
    assert hands_by_participant(server, session.code)[visitor.code, 2].deal == "3H 2C 2H 4C 4H 3C | 4H | nk"
    (deals / "today.txt").write_text("3C 3H 2C 2H 4C 4H 3C nk\n", "utf-8")
    later = server.create_session("ttt_demo", ShowFileName="today.txt")
    open_first_hand(server, later.participants[0])
    assert (
        hands_by_participant(server, later.code)[later.participants[0], 1].deal
        == "3C 3H 2C 2H 4C 4H | 3C | nk"
    )


def comment(server, session):
    with closing(server.sqlite()) as database:
        found = database.execute("SELECT comment FROM otree_session WHERE code = ?", [session.code])
        return found.fetchone()[0] or ""


def test_contradicting_heading_is_reported_and_kept(server, deals):
    (deals / "headed.txt").write_text(f"NK N UP C CK T G FirstMove\n{ROW}\n", "utf-8")
    session = server.create_session("ttt_demo", ShowFileName="headed.txt")
    notice = "headed.txt, line 1: the heading is in CIRCULAR order, but the rows are read in LINEAR order"
    assert notice in comment(server, session)
    open_first_hand(server, session.participants[0])
    (row,) = export_rows(server, session.code, "custom_export_hands")
    assert row["notice"].startswith(notice)
    assert row["deal"] == "2H 3C 3H 4C 2C 4H | 2H | ck"
    assert (
        hands_by_participant(server, session.code)[session.participants[0], 1].deal_row["notice"]
        == row["notice"]
    )
    quiet = server.create_session("ttt_demo")
    assert comment(server, quiet) == ""


def test_source_settings_file_creates_a_session(server):
    session = server.create_session("ttt_dynamic_face_down", check=False, practice_hands=0)
    assert "written to logs/logfile/" in comment(server, session)
    tab = open_first_hand(server, session.participants[0])
    assert tab.first["view"]["cards"]["Ck"] is tab.first["view"]["cards"]["Nk"] is None
    assert tab.first["view"]["back"] == "dorso3"


def test_same_config_deals_the_same_hands(server):
    sessions = [server.create_session("ttt_transfer", participants=1, seed=7) for _ in range(2)]
    with closing(server.sqlite()) as database:
        dealt = [
            database.execute(
                "SELECT round_number, opening FROM ttt_solo_app_subsession JOIN otree_session AS s "
                "ON s.id = session_id WHERE s.code = ? ORDER BY round_number",
                [session.code],
            ).fetchall()
            for session in sessions
        ]
    assert dealt[0] == dealt[1]
    openings = [json.loads(opening) for _round, opening in dealt[0] if opening]
    assert [opening["practice"] for opening in openings] == [True] * 2 + [False] * 32
    assert [opening["number"] for opening in openings] == [1, 2, *range(1, 33)]


def test_form_creates_the_session_as_filled_in(server):
    message = create_by_form(server, "ttt_demo", 1, MaxRounds=3, ViewTarget="FALSE", feedback=True)
    code = message["session_url"].split("/")[-1]
    (participant,) = json.loads(server.api(f"/api/get_session/{code}", {}))["participants"]
    tab = open_first_hand(server, participant["code"])
    assert (tab.first["view"]["left"], tab.first["view"]["goal"]) == (3, None)
