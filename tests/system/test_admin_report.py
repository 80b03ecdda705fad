"""Tests the Report tab: access, drawing during play, and cleaning up."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import requests
from server_fixture import LabServer, wait_for
from tabs import Visitor, open_first_hand

APP = "ttt_solo_app"
PASSWORD = "password of the tests"
ENDLESS = "import threading\nthreading.Event().wait()\n"


def reporting(folder: Path, database_url: str | None = None, **environment: str) -> LabServer:
    """Provides a server with a login and a separate folder for temporary files."""
    (folder / "temporary").mkdir(parents=True)
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    own = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "temporary"))
    return LabServer(folder / "card_lab", database_url, {**study, **own, **environment})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with reporting(tmp_path_factory.mktemp("server")) as running:
        yield running


class Researcher:
    """A researcher's client; it logs in unless ``known`` is False."""

    def __init__(self, server: LabServer, known: bool = True):
        self.server, self.http = server, requests.Session()
        self.http.trust_env = False
        if known:
            login = f"{server.url}/login"
            token = dict(re.findall(r'name="(\w+)" value="(\d+)"', self.http.get(login).text))
            form = {**token, "username": "admin", "password": PASSWORD}
            assert self.http.post(login, data=form).url.endswith("/demo")

    def ask(self, session: str, method: str = "GET", file: str = "", app: str = APP) -> requests.Response:
        address = f"{self.server.url}/cardlab/report/{session}/{app}{file}"
        return self.http.request(method, address, allow_redirects=False)

    def draw(self, session: str, app: str = APP) -> dict[str, Any]:
        """Draws a report; returns its state once drawing has ended."""
        state = self.ask(session, "POST", app=app).json()
        assert state["under_way"], state
        return self.drawn(session, app)

    def drawn(self, session: str, app: str = APP) -> dict[str, Any]:
        def over():
            state = self.ask(session, app=app).json()
            return not state["under_way"] and state

        return wait_for(over, "the report")


@pytest.fixture(scope="module")
def researcher(server):
    return Researcher(server)


def left_behind(server: LabServer) -> list[Path]:
    return list((server.folder.parent / "temporary").glob("card-lab-report-*"))


def drawing_processes(session: str) -> list[str]:
    """Returns the processes that draw a report of the session, if /proc is available."""
    pids = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = process.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended meanwhile
        if "cardlab.admin.report_worker" in arguments and session in arguments:
            pids.append(process.parent.name)
    return pids


def test_visitor_is_redirected_to_the_login(server):
    session, stranger = server.create_session("ttt_demo"), Researcher(server, known=False)
    for method, file in (("POST", ""), ("GET", ""), ("GET", "/report.html")):
        answer = stranger.ask(session.code, method, file)
        assert (answer.status_code, answer.headers["location"]) == (302, "/login")
    assert drawing_processes(session.code) == []


@pytest.mark.parametrize(
    ("config", "app"),
    [("ttt_demo", APP), ("matrix_robot", "matrix_game_app"), ("triangle_learning", "triangle_app")],
)
def test_each_app_has_a_report_tab(server, researcher, config, app):
    session = server.create_session(config)
    tab = researcher.http.get(f"{server.url}/AdminReport/{session.code}")
    assert tab.status_code == 200
    assert f'data-address="/cardlab/report/{session.code}/{app}"' in tab.text


@pytest.mark.parametrize(("session", "app"), [("abc", "no_app"), ("abc", "settings"), ("a-b", APP)])
def test_impossible_session_codes_are_rejected(researcher, session, app):
    assert researcher.ask(session, "POST", app=app).status_code == 404


def test_report_before_first_hand_explains_itself(server, researcher):
    session = server.create_session("ttt_demo")
    state = researcher.draw(session.code)
    assert state["words"].startswith("Nobody has started a hand yet.")
    assert state["as_of_ms"] is None
    assert researcher.ask(session.code, file="/report.html").status_code == 404
    assert left_behind(server) == []


def test_deleted_session_is_named(researcher):
    assert researcher.draw("gone")["words"] == "There is no session gone any more."


def test_a_report_is_drawn_while_hands_are_played(server, researcher):
    session = server.create_session("ttt_demo", 2, MaxRounds="1000")
    finished = Visitor(server, session.participants[0]).sit_down()
    finished.play("CTT")
    tab = open_first_hand(server, session.participants[1])
    before = time.time_ns() // 1_000_000
    state = researcher.ask(session.code, "POST").json()
    moves = 0
    while state["under_way"]:
        if moves < 200:  # keeps the record short
            assert "refused" not in tab.send_action("UP"[moves % 2])
            moves += 1
        state = researcher.ask(session.code).json()
    assert state["words"] == ""
    assert moves > 5
    assert before <= state["as_of_ms"] <= time.time_ns() // 1_000_000
    page = researcher.ask(session.code, file="/report.html")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<svg" in page.text
    assert researcher.ask(session.code, file="/actions.csv").status_code == 404  # an input, not served
    assert left_behind(server) == drawing_processes(session.code) == []


@pytest.mark.long("the same as on SQLite")
def test_report_works_on_postgresql(tmp_path, postgres):
    with reporting(tmp_path, postgres.new_database()) as server:
        session, researcher = server.create_session("ttt_demo"), Researcher(server)
        open_first_hand(server, session.participants[0]).play("CTT")
        state = researcher.draw(session.code)
        assert (state["words"], state["as_of_ms"] is None) == ("", False)
        assert "<svg" in researcher.ask(session.code, file="/report.html").text


def test_in_memory_server_refuses_reports(tmp_path):
    with reporting(tmp_path, OTREE_IN_MEMORY="1", OTREE_EPHEMERAL="1") as server:  # as in oTree's devserver
        state = Researcher(server).ask("abc", "POST").json()
    assert not state["under_way"]
    assert "lab.py run" in state["words"]


@pytest.mark.long("waits for processes to end")
def test_reports_are_serial_limited_and_end_with_server(tmp_path):
    server = reporting(tmp_path)
    (server.folder / "cardlab" / "analysis" / "__main__.py").write_text(ENDLESS, "utf-8")
    module = server.folder / "cardlab" / "admin" / "report_jobs.py"
    source = module.read_text("utf-8")
    module.write_text(source.replace("TIMEOUT = 300", "TIMEOUT = 10"), "utf-8")
    assert module.read_text("utf-8") != source
    with server:
        researcher = Researcher(server)
        sessions = [server.create_session("ttt_demo") for _ in range(2)]
        one, other = (session.code for session in sessions)
        for session in sessions:
            open_first_hand(server, session.participants[0]).play("C")
        researcher.ask(one, "POST")
        researcher.ask(other, "POST")
        researcher.ask(one, "POST")
        assert researcher.ask(other).json()["words"].startswith("Waiting for another report")
        assert len(left_behind(server)) == 1
        assert drawing_processes(other) == []
        assert "was stopped" in researcher.drawn(one)["words"]
        wait_for(
            lambda: researcher.ask(other).json()["words"].startswith("Drawing plots"), "the other's turn"
        )
        assert drawing_processes(one) == []
        assert len(left_behind(server)) == 1
        server.process.kill()
        wait_for(lambda: not drawing_processes(other), "the child process to end with its server")
        assert left_behind(server) == []
