"""The server is killed again and again while two play each other: what was answered is there, once."""

from __future__ import annotations

import contextlib
import random
import threading
from typing import Any

import requests
from matrix_tables import create, legal
from played import complaints, hands_by_id
from server_fixture import LabServer, wait_for
from tabs import Gone, Tab, Visitor

KILLS = 4


class Player(threading.Thread):
    """A participant who plays on whatever happens to the server, and remembers what was played."""

    def __init__(self, server: LabServer, code: str):
        super().__init__(daemon=True)
        self.server, self.code = server, code
        self.chance = random.Random(code)
        self.seat = ""
        self.played: list[str] = []  # as answers told, or the board after a kill
        self.in_flight: tuple[int, str, str] | None = None  # number, action, message
        self.swallowed = 0  # answers that a kill swallowed, though the action had been played
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            over = False
            while not over:
                with contextlib.suppress(*Gone, requests.RequestException):
                    over = self.play_while_it_lasts()
        except BaseException as failure:  # noqa: BLE001 the test raises it
            self.failure = failure

    def play_while_it_lasts(self) -> bool:
        visitor = Visitor(self.server, self.code)
        tab = visitor.sit_down()
        self.seat = tab.state["view"]["seat"]
        self.look_what_came_of_it(tab)
        while tab.state["over"] is None:
            if actions := legal(tab.state["view"]):
                action = self.chance.choice(actions)
                self.in_flight = tab.state["next"], action, tab.message(action)
                tab.send(self.in_flight[2])
                self.hear_the_answer(tab)
            else:
                tab.hear()
        tab.close()
        return True

    def look_what_came_of_it(self, tab: Tab) -> None:
        """Coming back: was the action in flight played? If not, it is sent again as it was."""
        if not self.in_flight:
            return
        number, action, message = self.in_flight
        if tab.state["next"] == number:
            tab.send(message)
            self.hear_the_answer(tab)
        else:
            self.swallowed += 1
            self.took(action)

    def hear_the_answer(self, tab: Tab) -> None:
        number, action, _message = self.in_flight
        said: dict[str, Any] = tab.hear()
        while said["next"] == number:  # what the other did in the meantime
            assert "refused" not in said, said
            said = tab.hear()
        self.took(action)

    def took(self, action: str) -> None:
        self.played.append(action)
        self.in_flight = None


def test_kills_while_both_play(tmp_path):
    with LabServer(tmp_path / "card_lab") as server:
        session = create(server, gather_seconds=0)
        players = [Player(server, code) for code in session.participants]
        for player in players:
            player.start()

        def played() -> int:
            for player in players:
                if player.failure:
                    raise player.failure
            return sum(len(player.played) for player in players)

        chance = random.Random(1)
        for _kill in range(KILLS):
            enough = played() + chance.choice((0, 1, 2, 3, 6))
            wait_for(lambda enough=enough: played() >= enough, "play to go on")
            server.kill9()
            server.start()
        for player in players:
            player.join(60)
            assert not player.is_alive()
        played()
        (game,) = hands_by_id(server, session.code).values()
        assert game.ends == ["completed"]
        assert len(game.replayed().turns) == 22
        for player in players:
            assert game.of(player.seat) == player.played
        assert complaints(server) == []
