"""Tests the links, parameters and bonus file of recruiting services."""

from __future__ import annotations

import csv
import json
from urllib.parse import urlencode

import pytest
import requests
from tabs import Socket, Tab, Visitor

PROLIFIC = {"PROLIFIC_PID": "5f0c_ABC-1", "STUDY_ID": "60d1", "SESSION_ID": "6a2f"}


@pytest.fixture
def browser():
    with requests.Session() as one:
        one.trust_env = False
        yield one


def in_room(server, participants=3, **fields):
    return server.create_session("ttt_demo", participants, room_name="open", check=False, **fields)


def come(browser, server, **parameters):
    """Opens the open room's link and starts; returns the address of the first page."""
    page = browser.get(f"{server.url}/room/open?{urlencode({**parameters, 'welcome_page_ok': 1})}")
    assert page.status_code == 200, page.text[:300]
    return page.url


def participants(server, session):
    """Returns the rows of the table of participants by label, for those who arrived."""
    rows = csv.DictReader(server.export(session.code, function="custom_export_participants").splitlines())
    return {row["participant_label"]: row for row in rows if row["came_utc"]}


def test_parameters_of_prolific_are_kept(server, browser):
    session = in_room(server)
    first = come(browser, server, **PROLIFIC)
    other_session = {**PROLIFIC, "SESSION_ID": "other"}
    assert come(browser, server, **other_session) == first, "a returning visitor gets the same seat"
    with requests.Session() as other:
        other.trust_env = False
        forged = {"PROLIFIC_PID": "=1+1", "STUDY_ID": "<b>", "SESSION_ID": "x" * 65}
        assert come(other, server, **forged, participant_label="me", extra="1") != first
    rows = participants(server, session)
    assert {*rows} == {"5f0c_ABC-1", "me"}
    assert json.loads(rows["5f0c_ABC-1"]["link_parameters"]) == PROLIFIC
    assert rows["me"]["link_parameters"] == ""


def test_bonus_file_has_no_fee(server):
    session = server.create_session(
        *("ttt_demo", 3),
        **{"check": False, "MaxRounds": "1", "payoff_base": 1000, "participation_fee": 5},
        real_world_currency_per_point=0.001,
        completion_url="https://uni.sona-systems.com/webstudy_credit.aspx?experiment_id=7&credit_token=4e4&survey_code={label}",
    )
    played, came, nameless = session.participants
    Visitor(server, came, "123")
    for code, label in ((played, "4321"), (nameless, None)):
        visitor = Visitor(server, code, label)
        visitor.walk_to("Hand")
        while visitor.name == "Hand":
            with Tab(server, code, visitor.index) as tab:
                tab.send_action("P")
            visitor.send()
        if label:
            assert "experiment_id=7&amp;credit_token=4e4&amp;survey_code=4321" in visitor.page.text
    bonuses = server.api(f"/cardlab/payments/{session.code}/bonuses.csv").decode()
    assert bonuses.splitlines() == ["4321,3.00"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"leave_button": "paid", "left_code": "LEFT-1"}, "LEFT-1"),
        ({"leave_button": "unpaid", "left_code": "LEFT-1", "refused_code": "NO-1"}, "LEFT-1"),
        ({"leave_button": "unpaid", "refused_code": "NO-1"}, "NO-1"),
        ({"leave_button": "paid", "completion_code": "DONE-1"}, "DONE-1"),
    ],
)
def test_leaving_has_its_own_code(server, fields, code):
    session = server.create_session("ttt_demo", 1, check=False, **fields)
    visitor = Visitor(server, session.participants[0])
    with Socket(server, f"/here/{visitor.code}") as page:
        page.send(json.dumps({"leave": True}))
        while "auto_advanced" not in page.receive():
            pass
    visitor.open_start_link()
    assert visitor.name == "OutOfRangeNotification"
    assert code in visitor.page.text
