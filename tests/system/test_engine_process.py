"""Tests the engine process: the computer moves despite kills, and the process ends with the server."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from exported_hands import hands_by_id
from server_fixture import LabServer, wait_for
from tabs import Tab, Visitor

from cardlab.games.contract import OUTCOMES

SLOW = {"depth": 20, "nodes": 600_000}  # takes one or two seconds per move


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab") as running:
        yield running


class Player:
    """A participant at the first game of a session."""

    def __init__(self, server: LabServer, **fields):
        self.server = server
        fields = {"check": False, "games": 1, "dealer": "computer", **fields}
        self.session = server.create_session("challenge_hard", 1, **fields)
        self.visitor = Visitor(server, self.session.participants[0])
        self.index = self.visitor.walk_to("Hand")
        self.open_start_link()

    def open_start_link(self):
        self.tab = Tab(self.server, self.visitor.code, self.index)

    def play_until_the_computer_moves(self):
        """Plays until it is the computer's turn."""
        while self.tab.state["view"]["waiting_for"] != ["N"]:
            self.tab.act(self.tab.state["view"]["may"][0])

    def wait_for_the_computer(self):
        self.tab.until(lambda message: message["over"] or message["view"]["waiting_for"] == ["S"])

    def record(self):
        (hand,) = hands_by_id(self.server, self.session.code, "challenge_app").values()
        return hand


def processes(of, wanted):
    """Returns the child processes of ``of`` whose command contains ``wanted``."""
    ps = ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="]
    lines = subprocess.run(ps, capture_output=True, text=True, check=True).stdout.splitlines()
    found = (line.split(maxsplit=2) for line in lines)
    return [int(pid) for pid, parent, args in found if int(parent) == of and wanted in args]


def searching(server):
    """Returns the engine process once it exists."""
    return wait_for(lambda: processes(server.process.pid, "spawn_main"), "a process that searches")[0]


def lives(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_whole_game_is_played_against_the_computer(server):
    player = Player(server, size=4)
    message = player.tab.first
    while message["over"] is None:
        player.play_until_the_computer_moves()
        player.wait_for_the_computer()
        message = player.tab.state
    hand = player.record()
    assert OUTCOMES[message["over"]].is_regular
    assert hand.actions_of("N")
    assert {row["client_ms"] for row in hand.accepted_rows if row["seat"] == "N"} == {""}
    assert hand.notes("unsearched") == []


def test_engine_moves_once_despite_kills(server):
    player = Player(server, **SLOW)
    player.play_until_the_computer_moves()
    worker = searching(server)
    os.kill(worker, signal.SIGKILL)
    player.wait_for_the_computer()
    another = searching(server)
    assert another != worker
    assert "Another one is being started" in server.take_log()

    player.play_until_the_computer_moves()
    message = player.tab.state
    os.kill(server.process.pid, signal.SIGKILL)  # only this process, as when memory runs out
    wait_for(lambda: not lives(another), "the search to end with the server")
    server.kill9()
    server.start()
    player.open_start_link()
    assert player.tab.first["next"] == message["next"]
    player.wait_for_the_computer()
    hand = player.record()
    assert len(hand.accepted_rows) == player.tab.state["view"]["moves"]
    assert [number for number, _action in hand.numbered_actions] == list(
        range(1, len(hand.accepted_rows) + 1)
    )
    assert hand.notes("unsearched") == []

    player.play_until_the_computer_moves()
    last = searching(server)
    os.kill(server.process.pid, signal.SIGTERM)
    server.process.wait(10)
    wait_for(lambda: not lives(last), "the search to end with the server")
    server.stop()
    assert "Traceback" not in server.take_log()
    server.start()


def test_an_adaptive_computer_follows_the_results(server):
    player = Player(server, size=4, games=3, computer="adaptive", level=8)
    player.visitor.sit_down().act("resign")
    player.visitor.next_hand().act("resign")
    player.visitor.next_hand()
    hands = hands_by_id(server, player.session.code, "challenge_app").values()
    assert [hand.settings["level"] for hand in hands] == [8, 3, 2]
