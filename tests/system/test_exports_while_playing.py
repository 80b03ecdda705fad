"""Tests that nothing is lost during heavy play with concurrent exports and new sessions.

oTree shares one database connection among all of these, even with threads that do not hold its lock. The
rollback of one can therefore undo uncommitted changes of another (cardlab.live.record_store).
"""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from exported_hands import hands_by_participant
from server_fixture import LabServer
from tabs import Visitor, create_by_form

PLAYERS = 3
ROUNDS = 5
EXPORTS = ("custom_export", "custom_export_hands", "custom_export_ck_log", "custom_export_transform")


@pytest.fixture(params=["sqlite", "postgresql"])
def any_server(request, tmp_path):
    """Provides a server on each of the two databases in turn."""
    if request.param == "sqlite":
        yield request.getfixturevalue("server")
        return
    with LabServer(tmp_path / "card_lab", request.getfixturevalue("postgres").new_database()) as server:
        yield server


def play_hard(server: LabServer, code: str, enough: threading.Event) -> tuple[dict[int, list[str]], int]:
    """Plays until ``enough`` is set; returns the accepted actions by hand, and the number of failed saves."""
    chance, visitor = random.Random(code), Visitor(server, code)
    tab = visitor.sit_down()
    played: dict[int, list[str]] = {tab.state["hand"]: []}
    unsaved = 0
    while not enough.is_set():
        action, number = chance.choice("UCNP"), tab.state["next"]
        message = tab.send_action(action)
        if "view" not in message:  # "could not be saved": the next response shows if it was
            unsaved += 1
            while "view" not in message:
                message = tab.send_action("no move")
        if message["next"] > number:
            played[message["hand"]].append(action)
        if message["over"]:
            tab = visitor.next_hand()
            played[tab.state["hand"]] = []
    return played, unsaved


def export_everything(server: LabServer, session: str) -> None:
    for _ in range(ROUNDS):
        for function in EXPORTS:
            server.export(session, function=function)  # raises if the status is not 200
        server.api(f"/api/export_wide?session_code={session}")


def watch_the_data_tab(server: LabServer, session: str) -> None:
    """Polls the Data page as an open browser does."""
    for _ in range(4 * ROUNDS):
        server.api(f"/session_data/{session}")


def make_sessions(server: LabServer) -> None:
    for _ in range(ROUNDS):
        assert "session_url" in create_by_form(server, "ttt_demo", 2)
        assert "no such show file" in create_by_form(server, "ttt_demo", 2, ShowFileName="none.txt")["error"]


@pytest.mark.long("the same as on SQLite", only="postgresql")
def test_no_accepted_action_is_lost(any_server):
    server = any_server
    session = server.create_session("ttt_static_422", PLAYERS, MaxRounds="100", check=False, practice_hands=0)
    enough = threading.Event()
    with ThreadPoolExecutor() as threads:
        playing = [threads.submit(play_hard, server, code, enough) for code in session.participants]
        extra_sessions = [
            threads.submit(export_everything, server, session.code),
            threads.submit(export_everything, server, session.code),
            threads.submit(watch_the_data_tab, server, session.code),
            threads.submit(make_sessions, server),
        ]
        try:
            for work in extra_sessions:
                work.result()
        finally:
            enough.set()
        outcomes = [work.result() for work in playing]
    exported = hands_by_participant(server, session.code)
    for code, (played, unsaved) in zip(session.participants, outcomes, strict=True):
        for hand, actions in played.items():
            assert list(exported[code, hand].moves) == actions
            assert exported[code, hand].final_state().sequence == "".join(actions)
        assert unsaved == 0
    server.api("/api/export_wide")  # fails if a new session lacks a row
