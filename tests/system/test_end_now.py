"""Tests that the researcher ends the study: for groups, for one of a pair, and before the last game."""

from __future__ import annotations

import csv

import pytest
from exported_hands import hands_by_id
from matrix_table import MatrixTable, arrive, create_session, groups, together
from researcher import Researcher, study_server
from tabs import Visitor


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with study_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def end(researcher, *codes, place="results"):
    """Ends the study for participants; returns how many were moved."""
    answer = researcher.does("end", *codes, place=place)
    assert answer.status_code == 200, answer.text
    return answer.json()["people"]


def payments(server, session):
    """Returns the payment rows by participant code."""
    rows = csv.DictReader(server.api(f"/api/payments/{session.code}").decode().splitlines())
    return {row["participant_code"]: row for row in rows}


def statuses(server, session):
    people = "SELECT code, status FROM otree_participant WHERE _session_code = ?"
    return dict(server.query(people, session.code))


def last_rows(hand, number=2):
    return [f"{row['seat']} {row['action']}".strip() for row in hand.rows][-number:]


def test_everybody_gets_the_results(server):
    """One group has a paused member, one a disconnected member; another person waits for a partner."""
    session = create_session(server, 6, games=2, gather_seconds=1000, payoff_base=100)
    researcher = Researcher(server, session)
    assert researcher.does("end", session.participants[0], place="moon").status_code == 400
    assert researcher.does("end", place="end").status_code == 400
    stranger = Researcher(server, session, known=False)
    answer = stranger.http.post(f"{stranger.address}/end", allow_redirects=False)
    assert answer.headers["location"] == "/login"
    visitors = arrive(server, session.participants[:5])
    for visitor in visitors:
        visitor.open_start_link()
    assert sorted(visitor.name for visitor in visitors) == ["Gather", *["Hand"] * 4]
    pairs = [[visitors[number - 1] for number in sorted(group)] for group in groups(server, session)]
    tables = [MatrixTable(server, session, pair) for pair in pairs]
    for table in tables:
        table.play(3)
    tables[0].tabs[0].close()
    assert researcher.does("pause", pairs[1][0].code).json()["people"] == 2
    assert end(researcher, *session.participants) == 5
    assert end(researcher, *session.participants) == 0
    for visitor in visitors:
        visitor.open_start_link()
        assert visitor.name == "Results"
        assert "The session ends here" in visitor.page.text
    *arrived, never = session.participants
    assert statuses(server, session) == {**dict.fromkeys(arrived, "finished"), never: ""}
    assert not any(row["paused"] for row in researcher.rows().values())
    games = hands_by_id(server, session.code)
    assert len(games) == 2, "no game begins for anybody"
    for game in games.values():
        left, ended = last_rows(game)
        assert (left[1:], ended) == (" leave advanced", "end advanced")
    paid = payments(server, session)
    assert {row["status"] for row in paid.values()} == {"finished"}
    for row in tables[0].rows("custom_export_hands"):
        if row["participant_code"]:
            assert row["outcome"] == "advanced"
            assert float(paid[row["participant_code"]]["matrix_game_app_points"]) == 100 + float(row["score"])
    notices = csv.DictReader(researcher.http.get(f"{researcher.address}/notices.csv").text.splitlines())
    assert [row["text"] for row in notices if row["what"] == "ended"] == ["results"] * 5


def test_partner_plays_on_alone(server):
    """The partner waits in no game for the member at the results, who is paid only for the first."""
    table = together(server, games=2, payoff_base=100, partner_away_seconds=10_000)
    table.play(3)
    (gone, stays), session = table.players, table.session
    visitor = table.visitor(gone)
    assert end(Researcher(server, session), visitor.code) == 1
    visitor.open_start_link()
    assert visitor.name == "Results"
    alone = table.visitor(stays)
    for _game in range(2):
        table = MatrixTable(server, session, [alone])
        assert table.tabs[0].state["wait"]["away"]
        table.play_to_the_end()
        alone.send()
    assert alone.walk_to("Results")
    first, second = (hand for _id, hand in sorted(hands_by_id(server, session.code).items()))
    assert first.notes("leave advanced") == [gone]
    assert len(second.notes("leave stopped")) == 1
    paid = payments(server, session)[visitor.code]
    (row, later) = (
        row for row in table.rows("custom_export_hands") if row["participant_code"] == visitor.code
    )
    assert float(paid["matrix_game_app_points"]) == 100 + float(row["score"])
    assert (later["paid"], float(later["payoff"])) == ("0", 0)


def test_group_that_has_just_formed_leaves_together(server):
    """One member's board is loaded but not connected; the other is still on the waiting page."""
    session = create_session(server, payoff_base=100)
    visitors = arrive(server, session.participants)
    assert [visitor.name for visitor in visitors] == ["Gather", "Hand"]
    assert end(Researcher(server, session), *session.participants) == 2
    (hand,) = hands_by_id(server, session.code).values()
    assert [row["action"] for row in hand.rows] == ["leave stopped", "end advanced"]
    paid = [payments(server, session)[visitor.code]["matrix_game_app_points"] for visitor in visitors]
    assert [*map(float, paid)] == [0, 100]


@pytest.mark.parametrize("place", ["results", "end"])
def test_later_games_are_skipped(server, place):
    session = server.create_session("two_games", 2, check=False)
    researcher = Researcher(server, session)
    visitors = [Visitor(server, code) for code in session.participants]
    visitors[0].send(agreed="yes")
    visitors[0].sit_down()
    assert end(researcher, *session.participants, place=place) == 2
    for visitor in visitors:
        visitor.open_start_link()
        if place == "results":
            assert (visitor.app, visitor.name) == ("triangle", "Results")
            visitor.send()
            assert visitor.name == "Questions"
            assert end(researcher, visitor.code) == 0
        else:
            assert visitor.name == "OutOfRangeNotification"
    hands, later = (
        [*csv.DictReader(server.export(session.code, app, "custom_export_hands").splitlines())]
        for app in ("ttt_solo_app", "triangle_app")
    )
    assert ([row["outcome"] for row in hands], later) == (["advanced"], [])
    wanted = "" if place == "results" else "finished"
    assert set(statuses(server, session).values()) == {wanted}
