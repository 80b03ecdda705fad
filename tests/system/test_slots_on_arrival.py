"""Tests sessions that begin without slots: one for each visitor, and partners in order of readiness."""

import csv
import io
import re
import time

import pytest
import requests
from server_fixture import wait_for
from tabs import Socket, Visitor

LIMIT = 2  # seconds; nobody waits longer


@pytest.fixture
def open_session(server):
    """Provides a function that creates sessions without slots, for at most ``most`` participants."""

    def create(config, most, **fields):
        session = server.create_session(config, most, **{"slots": "on_arrival", "check": False, **fields})
        assert session.participants == []
        return session

    return create


def link_of(server, session):
    ((code,),) = server.query("SELECT _anonymous_code FROM otree_session WHERE code = ?", session.code)
    return f"{server.url}/join/{code}"


def visit(server, session, label=None):
    """Opens the session's link in a new browser; returns the visitor."""
    with requests.Session() as http:
        http.trust_env = False
        page = http.get(link_of(server, session), params={"participant_label": label} if label else None)
        assert page.status_code == 200, page.text
        code = re.search(r"/p/(\w{8})/", page.url)[1]
        return Visitor(server, code, cookies=http.cookies)


def slots(server, session):
    rows = "SELECT p.id_in_session FROM otree_participant p JOIN otree_session s ON s.id = p.session_id "
    return [number for (number,) in server.query(f"{rows} WHERE s.code = ? ORDER BY 1", session.code)]


def groups(server, session):
    """Returns the participants' numbers in each group that has a hand."""
    found = server.query(
        "SELECT g.id, p.id_in_session FROM matrix_game_app_player y "
        "JOIN matrix_game_app_group g ON g.id = y.group_id "
        "JOIN otree_participant p ON p.id = y.participant_id JOIN otree_session s ON s.id = p.session_id "
        "WHERE s.code = ? AND y.round_number = 2 AND y.seat != ''",
        session.code,
    )
    by_group = {each: frozenset(number for group, number in found if group == each) for each, _n in found}
    return {*by_group.values()}


def test_each_visitor_gets_a_slot(server, open_session):
    session = open_session("triangle_hard", 3, own_deals=True, hands=2, late_code="TOO-LATE")
    whole = server.create_session("triangle_hard", 3, check=False, own_deals=True, hands=2)
    boards = []
    for count in (1, 2, 3):
        visitor = visit(server, session, label=f"label-{count}")
        assert slots(server, session) == [*range(1, count + 1)]
        again = visitor.http.get(link_of(server, session), params={"participant_label": f"label-{count}"})
        assert f"/p/{visitor.code}/" in again.url
        boards.append(visitor.sit_down().state["view"])
    assert slots(server, session) == [1, 2, 3]
    assert boards == [Visitor(server, code).sit_down().state["view"] for code in whole.participants]
    full = requests.get(link_of(server, session), proxies={})
    assert "All seats are taken" in full.text
    assert "TOO-LATE" in full.text


@pytest.mark.parametrize("slots_are_made", ["on_arrival", "fixed"])
def test_late_visitor_uses_no_slot(server, slots_are_made):
    fields = {"late_after_minutes": 0.0001, "late_code": "TOO-LATE", "hands": 2, "own_deals": True}
    session = server.create_session("triangle_hard", 3, check=False, slots=slots_are_made, **fields)
    first = visit(server, session, label="first")
    for label in ("late", None):
        query = {"participant_label": label} if label else None
        late = requests.get(link_of(server, session), params=query, proxies={})
        assert "The others have already begun" in late.text
        assert "TOO-LATE" in late.text
    again = first.http.get(link_of(server, session), params={"participant_label": "first"})
    assert f"/p/{first.code}/" in again.url
    arrived = (
        "SELECT count(*) FROM otree_participant WHERE time_started_utc IS NOT NULL AND _session_code = ?"
    )
    assert server.query(arrived, session.code) == [(1,)]


def test_more_visitors_can_be_let_in(server, open_session):
    session = open_session("matrix_two", 2)
    visit(server, session)
    visit(server, session)
    assert (
        server.api(f"/api/slots/{session.code}", {"slots": 2}) == b'{"num_participants":4,"participants":[]}'
    )
    third = visit(server, session)
    assert slots(server, session) == [1, 2, 3]
    assert third.name == "Instructions"


def test_those_who_are_ready_play_together(server, open_session):
    """Nobody waits for visitors who have only opened the link."""
    session = open_session("matrix_two", 20, games=1)
    visitors = [visit(server, session) for _number in range(5)]
    second, fifth = visitors[1], visitors[4]
    fifth.walk_to("Gather", "Hand")
    assert fifth.name == "Gather"
    second.walk_to("Gather", "Hand")
    fifth.open_start_link()
    assert (second.name, fifth.name) == ("Hand", "Hand")
    first = visitors[0]
    first.walk_to("Gather", "Hand")
    assert first.name == "Gather"
    visit(server, session).walk_to("Hand")
    first.open_start_link()
    assert first.name == "Hand"
    assert groups(server, session) == {frozenset({2, 5}), frozenset({1, 6})}


def test_nobody_waits_longer_than_promised(server, open_session):
    """This holds even while somebody with an open page might still come."""
    session = open_session("matrix_two", 20, games=1, gather_seconds=LIMIT, no_shows="robot")
    one, other = visit(server, session), visit(server, session)
    assert other.name == "Instructions"
    one.walk_to("Gather", "Hand")
    assert "You wait at most 2 seconds." in one.page.text
    one.wait_for_group()
    assert one.name == "Hand"
    assert groups(server, session) == {frozenset({1})}


def test_nobody_waits_for_visitors_of_closed_session(server, open_session):
    fields = {"gather_seconds": 1000, "no_shows": "robot", "late_after_minutes": 0.0001}
    one = visit(server, open_session("matrix_two", 20, games=1, **fields))
    one.walk_to("Gather", "Hand")
    assert one.name == "Hand"


def test_waiting_for_nobody_is_paid(server, open_session):
    session = open_session(
        *("matrix_two", 20),
        **{"gather_seconds": LIMIT, "no_shows": "leave", "waiting_fee_per_minute": 60.0},
        **{
            "waiting_code": "WAITED",
            "completion_code": "DONE",
            "participation_fee": 7.0,
            "pay_rounding": 0.01,
        },
    )
    one = visit(server, session, label="A1")
    one.walk_to("Gather", "Hand")
    assert "If nobody is free to play with you by then, the study ends for you." in one.page.text
    assert "€60.00 for each minute of waiting, instead of €7.00 for taking part." in one.page.text
    one.wait_for_group()
    assert "WAITED" in one.page.text
    assert "Nobody was free to play with you." in one.page.text
    assert "For waiting" in one.page.text
    assert "For taking part" not in one.page.text
    table = server.api(f"/api/payments/{session.code}").decode()
    (row,) = csv.DictReader(io.StringIO(table))
    assert row["status"] == "no partner"
    assert LIMIT <= float(row["total"]) < LIMIT + 5
    assert float(row["participation_fee"]) == 0
    export = server.export(session.code, "matrix_game_app", "custom_export_participants")
    (row,) = csv.DictReader(io.StringIO(export))
    assert row["ended_early"] == "no partner"


def test_pages_of_an_empty_session_open(server, open_session):
    """The researcher can open them before anybody has arrived."""
    session = open_session("ttt_static_422", 5)
    with requests.Session() as http:
        http.trust_env = False
        for page in (
            *("SessionStartLinks", "SessionMonitor", "SessionData", "SessionPayments", "SessionDescription"),
            *("SessionEditProperties", "cardlab/slots"),
        ):
            answer = http.get(f"{server.url}/{page}/{session.code}")
            assert answer.status_code == 200, (page, answer.status_code)
    assert "participant" in server.export(session.code, "ttt_solo_app", "custom_export_participants")


def test_treatment_of_the_lost_is_offered_again(server, open_session):
    """A participant counts as lost some time after closing the browser, even if not marked as dropped out."""
    session = open_session("ttt_familiar_422_442", 10, lost_after_minutes=0.01)
    visit(server, session)
    requested = (
        "SELECT p._last_request_timestamp FROM otree_participant p "
        "JOIN otree_session s ON s.id = p.session_id WHERE s.code = ?"
    )
    ((lost_at,),) = server.query(requested, session.code)
    wait_for(lambda: time.time() > lost_at + 1, "the end of the minutes")
    second = visit(server, session)
    with Socket(server, f"/here/{second.code}", dict(second.http.cookies)):
        third = visit(server, session)
    export = server.export(session.code, "ttt_solo_app", "custom_export_participants")
    treatments = [row["treatment"] for row in csv.DictReader(io.StringIO(export))]
    assert treatments[1] == treatments[0] != treatments[2], (second.code, third.code)
