"""Plays Challenge in a browser; the player knows the newest view."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harnesses import GAMES
from player import Player, Point
from playwright.sync_api import Locator, expect
from server_fixture import LabServer
from wire import Wire

EDGE = 12  # px of a card that no other card covers

SHOWN = """() => {
    const all = selector => [...document.querySelectorAll(`#board ${selector}`)];
    const cards = where => all(`${where} .card[data-card]`).map(card => card.dataset.card);
    return {
        hand: cards("#hand-near"),
        other: cards("#hand-far"),
        backs: all("#hand-far .card:not([data-card])").length,
        table: cards(".table-pile"),
        turn: all(".seat-label[data-turn]").map(plate => plate.id.slice(6)),
    };
}"""


def seen(view: dict[str, Any], over: bool) -> dict[str, Any]:
    """Returns what the page must show of a view."""
    far = next(seat for seat in view["hands"] if seat != view["seat"])
    waits = view["waiting_for"] if view["asked"] else [view["turn"]]
    return {
        "hand": view["hand"],
        "other": view["other"] or [],
        "backs": view["hands"][far] if view["other"] is None else 0,
        "table": view["table"],
        "turn": []
        if over or view["ended"]
        else ["near" if seat == view["seat"] else "far" for seat in waits],
    }


class ChallengePlayer(Player):
    """Plays one participant of Challenge; ``state`` is the newest message with a view."""

    app = "challenge_app"
    name_in_url = "challenge"
    right_answers = GAMES["challenge"].harness.ANSWERS

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state: dict[str, Any] = {}
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._hear))

    def _hear(self, frame: str | bytes) -> None:
        message = json.loads(frame)
        if isinstance(message, dict) and "view" in message:
            self.state = message

    @property
    def view(self) -> dict[str, Any]:
        return self.state["view"]

    @property
    def over(self) -> bool:
        return self.state["over"] is not None

    def to_the_hand(self) -> ChallengePlayer:
        """Opens the game, past the instructions, and waits until it is live; for sessions without a check."""
        self.pass_the_instructions()
        self.arrive()
        self.expect_page("Hand")
        self.expect_live()
        return self

    def expect_board(self) -> None:
        """Waits until the page shows the newest view."""
        assert self._waits_for(lambda: self.page.evaluate(SHOWN) == seen(self.view, self.over), 600)

    def expect_new_cards(self) -> None:
        """Waits until the cards have been dealt again."""
        assert self._waits_for(lambda: self.view["moves"] == 0, 200)
        self.expect_board()

    def expect_held(self, wire: Wire, messages: int) -> None:
        """Waits until the wire holds back this many messages of the server."""
        assert self._waits_for(lambda: len(wire.waiting) >= messages, 600)

    def expect_turn(self) -> None:
        """Waits until the computer has answered, so that it is this player's turn or the game is over."""
        assert self._waits_for(lambda: self.over or self.view["seat"] in self.view["waiting_for"], 200)
        self.expect_board()

    def expect_status(self, words: str) -> None:
        expect(self.page.locator("#status")).to_contain_text(words)

    def expect_news(self, words: str) -> None:
        expect(self.page.locator("#news")).to_contain_text(words)

    def at(self, place: str) -> Locator:
        return self.page.locator(f'[data-place="{place}"]')

    def point(self, card: str) -> Point:
        """Returns a point of a card that no other card covers, at its upper left corner."""
        self.at(card).scroll_into_view_if_needed()
        box = self.at(card).bounding_box()
        return Point(box["x"] + EDGE, box["y"] + EDGE)

    # ---------------------------------------------------------------- legal actions

    def greedy(self) -> str:
        """Returns the lowest card that may be played, otherwise a pick-up."""
        plays = [action for action in self.view["may"] if action.startswith("play ")]
        return plays[-1] if plays else "pick up"

    def do(self, action: str, way: str = "tap") -> None:
        """Plays a card by tap or drag, or picks up by the button; waits for the computer's answer.

        A quick second tap on one spot counts as half of a double click, so the gesture is repeated if needed.
        """
        number = self.state["next"]
        for _try in range(10):
            if action == "pick up":
                self.pointer.tap(self.middle(self.page.locator("#pick-up")))
            elif way == "drag":
                self.pointer.drag(self.point(action[5:]), self.middle(self.at("table")))
            else:
                self.pointer.tap(self.point(action[5:]))
            if self._waits_for(lambda: self.state["next"] > number, 12):
                break
        self.expect_turn()

    def expect_answered(self, number: int) -> None:
        """Waits until the action of this number was accepted and the computer has acted after it."""
        assert self._waits_for(lambda: self.state["next"] > number, 200)
        self.expect_turn()

    def _waits_for(self, happens: Callable[[], bool], times: int) -> bool:
        """Polls a condition every 50 ms, at most ``times`` times; returns whether it came true."""
        for _time in range(times):
            if happens():
                return True
            self.page.wait_for_timeout(50)
        return happens()

    def type(self, text: str) -> None:
        """Types a command into the command line."""
        line = self.page.locator("#typed")
        line.fill(text)
        line.press("Enter")


def with_deal(server: LabServer, name: str, *deals: str) -> str:
    """Writes a deal file on the server; returns its name."""
    (server.folder / "deals" / "challenge").mkdir(exist_ok=True)
    (server.folder / "deals" / "challenge" / name).write_text("\n".join(deals) + "\n", "utf-8")
    return name
