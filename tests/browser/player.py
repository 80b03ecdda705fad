"""A participant at a browser: opens the start link, plays with mouse, finger or keys, reads the page.

What Playwright's ``expect`` waits for, it waits for until its time limit; nothing here waits for seconds.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any, NamedTuple

from playwright.sync_api import Locator, Page, expect
from server_fixture import LabServer, LabSession

# The hands of the tests: C T T solves the first, T U P T the second. At first Ck may not into Target.
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

RIGHT = {"ck_into_target": "yes", "nk_into_target": "no", "who_is_next": "nk", "when_solved": "target"}

# Where a participant sits: what Playwright needs to know of the screen.
DESK = {"viewport": {"width": 1280, "height": 720}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}

BOARD = """places => Object.fromEntries(places.map(
    place => [place.dataset.place, place.querySelector(".card").dataset.card ?? null]))"""

AT_REST = """() => document.getAnimations().length === 0
    && [...document.querySelectorAll("[data-place]")].every(
    place => {
        const [a, b] = [place, place.querySelector(".card")].map(it => it.getBoundingClientRect());
        return Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1;
    })"""


def with_show_file(server: LabServer) -> LabServer:
    """The server, with the hands of the tests to choose from."""
    (server.folder / "deals" / "ttt" / SHOW_FILE).write_text(HANDS, "utf-8")
    return server


def assert_no_fault(server: LabServer) -> None:
    """No line of Card Lab in a traceback. (The WebSocket library logs its own when a browser vanishes.)"""
    server.stop()  # an error is logged after its answer is sent
    assert str(server.folder) not in server.stderr_text()


class Point(NamedTuple):
    """A place on the screen, px."""

    x: float
    y: float


class Mouse:
    """Plays with a mouse."""

    def __init__(self, page: Page) -> None:
        self._mouse = page.mouse

    def drag(self, start: Point, end: Point) -> None:
        self._mouse.move(*start)
        self._mouse.down()
        self._mouse.move(*end, steps=5)
        self._mouse.up()

    def tap(self, at: Point) -> None:
        self._mouse.click(*at)


class Finger:
    """Plays by touch, with the browser's own touch events: it decides what scrolls and what drags."""

    def __init__(self, page: Page) -> None:
        self._devtools = page.context.new_cdp_session(page)

    def down(self, at: Point) -> None:
        self._send("touchStart", at)

    def up(self) -> None:
        self._send("touchEnd")

    def drag(self, start: Point, end: Point) -> None:
        self.down(start)
        for step in (0.2, 0.4, 0.6, 0.8, 1):
            at = Point(start.x + step * (end.x - start.x), start.y + step * (end.y - start.y))
            self._send("touchMove", at)
        self.up()

    def tap(self, at: Point) -> None:
        self.down(at)
        self.up()

    def _send(self, kind: str, *points: Point) -> None:
        touch_points = [point._asdict() for point in points]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touch_points})


class Player:
    """One participant of ``session`` at ``page``.

    ``faults`` collects what the browser complains of: errors of scripts, on the console, of requests.
    """

    def __init__(self, page: Page, server: LabServer, session: LabSession, number: int = 0) -> None:
        self.page, self.server, self.session, self.number = page, server, session, number
        self.pointer = (
            Finger(page) if page.evaluate("matchMedia('(pointer: coarse)').matches") else Mouse(page)
        )
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("console", self._console)
        page.on("response", self._response)

    def _console(self, message) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text}")

    def _response(self, response) -> None:
        if response.status >= 400:
            self.faults.append(f"{response.status} for {response.url}")

    # ---------------------------------------------------------------- the way through the pages

    def arrive(self) -> Player:
        """Open the start link, which leads to the page the participant is on."""
        self.page.goto(self.session.start_urls[self.number])
        return self

    def expect_page(self, name: str) -> None:
        expect(self.page).to_have_url(re.compile(rf"/target/{name}/\d+$"))

    def expect_title(self, title: str) -> None:
        expect(self.page.locator("#_otree-title")).to_have_text(title)

    def next(self) -> None:
        self.page.locator(".otree-btn-next").click()

    def answer_check(self, **changed: str) -> None:
        """Answer every question right, but for those in ``changed``, and send it in."""
        for field, answer in {**RIGHT, **changed}.items():
            self.page.locator(f"input[name={field}][value={answer}]").check()
        self.page.get_by_role("button", name="Check my answers").click()

    def to_the_hand(self) -> Player:
        """At the first hand, live, the instructions unread; for sessions without a check."""
        instructions = self.page.request.get(self.session.start_urls[self.number])
        self.page.request.post(instructions.url)
        self.arrive()
        self.expect_page("Hand")
        self.expect_live()
        return self

    # ---------------------------------------------------------------- the board

    def at(self, place: str) -> Locator:
        return self.page.locator(f"[data-place={place}]")

    def middle(self, what: Locator) -> Point:
        box = what.bounding_box()
        return Point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def drag(self, start: str, end: str) -> None:
        """Drag the card of a place onto another place."""
        self.pointer.drag(self.middle(self.at(start)), self.middle(self.at(end)))

    def drag_to_nowhere(self, start: str) -> None:
        """Pick a card up and let it fall beside the board."""
        self.pointer.drag(self.middle(self.at(start)), self.middle(self.page.locator(".powered-by-otree")))

    def tap(self, place: str) -> None:
        self.pointer.tap(self.middle(self.at(place)))

    def tap_pass(self) -> None:
        self.pointer.tap(self.middle(self.page.locator("#pass")))

    def press(self, *keys: str) -> None:
        """Play with keys, one move at a time."""
        for key in keys:
            before = self.moves_made()
            self.page.keyboard.press(key)
            self.expect_moves(before + 1)

    def board(self) -> dict[str, str | None]:
        """The cards that lie face up, by place; None for those face down."""
        return self.page.eval_on_selector_all("#board [data-place]", BOARD)

    def moves_made(self) -> int:
        return int(self.page.locator("#moves-made").inner_text())

    def expect_moves(self, made: int) -> None:
        expect(self.page.locator("#moves-made")).to_have_text(str(made))

    def expect_turn(self, keeper: str) -> None:
        expect(self.page.locator("[data-turn]")).to_have_attribute("data-place", keeper)

    def expect_state(self, moves: int, turn: str, **cards: str | None) -> None:
        """So many moves made, ``turn`` to move; ``cards`` differ from the first hand's deal."""
        self.expect_moves(moves)
        self.expect_turn(turn)
        assert self.board() == {**FIRST, **cards}

    def expect_at_rest(self) -> None:
        """Every card lies in its place and nothing moves."""
        self.page.wait_for_function(AT_REST)

    def expect_live(self) -> None:
        expect(self.page.locator("#board")).to_have_attribute("aria-disabled", "false")

    def expect_lost(self) -> None:
        """The page says that the connection is lost, and nothing can be played; perhaps for a moment."""
        self.page.wait_for_function(
            "!document.getElementById('connection').hidden && document.querySelector('#board.inert') !== null"
        )

    def expect_refusal(self, words: str) -> None:
        expect(self.page.locator("#refusal")).to_contain_text(words)

    def expect_note(self, words: str) -> None:
        expect(self.page.locator("#note")).to_contain_text(words)

    def expect_result(self, words: str) -> None:
        expect(self.page.locator("#result-text")).to_have_text(words)

    # ---------------------------------------------------------------- what the server has of it

    def export(self, function: str = "custom_export") -> list[dict[str, Any]]:
        """This participant's rows of an export."""
        rows = csv.DictReader(io.StringIO(self.server.export(self.session.code, function=function)))
        code = self.session.participants[self.number]
        return [row for row in rows if row["participant_code"] == code]

    def actions(self, hand: int = 1) -> list[tuple[str, str]]:
        """Action and ``accepted`` of every row of a hand after the deal."""
        rows = [row for row in self.export() if row["hand"] == str(hand)]
        return [(row["action"], row["accepted"]) for row in rows[1:]]
