"""Plays Solitario in a browser and follows the hand by its rules."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from harnesses import GAMES
from player import Player, Point
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as InVain
from server_fixture import LabServer
from triangle_player import PLAY

from cardlab.games.solitario import rules
from cardlab.games.solitario.rules import State
from cardlab.games.solitario.solver import solve, with_clicks

DEAL_FILE = "browser_tests.txt"
EDGE = 8  # px of a card that no other card covers

SHOWN = """() => {
    const one = selector => document.querySelector(`#board ${selector}`);
    const text = id => document.getElementById(id).textContent;
    return {
        columns: [...document.querySelectorAll("#columns .column")].map(column => ({
            down: column.querySelector(".column-base").children.length,
            up: [...column.querySelectorAll(".face-up")].map(card => card.dataset.place),
        })),
        foundations: [1, 2, 3, 4].map(n => one(`[data-place=f${n}] .card`).dataset.card ?? null),
        waste: [...document.querySelectorAll("#waste .card[data-card]")].map(card => card.dataset.card),
        counts: ["stock-count", "waste-count", "turn-overs", "moves"].map(id => Number(text(id))),
    };
}"""
AS_EXPECTED = f"expected => JSON.stringify(({SHOWN})()) === JSON.stringify(expected)"


def seen(state: State) -> dict[str, Any]:
    """Returns what the page must show of a state."""
    view = rules.view(state, rules.SEAT)
    counts = (view["stock"], view["waste_count"], view["counts"]["turn_overs"], view["moves"])
    return {
        "columns": view["columns"],
        "foundations": view["foundations"],
        "waste": view["waste"],
        "counts": list(counts),
    }


def line_of(state: State) -> list[str]:
    """Returns actions that solve the hand from here."""
    solution = solve(
        state.position,
        state.pack,
        draw=state.options["draw"],
        ace_on_two=state.options["ace_on_two"],
    )
    assert solution.solvable
    clicks = state.options["turn_up"] == "click"
    return list(with_clicks(solution.line, state.position) if clicks else solution.line)


class SolitarioPlayer(Player):
    """One participant of Solitario; ``state`` follows the hand by the rules alone."""

    app = "solitario_app"
    name_in_url = "solitario"
    right_answers = GAMES["solitario"].harness.ANSWERS
    state: State

    def to_the_hand(self) -> SolitarioPlayer:
        """Opens the hand, past the instructions, and waits until it is live; for sessions without a check."""
        self.pass_the_instructions()
        self.arrive()
        self.expect_page("Hand")
        self.expect_live()
        self.expect_board()
        return self

    def expect_board(self) -> None:
        """Waits until the page shows the state."""
        expected = seen(self.state)
        try:
            self.wait_until(AS_EXPECTED, expected)
        except InVain:
            shown = self.page.evaluate(SHOWN)
            assert shown == expected, [(shown[part], expected[part]) for part in expected]
            raise

    def at(self, place: str) -> Locator:
        return self.page.locator(f'[data-place="{place}"]')

    def point(self, place: str) -> Point:
        """Returns a point of a place that no other card covers, at the card's upper edge."""
        box = self.at(place).bounding_box()
        return Point(box["x"] + box["width"] / 2, box["y"] + min(EDGE, box["height"] / 2))

    def end_of(self, column: int) -> str:
        """Returns the place at the end of a column."""
        up = self.state.columns[column - 1].up
        return up[-1] if up else f"c{column}"

    def foundation(self, suit: str) -> str:
        """Returns the place of a suit's foundation."""
        return f"f{self.state.foundations.index(suit) + 1}"

    # ---------------------------------------------------------------- legal actions

    def drag(self, start: str, end: str) -> None:
        self.pointer.drag(self.point(start), self.point(end))

    def send_home(self, place: str) -> None:
        """Sends a card home: by right click with a mouse, by double tap with a finger."""
        at = self.point(place)
        if hasattr(self.pointer, "down"):
            self.pointer.tap(at)
            self.pointer.tap(at)
        else:
            self.page.mouse.click(*at, button="right")

    def do(self, action: str) -> None:
        """Performs an action by gestures and waits for it on the board."""
        kind, *words = action.split()
        if kind == "turn":
            self.turn_over(lambda: self.pointer.tap(self.point("stock")))
            return
        if kind == "draw":
            self.pointer.tap(self.point("stock"))
        elif kind == "up":
            self.pointer.tap(self.point(f"c{words[0]}"))
        elif kind == "home":
            self.send_home("w" if words[0] == "w" else self.end_of(int(words[0])))
        elif kind == "back":
            self.drag(self.foundation(words[0]), self.end_of(int(words[1])))
        elif words[0] == "w":
            self.drag("w", self.end_of(int(words[1])))
        else:
            source, to, count = map(int, words)
            self.drag(self.state.columns[source - 1].up[-count], self.end_of(to))
        self.expect_done(action)

    def turn_over(self, gesture: Callable[[], None]) -> None:
        """Turns the stock over; repeats the gesture, because one right after quick clicks is ignored."""
        self.state = rules.apply(self.state, rules.SEAT, "turn")
        for _try in range(20):
            gesture()
            with contextlib.suppress(InVain):
                self.page.wait_for_function(AS_EXPECTED, arg=seen(self.state), polling=50, timeout=1000)
                return
        self.expect_board()

    def expect_done(self, action: str) -> None:
        """Waits until the action was accepted and the board shows its result."""
        self.state = rules.apply(self.state, rules.SEAT, action)
        self.expect_board()

    def play_at_once(self, actions: list[str]) -> None:
        """Plays the actions over the hand's socket, then waits for the page.

        All but the last are played on a page without scripts, because the hand page would draw each of them.
        """
        socket = self.page.evaluate("js_vars.socket")
        if all_but_last := actions[:-1]:
            self.page.goto(f"{self.server.url}/static/cards/2H.svg")
            self.page.evaluate(PLAY, [socket, all_but_last])
            self.arrive().expect_live()
        self.page.evaluate(PLAY, [socket, actions[-1:]])
        for action in actions:
            self.state = rules.apply(self.state, rules.SEAT, action)
        self.expect_board()

    def actions(self) -> list[str]:
        """Returns the accepted actions of the record, except pick-ups."""
        rows = [
            row for row in self.export() if row["accepted"] == "1" and row["seat"] and row["action_number"]
        ]
        return [row["action"] for row in rows if not row["action"].startswith("pick ")]

    def expect_result(self, words: str) -> None:
        expect(self.page.locator("#result-text")).to_contain_text(words)


def with_deals(server: LabServer, *deals: str) -> LabServer:
    """Writes a test's deals on the server; returns the server."""
    (server.folder / "deals" / "solitario" / DEAL_FILE).write_text("\n".join(deals) + "\n", "utf-8")
    return server
