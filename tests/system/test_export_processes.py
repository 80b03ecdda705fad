"""Tests exports in a separate process: they contain every accepted action, even after crashes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from exported_hands import TARGET_APP, export_rows, hands_by_participant
from server_fixture import REST_KEY, LabServer, wait_for
from tabs import Visitor, open_first_hand

PASSWORD = "password of the tests"
OWN_EXPORTS = """

def custom_export_wrong(players):
    print("before it fails")
    raise LookupError("what a researcher has got wrong")


def custom_export_endless(players):
    import pathlib, threading

    pathlib.Path("endless.txt").write_text("begun")
    threading.Event().wait()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Provides a server with custom exports and a separate folder for temporary files."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "temporary").mkdir()
    own = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "temporary"))
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    server = LabServer(folder / "card_lab", environment={**own, **study})
    with open(server.folder / TARGET_APP / "__init__.py", "a", encoding="utf-8") as app:
        app.write(OWN_EXPORTS)
    with server:
        yield server


@pytest.fixture
def http():
    """Provides a browser."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


def processes(server: LabServer) -> list[int]:
    """Returns the process ids of this server's export workers."""
    ps = ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="]
    lines = subprocess.run(ps, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in lines if "cardlab.exports.worker" in line]
    folder = str(server.folder.parent)
    return [int(pid) for pid, _parent, state, *args in found if state[0] != "Z" and folder in args[-1]]


ENDLESS = f"app={TARGET_APP}&function_name=custom_export_endless"


def left_behind(server: LabServer) -> list[Path]:
    return [*(server.folder.parent / "temporary").rglob("*")]


def refused(server: LabServer, function: str) -> str:
    """Returns the error message of a custom export that fails."""
    with pytest.raises(urllib.error.HTTPError) as failure:
        server.api(f"/api/export_app_custom?app={TARGET_APP}&function_name={function}")
    assert failure.value.code == 500
    return failure.value.read().decode()


def test_accepted_actions_are_in_the_next_export(server):
    session = server.create_session("ttt_demo", MaxRounds="1000")
    tab = open_first_hand(server, session.participants[0])
    played = ""
    for number in range(5):
        move = "UP"[number % 2]
        assert "refused" not in tab.send_action(move)
        played += move
        (hand,) = hands_by_participant(server, session.code).values()
        assert hand.moves == played
        assert export_rows(server, session.code, "custom_export_hands")[0]["sequence"] == played
    assert len(processes(server)) == 1
    lowered = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)  # 19 is the lowest priority
    assert os.getpriority(os.PRIO_PROCESS, processes(server)[0]) == lowered


def test_new_pages_and_sessions_are_exported(server):
    for _again in range(2):
        session = server.create_session("ttt_demo", 2)
        Visitor(server, session.participants[0]).sit_down()
        (one, other) = export_rows(server, session.code, "custom_export_participants")
        assert (one["came_utc"] > "", other["came_utc"]) == (True, "")
        assert session.code in server.api("/api/export_wide").decode()
        assert f"{session.code},1,{session.participants[0]}" in server.api("/api/export_page_times").decode()
    server.api(f"/api/slots/{session.code}", {"slots": 1})
    assert len(export_rows(server, session.code, "custom_export_participants")) == 3


def test_authorization_is_checked_first(server, http):
    for path in ("wide", "app?app=settings", "app_custom?app=settings", "page_times", "chat"):
        assert http.get(f"{server.url}/api/export_{path}").status_code == 403
    for path in ("ExportWide", "ExportPageTimes", "ExportChat"):
        assert http.get(f"{server.url}/{path}").url == f"{server.url}/login"


def test_export_with_login_is_identical(server, http):
    session = server.create_session("ttt_demo")
    open_first_hand(server, session.participants[0]).play("C")
    token = dict(re.findall(r'name="(\w+)" value="(\d+)"', http.get(f"{server.url}/login").text))
    http.post(f"{server.url}/login", data={**token, "username": "admin", "password": PASSWORD})
    for login, key in (("ExportWide", "wide"), ("ExportPageTimes", "page_times"), ("ExportChat", "chat")):
        for query in ("", "?format=csv_bom", f"?session_code={session.code}"):
            answer = http.get(f"{server.url}/{login}{query}")
            assert answer.headers["content-type"] == "text/csv"
            name = answer.headers["content-disposition"]
            assert re.fullmatch(r'attachment; filename="\w+-[\d-]+\.csv"', name), name
            assert answer.content == server.api(f"/api/export_{key}{query}")
            assert answer.content.startswith(b"\xef\xbb\xbf") is (query == "?format=csv_bom")


def test_data_tab_links_to_the_sessions_export(server, http):
    sessions = [server.create_session("ttt_demo", 2) for _session in range(2)]
    token = dict(re.findall(r'name="(\w+)" value="(\d+)"', http.get(f"{server.url}/login").text))
    http.post(f"{server.url}/login", data={**token, "username": "admin", "password": PASSWORD})
    for session, other in (sessions, sessions[::-1]):
        tab = http.get(f"{server.url}/SessionData/{session.code}").text
        links = re.findall(r'href="(/ExportWide[^"]*)"', tab)
        assert len(links) == 2
        for link in links:
            exported = http.get(server.url + link)
            assert exported.headers["content-type"] == "text/csv"
            assert exported.text.count(f",{session.code},") == 2
            assert other.code not in exported.text
            assert exported.content.startswith(b"\xef\xbb\xbf") is ("csv_bom" in link)
    every = http.get(f"{server.url}/ExportWide").text
    assert all(session.code in every for session in sessions)
    with requests.Session() as stranger:
        stranger.trust_env = False
        assert stranger.get(server.url + links[0]).url == f"{server.url}/login"


def test_head_request_saves_page_times(server, http):
    session = server.create_session("ttt_demo")
    Visitor(server, session.participants[0]).sit_down()
    http.head(f"{server.url}/api/export_page_times", headers={"otree-rest-key": REST_KEY})
    kept = "".join(text for (text,) in server.query("SELECT text FROM otree_pagetimebatch"))
    assert f"{session.code},1,{session.participants[0]}" in kept


def test_failed_export_says_where_to_look(server):
    session = server.create_session("ttt_demo")
    server.export(session.code)
    before = processes(server)
    assert refused(server, "custom_export_wrong").startswith(
        "The export could not be written. For the reason"
    )
    server.export(session.code)
    assert processes(server) == before
    log = server.take_log()
    assert "before it fails" in log
    assert "LookupError: what a researcher has got wrong" in log
    assert log.count("Traceback") == 1


def test_killed_process_fails_the_current_export(server):
    session = server.create_session("ttt_demo")
    with ThreadPoolExecutor() as threads:
        pending = threads.submit(refused, server, "custom_export_endless")
        wait_for((server.folder / "endless.txt").exists, "the export to begin")
        (number,) = processes(server)
        os.kill(number, signal.SIGKILL)
        assert pending.result().startswith("The export could not be written.")
    assert left_behind(server) == []
    assert server.export(session.code).startswith("session_code,")
    assert processes(server) != [number]
    assert "ended (exit code -9)" in server.take_log()


def test_export_process_ends_with_the_server(server):
    server.api("/api/export_wide")
    wait_for(lambda: len(left_behind(server)) == 1, "the file to be removed, but not its folder")
    server.process.kill()
    wait_for(lambda: not processes(server), "the process to end with its server")
    assert left_behind(server) == []


def test_restart_removes_data_of_killed_processes(server):
    """The kill hits the server and its export process in the middle of an export."""
    server.stop()
    server.start()
    (server.folder / "endless.txt").unlink(missing_ok=True)
    with ThreadPoolExecutor() as threads:
        pending = threads.submit(server.api, f"/api/export_app_custom?{ENDLESS}")
        wait_for((server.folder / "endless.txt").exists, "the export to begin")
        other = tempfile.mkdtemp(prefix="card-lab-export-", dir=server.folder.parent / "temporary")
        os.killpg(server.process.pid, signal.SIGKILL)
        assert isinstance(pending.exception(), OSError)
    server.stop()
    assert [path.name for path in left_behind(server)].count("snapshot.sqlite3") == 1
    server.start()
    assert left_behind(server) == [Path(other)]  # another server's
    os.rmdir(other)
