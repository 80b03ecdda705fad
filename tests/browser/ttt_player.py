"""Plays Target the Two in a browser."""

from __future__ import annotations

from harnesses import GAMES
from player import Player
from playwright.sync_api import Locator, expect
from server_fixture import LabServer

# The tests' hands: C T T solves the first, T U P T the second. At first Ck may not exchange with Target.
SHOW_FILE = "browser.txt"
HANDS = """\
// order: LINEAR
C	Ck	UP	T	N	Nk	G	FirstMove
2H	3H	2C	4C	3C	4H	2H	ck
3H	2C	2H	4C	4H	3C	2H	ck
"""
FIRST = {"Ck": "3H", "T": "4C", "Nk": "4H", "C": None, "UP": "2C", "N": None}
SECOND = {"Ck": "2C", "T": "4C", "Nk": "3C", "C": None, "UP": "2H", "N": None}
FACE_DOWN = {**FIRST, "Ck": None, "Nk": None}  # the first hand with ViewCkNk FALSE

BOARD = """places => Object.fromEntries(places.map(
    place => [place.dataset.place, place.querySelector(".card").dataset.card ?? null]))"""

AT_REST = """() => document.getAnimations().length === 0
    && [...document.querySelectorAll("[data-place]")].every(
    place => {
        const [a, b] = [place, place.querySelector(".card")].map(it => it.getBoundingClientRect());
        return Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1;
    })"""


def with_show_file(server: LabServer) -> LabServer:
    """Writes the tests' hands on the server; returns the server."""
    (server.folder / "deals" / "ttt" / SHOW_FILE).write_text(HANDS, "utf-8")
    return server


class TargetPlayer(Player):
    """One participant of Target the Two."""

    app = "ttt_solo_app"
    name_in_url = "target"
    right_answers = GAMES["ttt"].harness.ANSWERS

    def to_the_hand(self) -> TargetPlayer:
        """Opens the first hand, past the instructions, and waits for it; for sessions without a check."""
        self.pass_the_instructions()
        self.arrive()
        self.expect_page("Hand")
        self.expect_live()
        return self

    def at(self, place: str) -> Locator:
        return self.page.locator(f"[data-place={place}]")

    def drag(self, start: str, end: str) -> None:
        """Drags the card of a place onto another place."""
        self.pointer.drag(self.middle(self.at(start)), self.middle(self.at(end)))

    def drag_to_nowhere(self, start: str) -> None:
        """Picks a card up and drops it outside the board."""
        self.pick_up(start)
        self.pointer.up()

    def pick_up(self, start: str) -> None:
        """Drags a card off the board, without dropping it."""
        self.pointer.hold(self.middle(self.at(start)), self.middle(self.page.locator(".powered-by-otree")))

    def tap(self, place: str) -> None:
        self.pointer.tap(self.middle(self.at(place)))

    def tap_pass(self) -> None:
        self.pointer.tap(self.middle(self.page.locator("#pass")))

    def press(self, *keys: str) -> None:
        """Presses keys, one move at a time, each after the previous one was answered."""
        for key in keys:
            before = self.moves_made()
            self.page.keyboard.press(key)
            self.expect_moves(before + 1)
            self.expect_nothing_unanswered()

    def board(self) -> dict[str, str | None]:
        """Returns the cards that lie face up, by place; None for those face down."""
        return self.page.eval_on_selector_all("#board [data-place]", BOARD)

    def moves_made(self) -> int:
        return int(self.page.locator("#moves-made").inner_text())

    def expect_moves(self, made: int) -> None:
        expect(self.page.locator("#moves-made")).to_have_text(str(made))

    def expect_turn(self, keeper: str) -> None:
        expect(self.page.locator("[data-turn]")).to_have_attribute("data-place", keeper)

    def expect_state(self, moves: int, turn: str, **cards: str | None) -> None:
        """Checks the number of moves, the player to move, and the cards that differ from the first deal."""
        self.expect_moves(moves)
        self.expect_turn(turn)
        assert self.board() == {**FIRST, **cards}

    def expect_at_rest(self) -> None:
        """Waits until every card is in its place and nothing moves."""
        self.wait_until(AT_REST)

    def actions(self, hand: int = 1) -> list[tuple[str, str]]:
        """Returns action and ``accepted`` of a hand's rows after the deal."""
        rows = [row for row in self.export() if row["hand"] == str(hand)]
        return [(row["action"], row["accepted"]) for row in rows[1:]]
