"""Tests the exports of a played session: columns, completeness, and agreement with the logs."""

import csv
import io
import json
import re
from datetime import datetime

import pytest
from exported_hands import TARGET_APP, export_rows, hands_by_participant
from tabs import Tab, Visitor, advance

from cardlab import __version__
from cardlab.games.ttt import board, keeper_log, rules, transform
from tests.pages_of_docs import all_pages

LOGS = ("custom_export_ck_log", "custom_export_nk_log")
TABLES = {  # function -> its table in the data dictionary
    "custom_export": "participant_identity hand_identity actions",
    "custom_export_hands": "participant_identity hand_identity hands hands_ttt hand_end",
    "custom_export_participants": "participant_identity participants",
}


def documented(function):
    """Returns the columns that the data dictionary describes, in order."""
    text = all_pages()
    parts = [
        text.split(f"<!-- table: {table} -->")[1].lstrip().split("\n\n")[0]
        for table in TABLES[function].split()
    ]
    return re.findall(r"^\| `(\w+)` \|", "\n".join(parts), re.MULTILINE)


@pytest.fixture(scope="module")
def played(server):
    """Provides a session with four endings, one open hand and one no-show."""
    session = server.create_session(
        "ttt_static_422", 3, practice_hands=1, check=True, ViewCkNk="FALSE", MaxRounds="6"
    )
    one, two, _three = session.participants
    server.set_label(one, "=HYPERLINK(1)")
    visitor = Visitor(server, one)
    tab = visitor.sit_down()
    tab.send_action("look ck")
    tab.send_action("T", traces=[["pick ck", 5], ["pick t", 9]])
    tab.send_action("=1+1")
    tab.send_action('U","x')
    for _ in range(6):
        tab.send_action("P", number=1)  # an outdated number
        tab.send_action("P")
    tab = visitor.next_hand()
    with Tab(server, one, visitor.index):
        for move in "TUPT":  # solves the source's first row in four moves
            assert "refused" not in tab.send_action(move)
    tab = visitor.next_hand()
    tab.send_action("U", traces=[["pick up", 5]])
    other = Visitor(server, two, "PC 02")
    other.sit_down().play("N")
    advance(server, session.code)
    other.open_start_link()
    tab.send_action("N")
    return session


def lines(server, session, function):
    return server.export(session.code, TARGET_APP, function).splitlines()


@pytest.mark.parametrize("function", TABLES)
def test_exports_have_the_declared_columns(server, played, function):
    (heading, *rows) = csv.reader(io.StringIO(server.export(played.code, TARGET_APP, function)))
    assert heading == documented(function)
    assert rows
    assert {len(row) for row in rows} == {len(heading)}


def test_hand_rows_match_what_was_played(server, played):
    one, two, _three = played.participants
    hands_found = hands_by_participant(server, played.code)
    assert {key: (hand.moves, hand.outcomes) for key, hand in hands_found.items()} == {
        (one, 1): ("PPPPPP", ["failed"]),
        (one, 2): ("TUPT", ["solved"]),
        (one, 3): ("UN", []),
        (two, 1): ("N", ["advanced"]),
    }


def test_the_actions_table_alone_rebuilds_every_hand(server, played):
    rows = {
        (row["participant_code"], int(row["hand"])): row
        for row in export_rows(server, played.code, "custom_export_hands")
    }
    hands_found = hands_by_participant(server, played.code)
    assert rows.keys() == hands_found.keys()
    for key, hand in hands_found.items():
        state, row = hand.final_state(), rows[key]
        assert state.sequence == row["sequence"]
        assert row["deal"] == hand.deal
        seconds = float(row["seconds"]) if row["seconds"] else 0
        result = rules.result(state, "solo", seconds)
        assert int(row["score"]) == result.score
        assert row["outcome"] == (hand.outcomes[0] if hand.outcomes else "open")
        assert (int(row["actions"]), int(row["refused"])) == (len(hand.numbered_actions), len(hand.refused))
        assert int(row["moves"]) == len(hand.moves)
        assert int(row["looks"]) == sum(action.startswith("look ") for _n, action in hand.numbered_actions)
        assert int(row["pick_ups"]) == sum(action.startswith("pick ") for _n, action in hand.numbered_actions)
        paid = not int(row["practice"]) and bool(hand.outcomes)
        assert float(row["payoff"]) == (result.score if paid else 0)
        assert hand.deal_row["settings"] == row["settings"]
        assert json.loads(row["settings"])["MaxRounds"] == 6
        assert row["card_lab_version"] == __version__


def test_refused_rows_have_number_and_reason(server, played):
    first = hands_by_participant(server, played.code)[played.participants[0], 1]
    refused = [row for row in first.rows if row["accepted"] == "0"]
    assert [(row["action"], row["action_number"]) for row in refused[:3]] == [
        ("T", "2"),
        ("'=1+1", "4"),
        ('U","x', "4"),
    ]
    assert all(row["reason"].endswith(".") for row in refused)
    assert sum(row["action_number"] == "1" for row in refused) == 6


def test_times_increase(server, played):
    for hand in hands_by_participant(server, played.code).values():
        times = [hand.deal_row["server_time_utc"], *(row["server_time_utc"] for row in hand.rows)]
        assert all(time.endswith("Z") and len(time) == len("2026-11-20T14:03:07.412Z") for time in times)
        assert times == sorted(times)
        assert datetime.fromisoformat(times[0].replace("Z", "+00:00"))


def test_formula_in_a_label_is_escaped(server, played):
    one, two, three = played.participants
    for function in TABLES:
        labels = {
            row["participant_code"]: row["participant_label"]
            for row in export_rows(server, played.code, function)
        }
        assert labels[one] == "'=HYPERLINK(1)"
        assert labels[two] == "PC 02"
        assert labels.get(three, "") == ""


def test_export_names_the_participants(server, played):
    one, two, three = (row for row in export_rows(server, played.code, "custom_export_participants"))
    assert (one["hands_over"], one["hands_played_out"]) == ("1", "1")  # practice hands do not count
    assert int(one["check_attempts"]) == 1
    assert json.loads(one["check_answers"])[1]["when_solved"] == "target"
    assert (two["hands_over"], two["payoff"]) == ("0", "0.0")
    assert three["came_utc"] == three["first_hand_shown_utc"] == ""
    assert (
        one["came_utc"] < one["instructions_done_utc"] < one["check_done_utc"] < one["first_hand_shown_utc"]
    )


@pytest.mark.parametrize("function", [*LOGS, "custom_export_transform"])
def test_text_exports_need_no_quoting(server, played, function):
    text = server.api(
        f"/api/export_app_custom?app={TARGET_APP}&session_code={played.code}&function_name={function}"
    ).decode()
    assert text.endswith("\r\n")
    rows = list(csv.reader(io.StringIO(text)))
    assert all(len(row) == 1 for row in rows)
    assert "\r\n".join(row[0] for row in rows) + "\r\n" == text  # nothing was quoted


def test_logs_and_summary_agree_with_tables(server, played):
    hands_found = hands_by_participant(server, played.code)
    hands_found = {
        key: hands_found[key]
        for key in sorted(hands_found, key=lambda key: (played.participants.index(key[0]), key[1]))
    }
    logs = [keeper_log.read(lines(server, played, function), function) for function in LOGS]
    for log in logs:
        assert [(hand.participant, hand.number) for hand in log.hands] == list(hands_found)
        assert [hand.sequence for hand in log.hands] == [hand.moves for hand in hands_found.values()]
        summary = transform.summary((hand.layout, hand.sequence) for hand in log.hands)
        assert summary == lines(server, played, "custom_export_transform")
        assert [warning for warning in log.warnings if "no end" not in warning] == []
    hands = [(board.parse_deal(hand.deal)[0], hand.moves) for hand in hands_found.values()]
    assert lines(server, played, "custom_export_transform") == transform.summary(hands)


def test_export_of_all_sessions_combines_them(server, played):
    """Without a session code oTree exports all sessions."""
    more = server.create_session("ttt_demo", 1)
    Visitor(server, more.participants[0]).sit_down().play("CTT")
    path = f"/api/export_app_custom?app={TARGET_APP}&function_name="
    log = keeper_log.read(server.api(f"{path}custom_export_ck_log").decode().splitlines(), "all")
    assert {played.participants[0], played.participants[1], more.participants[0]} <= {
        hand.participant for hand in log.hands
    }
    rows = list(csv.DictReader(io.StringIO(server.api(f"{path}custom_export").decode())))
    assert {played.code, more.code} <= {row["session_code"] for row in rows}


def test_empty_export_has_only_its_heading(server):
    session = server.create_session("ttt_demo", 1)
    heading = ",".join(documented("custom_export"))
    assert server.export(session.code, TARGET_APP, "custom_export") == f"{heading}\r\n"
    assert lines(server, session, "custom_export_transform") == []
