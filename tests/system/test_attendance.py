"""Tests which participants count as paid and finished in payments, monitor and REST."""

import json
import re

import pytest
from server_fixture import LabServer
from tabs import Socket, Tab, Visitor, advance

TWO_APPS = """
SESSION_CONFIGS.append(
    {
        **triangle("first", "two games", "", hands=1),
        **ttt_solo("second", "two games", "", ShowFileName="demo.txt", practice_hands=0, check=False),
        "app_sequence": ["triangle_app", "ttt_solo_app"],
    }
)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Runs a separate server with a session config of two games in sequence."""
    lab_server = LabServer(tmp_path_factory.mktemp("server") / "card_lab")
    with open(lab_server.folder / "settings.py", "a", encoding="utf-8") as settings:
        settings.write(TWO_APPS)
    with lab_server as running:
        yield running


def finished_states(server, session):
    """Returns status and ``finished`` by participant, from the REST interface."""
    rows = json.loads(server.api(f"/api/get_session/{session.code}", {}))["participants"]
    return {row["code"]: (row["status"], row["finished"]) for row in rows}


def monitored(server, session):
    """Returns the statuses in the monitor by participant number."""
    with Socket(server, f"/session_monitor/{session.code}") as monitor:
        return {row["id_in_session"]: row["status"] for row in monitor.receive()["rows"]}


def payments(server, session):
    """Returns the codes of finished and other participants, and the summary figures of the payments page."""
    page = server.api(f"/SessionPayments/{session.code}").decode()
    finished, others, summary = re.split("<h3>Not finished</h3>|<h3>Summary</h3>", page)
    figures = re.findall(r"<td>\W*([\d.]+)\W*</td>", summary)
    listed = [[code for code in session.participants if code in part] for part in (finished, others)]
    return *listed, [float(figure) for figure in figures]


def play_to_the_end(server, code):
    """Plays three hands of one move each."""
    visitor = Visitor(server, code)
    while visitor.name == "Instructions":
        visitor.send()
    while visitor.name == "Hand":
        with Tab(server, code, visitor.index) as tab:
            tab.send_action("P")
        visitor.send()
    assert visitor.name == "Results"
    return visitor


@pytest.fixture(scope="module")
def session(server):
    """Provides four participants: one finished, one only arrived, one was advanced, and one never came."""
    session = server.create_session(
        "ttt_demo",
        4,
        MaxRounds="1",
        payoff_base=1000,
        participation_fee=5,
        real_world_currency_per_point=0.001,
    )
    played, came, moved, _never = session.participants
    Visitor(server, came)
    for _page in range(2):
        advance(server, session.code, moved)
    play_to_the_end(server, played)
    return session


def test_payments_list_only_arrived_participants(server, session):
    played, came, _moved, _never = session.participants
    assert payments(server, session) == ([played], [came], [8, 8, 5])


def test_progress_ends_at_the_last_page(server, session):
    visitor = Visitor(server, session.participants[0])
    visitor.http.post(visitor.page.url)
    page = server.api(f"/SessionPayments/{session.code}").decode()
    done, pages = re.search(r"Progress\">(\d+)/(\d+)</td>", page).groups()
    assert done == pages


def test_advanced_participant_can_still_arrive(server):
    session = server.create_session("ttt_demo", 2, participation_fee=5)
    (code, _never) = session.participants
    advance(server, session.code, code)
    assert [row["came_utc"] for row in came_rows(server, session)] == ["", ""]
    Visitor(server, code)
    assert payments(server, session) == ([], [code], [0, 0, 5])
    assert [bool(row["came_utc"]) for row in came_rows(server, session)] == [True, False]
    assert [float(row["earnings_total"]) for row in came_rows(server, session)] == [5, 0]


def came_rows(server, session):
    header, *rows = server.export(session.code, function="custom_export_participants").splitlines()
    return [dict(zip(header.split(","), row.split(","))) for row in rows]


def test_payments_of_empty_session_are_empty(server):
    session = server.create_session("ttt_demo", 2)
    assert payments(server, session) == ([], [], [0, 0])


def test_only_participants_who_played_are_finished(server, session):
    played, came, moved, never = session.participants
    expected = {played: ("finished", True), **dict.fromkeys((came, moved, never), ("", False))}
    assert finished_states(server, session) == expected
    assert monitored(server, session) == {1: "finished", 2: "", 3: ""}


def test_open_monitor_is_notified_at_once(server):
    session = server.create_session("ttt_demo", 1, MaxRounds="1")
    with Socket(server, f"/session_monitor/{session.code}") as monitor:
        play_to_the_end(server, session.participants[0])
        said = {"rows": []}
        while "finished" not in [row["status"] for row in said.get("rows", [])]:
            said = monitor.receive()


def test_participant_advanced_to_the_end_is_finished(server):
    session = server.create_session("ttt_demo", 1)
    (code,) = session.participants
    Visitor(server, code)
    for _page in range(4):  # the instructions and three hands
        assert finished_states(server, session) == {code: ("", False)}
        advance(server, session.code)
    assert finished_states(server, session) == {code: ("finished", True)}
    advance(server, session.code)
    assert finished_states(server, session) == {code: ("finished", True)}


def test_participant_with_another_game_is_not_finished(server):
    session = server.create_session("ttt_second", 1, MaxRounds="1")
    (code,) = session.participants
    visitor = Visitor(server, code)
    while visitor.app == "triangle":
        advance(server, session.code)
        assert finished_states(server, session) == {code: ("", False)}
        visitor.open_start_link()
    play_to_the_end(server, code)
    assert finished_states(server, session) == {code: ("finished", True)}
