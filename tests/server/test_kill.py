"""A server killed again and again while several people play: what was answered is there, once, in order.

Every player keeps the list of what was played: what an answer told, and, where a kill swallowed the
answer, what the board told afterwards. At the end that list is the hand in the export, action by action.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import threading

import requests
from played import complaints, hands, table
from server_fixture import LabServer, wait_for
from tabs import Gone, Tab, Visitor

KILLS = int(os.environ.get("CARD_LAB_KILLS", "100"))
KILLS_ON_POSTGRES = 10
PLAYERS = 4
MAX_ROUNDS = 40  # few, so that page after page is left and opened between the kills, too
SETTINGS = {"ShowFileName": "game422.txt", "MaxRounds": MAX_ROUNDS, "check": False, "practice_hands": 0}


class Player(threading.Thread):
    """A participant who plays on whatever happens to the server, and remembers what was played."""

    def __init__(self, server: LabServer, code: str):
        super().__init__(daemon=True)
        self.server, self.code = server, code
        self.chance = random.Random()
        self.answered: list[tuple[int, int, str]] = []  # hand, number, action of every answer received
        self.played: dict[int, list[str]] = {}  # hand -> its actions, as answers and boards told them
        self.in_flight: tuple[int, int, list[str], str] | None = None  # hand, number, actions, message
        self.swallowed = 0  # answers that a kill swallowed, though the action had been played
        self.enough = threading.Event()
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.enough.is_set():
                with contextlib.suppress(*Gone, requests.RequestException):
                    self.play_while_it_lasts()
                self.enough.wait(0.05)  # between two tries, or the starting server gets no processor
        except BaseException as failure:  # noqa: BLE001 the test raises it
            self.failure = failure

    def play_while_it_lasts(self) -> None:
        visitor = Visitor(self.server, self.code)
        tab = visitor.sit_down()
        self.look_what_came_of_it(tab)
        while not self.enough.is_set():
            if tab.state["over"]:
                tab = visitor.next_hand()
                self.look_what_came_of_it(tab)
            self.act(tab)
        tab.close()

    def look_what_came_of_it(self, tab: Tab) -> None:
        """Coming back: was the action in flight played? If not, it is sent again as it was."""
        hand, reached = tab.state["hand"], tab.state["next"]
        played = self.played.setdefault(hand, [])
        if self.in_flight:
            flew_to, number, actions, message = self.in_flight
            assert flew_to == hand
            if reached == number:
                tab.send(message)
                self.heard(tab.hear())
                return
            played += actions
            self.swallowed += 1
            self.in_flight = None
        assert reached == len(played) + 1 + (tab.state["over"] is not None)

    def act(self, tab: Tab) -> None:
        picks = [[f"pick {place}", tab.state["clock"]] for place in ("c", "up") if self.chance.random() < 0.2]
        action = self.chance.choice("UCNPQ")  # never T, which might end the hand early; Q is refused
        message = tab.message(action, traces=picks)
        actions = [*(name for name, _ms in picks), *([] if action == "Q" else [action])]
        self.in_flight = tab.state["hand"], tab.state["next"], actions, message
        tab.send(message)
        self.heard(tab.hear())

    def heard(self, said: dict) -> None:
        hand, number, actions, message = self.in_flight
        assert ("refused" in said) == (json.loads(message)["action"] == "Q"), said
        assert said["next"] == number + len(actions) + (said["over"] is not None)
        self.played[hand] += actions
        self.answered += [(hand, number + step, action) for step, action in enumerate(actions)]
        self.in_flight = None


def play_through_kills(server: LabServer, kills: int) -> None:
    """Kill the server so many times during play, then hold the exports against the players' memory."""
    session = server.create_session("ttt_demo", participants=PLAYERS, **SETTINGS)
    players = [Player(server, code) for code in session.participants]
    for player in players:
        player.start()
    chance = random.Random()

    def answers() -> int:
        for player in players:
            if player.failure:
                raise player.failure
        return sum(len(player.answered) for player in players)

    for _ in range(kills):
        enough = answers() + chance.choice((0, 1, 10, 50))
        wait_for(lambda enough=enough: answers() >= enough, "play to go on")
        server.kill9()
        server.start()
    enough = answers() + 20
    wait_for(lambda: answers() >= enough, "play to go on after the last kill")
    for player in players:
        player.enough.set()
    for player in players:
        player.join()
    answers()
    compare(server, session.code, players)
    assert complaints(server) == []


def compare(server: LabServer, session: str, players: list[Player]) -> None:
    exported = hands(server, session)
    told = {
        (row["participant_code"], int(row["hand"])): row
        for row in table(server, session, "custom_export_hands")
    }
    assert exported.keys() == told.keys()
    for player in players:
        for hand, number, action in player.answered:
            assert exported[player.code, hand].accepted.count((number, action)) == 1
        assert player.answered == sorted(player.answered, key=lambda answer: answer[:2])
        for hand, played in player.played.items():
            found = exported[player.code, hand]
            assert [action for _number, action in found.accepted] == played
            assert found.replayed().sequence == found.moves == told[player.code, hand]["sequence"]
            over = len(found.moves) == MAX_ROUNDS
            assert found.ends == (["failed"] if over else [])
            assert told[player.code, hand]["outcome"] == ("failed" if over else "open")


def test_kills_on_sqlite(tmp_path):
    with LabServer(tmp_path / "card_lab") as server:
        play_through_kills(server, KILLS)


def test_kills_on_postgresql(tmp_path, postgres):
    with LabServer(tmp_path / "card_lab", postgres.new_database()) as server:
        play_through_kills(server, KILLS_ON_POSTGRES)
