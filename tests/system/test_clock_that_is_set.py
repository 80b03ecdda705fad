"""Tests that setting the computer's clock ends no hand and is recorded."""

import time

import pytest
import requests
from exported_hands import export_rows, hands_by_participant, unexpected_log_lines
from researcher import PASSWORD, Researcher
from server_fixture import LabServer, wait_for
from tabs import Visitor

# Every Python process that finds this module runs it at startup; a file shifts the process's wall clock.
SITECUSTOMIZE = """
import os, time
_time, _time_ns = time.time, time.time_ns

def _shift():
    try:
        with open(os.environ["TEST_CLOCK"]) as file:
            return float(file.read())
    except (OSError, ValueError):
        return 0.0

time.time = lambda: _time() + _shift()
time.time_ns = lambda: _time_ns() + round(_shift() * 1e9)
"""


class SetServer(LabServer):
    """A server on a computer whose clock the test sets."""

    def __init__(self, folder, **environment):
        self.shift = folder / "shift.txt"
        path = folder / "site"
        path.mkdir()
        (path / "sitecustomize.py").write_text(SITECUSTOMIZE)
        super().__init__(
            folder / "card_lab",
            environment={"PYTHONPATH": str(path), "TEST_CLOCK": str(self.shift), **environment},
        )

    def set_clock(self, seconds):
        self.shift.write_text(str(seconds))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with SetServer(tmp_path_factory.mktemp("clock")) as running:
        yield running
    assert unexpected_log_lines(running) == []


@pytest.fixture(autouse=True)
def restored_clock(server):
    yield
    server.set_clock(0)


@pytest.mark.parametrize("seconds", [7200, -3600])
def test_clock_change_leaves_the_time_limit(server, seconds):
    session = server.create_session("ttt_demo", time_limit_seconds=300)
    code = session.participants[0]
    visitor = Visitor(server, code)
    tab = visitor.sit_down()
    tab.play("C")
    server.set_clock(seconds)
    tab.play("T")
    visitor.send(timeout_happened="1")  # as oTree's page does when its timer ends
    assert visitor.name == "Hand"
    assert "play to the end first" in visitor.page.text
    assert tab.play("T")["over"] == "solved"
    hand = hands_by_participant(server, session.code)[code, 1]
    assert hand.notes(f"clock {seconds:+}.0") == [""]
    row = export_rows(server, session.code, "custom_export_hands")[0]
    assert 0 < float(row["seconds"]) < 60
    assert row["shown_utc"] >= row["session_created_utc"]


def test_timeout_worker_uses_the_server_clock(server):
    session = server.create_session("ttt_demo", time_limit_seconds=300, participants=1)
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    server.set_clock(7200)
    short = server.create_session("ttt_demo", time_limit_seconds=1)
    other = Visitor(server, short.participants[0])
    other.sit_down()

    def closed():
        return [hand.outcomes for hand in hands_by_participant(server, short.code).values()] == [["timeout"]]

    wait_for(closed, "the worker to close the short hand")
    assert "refused" not in tab.send_action("C")
    assert hands_by_participant(server, session.code)[session.participants[0], 1].outcomes == []


def test_limits_end_after_clock_is_back(tmp_path):
    """Sets the clock back while the server is off: a hand ends by its limit, also after a pause."""
    with SetServer(tmp_path, OTREE_AUTH_LEVEL="STUDY", OTREE_ADMIN_PASSWORD=PASSWORD) as server:
        session = server.create_session("ttt_demo", time_limit_seconds=12, participants=2)
        seats = [Visitor(server, code) for code in session.participants]
        for visitor in seats:
            visitor.sit_down().play("C")
        researcher = Researcher(server, session)
        assert researcher.does("pause", session.participants[1]).json()["people"] == 1
        server.kill9()
        server.set_clock(-3600)
        server.start()

        def outcomes():
            hands = hands_by_participant(server, session.code)
            return [hands[code, 1].outcomes for code in session.participants]

        wait_for(lambda: outcomes() == [["timeout"], []], "the hand without a pause to end")
        assert Researcher(server, session).does("go_on", session.participants[1]).json()["people"] == 1
        wait_for(lambda: outcomes() == [["timeout"]] * 2, "the hand with a pause to end")
        rows = export_rows(server, session.code, "custom_export_hands")
        assert all(float(row["seconds"]) < 60 for row in rows if row["outcome"] == "timeout")
        assert unexpected_log_lines(server) == []


def test_session_closes_after_clock_is_back(tmp_path):
    """Sets the clock back while the server is off: the time until the session closes begins again."""
    with SetServer(tmp_path) as server:
        session = server.create_session("ttt_demo", late_after_minutes=0.1, participants=3)
        first, second, third = session.participants
        Visitor(server, first)
        server.kill9()
        server.set_clock(-3600)
        server.start()
        Visitor(server, second).sit_down().play("C")
        began = time.monotonic()
        wait_for(lambda: time.monotonic() - began > 7, "the session to close")
        page = requests.get(f"{server.url}/InitializeParticipant/{third}", timeout=60)
        assert "you cannot take part this time" in page.text
