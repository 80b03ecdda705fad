"""Plays Triangle Solitaire in a browser and follows the hand by its rules."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from harnesses import GAMES
from player import Player
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as InVain
from server_fixture import LabServer

from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import Deal, complete_options, format_deal
from cardlab.games.triangle.loop import NUMBERS, next_place, previous_place
from cardlab.games.triangle.packs import COMPLETES, SINGLE_PACK, SINGLES, fits, is_complete
from cardlab.games.triangle.rules import State
from cardlab.games.triangle.strategies import VIEW_POLICIES

PARTS = ("sides", "corners", "discontinuities", "discarded")

# After the first three cards have covered all its triangles on the board, the fourth fits nowhere.
UNWANTED = "FRT"
BEFORE_UNWANTED = ("HBT", "PBT", "HGT")
AFTER_UNWANTED = ("HBC", "PGS")


def _with_a_discard() -> str:
    """Returns a deal whose fourth card is discarded if the first three cards are placed as below.

    No place has F or R, and exactly three have T; the first three cards must be placed there.
    """
    spares = (*"FFFFRRRR", "T")
    places = tuple((Counter(SINGLE_PACK) - Counter(spares)).elements())
    first = (*BEFORE_UNWANTED, UNWANTED, *AFTER_UNWANTED)
    return format_deal(Deal(places, spares, (*first, *(card for card in COMPLETES if card not in first))))


DEALS = {
    "standard": rules.deal("the browser tests", {}),
    "variation_1": rules.deal("the browser tests", {"doubled": 5}),
    "variation_2": rules.deal("the browser tests", {"mixed_in": 5}),
    "both": rules.deal("the browser tests", {"doubled": 4, "mixed_in": 5}),
    "discard": _with_a_discard(),
}

# The page's content in the form of :func:`seen`; null stands for a list that is not shown.
SHOWN = """() => {
    const one = selector => document.querySelector(`#board ${selector}`);
    const all = selector => [...document.querySelectorAll(`#board ${selector}`)];
    const text = id => document.getElementById(id).textContent;
    const numbers = Array.from({ length: 27 }, (_, index) => index + 1);
    const spots = numbers.map(number => one(`[data-place="${number}"]`));
    const cell = selector => all(selector).map(card => card.dataset.complete);
    return {
        places: spots.map(at => at.querySelector(".card").dataset.card ?? null),
        marks: spots.map(at => [...at.parentElement.querySelectorAll("[data-mark]")].map(
            mark => mark.dataset.mark).join("")),
        fits: numbers.filter(number => spots[number - 1].hasAttribute("data-fits")),
        joints: numbers.map(number => one(`.joint[data-joint="${number}"]`).dataset.state),
        card: one("#revealed .card").dataset.card ?? null,
        spares: Object.fromEntries(all("[data-single]").map(
            at => [at.dataset.single, at.querySelector(".card-count").textContent])),
        left: text("cards-left"),
        to_come: one(".upcoming-cards").hidden ? null : cell(".upcoming-card:not([data-played])"),
        discards: all("#discards .card").map(card => card.dataset.card),
        discards_count: text("discards-count"),
        points: ["sides", "corners", "discontinuities", "discarded-points"].map(text),
        total: text("total"),
    };
}"""
AS_EXPECTED = f"expected => JSON.stringify(({SHOWN})()) === JSON.stringify(expected)"

# Nothing moves, and the revealed card is in its place.
AT_REST = """() => {
    const [a, b] = ["#revealed", "#revealed .card"].map(one => document.querySelector(one));
    const middle = it => { const box = it.getBoundingClientRect(); return box.left + box.width / 2; };
    return document.getAnimations().length === 0 && Math.abs(middle(a) - middle(b)) < 1
        && !b.style.transform && !b.style.scale;
}"""

# Plays over the hand's socket under the tab's name; a new tab would be asked whether to play here.
PLAY = """([socket, actions]) => new Promise(resolve => {
    const tab = sessionStorage.getItem("card-lab-tab");
    const hand = new WebSocket(`ws://${location.host}${socket}?tab=${tab}`);
    let last = -1;
    hand.onmessage = event => {
        const { hand: key, next, over } = JSON.parse(event.data);
        if (next <= last && over === null) return;
        last = next;
        if (actions.length) {
            hand.send(JSON.stringify({ hand: key, number: next, action: actions.shift(), ms: 0 }));
        } else {
            hand.close();
            resolve();
        }
    };
})"""


def with_triangles(server: LabServer) -> LabServer:
    """Writes the tests' deals on the server; returns the server."""
    for name, deal in DEALS.items():
        (server.folder / "deals" / "triangle" / file_of(name)).write_text(deal + "\n", "utf-8")
    return server


def file_of(deal: str) -> str:
    return f"browser_{deal}.txt"


def signed(points: int) -> str:
    """Formats points as the page does."""
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points)}"


def seen(state: State) -> dict[str, Any]:
    """Returns what the page must show of a state, as :meth:`TrianglePlayer.shown` does."""
    options, spares = state.options, Counter(state.spares)
    return {
        "places": list(state.places),
        "marks": ["".join(marks) for marks in state.marks],
        "fits": state.fitting_places if options["highlight"] else [],
        "joints": list(state.score.joints),
        "card": state.card,
        "spares": {single: str(spares[single]) for single in SINGLES},
        "left": str(len(state.deck[1:])),
        "to_come": state.coming_completes if options["show_left"] else None,
        "discards": list(state.discards),
        "discards_count": str(len(state.discards)),
        "points": [signed(state.score.points[part]) for part in PARTS],
        "total": signed(state.score.total),
    }


class TrianglePlayer(Player):
    """One participant of Triangle Solitaire; ``state`` follows the hand by the rules alone."""

    app = "triangle_app"
    name_in_url = "triangle"
    right_answers = GAMES["triangle"].harness.ANSWERS
    state: State

    def is_dealt(self, deal: str, **options: Any) -> TrianglePlayer:
        """Sets the expected hand to a deal of :data:`DEALS`; returns the player."""
        self.state = rules.start(DEALS[deal], complete_options(options))
        self.chance = random.Random(1)
        return self

    def to_the_hand(self) -> TrianglePlayer:
        """Opens the hand, past the instructions, and waits until it is live; for sessions without a check."""
        self.pass_the_instructions()
        self.arrive()
        self.expect_page("Hand")
        self.expect_live()
        self.expect_board()
        return self

    # ---------------------------------------------------------------- display

    def shown(self) -> dict[str, Any]:
        return self.page.evaluate(SHOWN)

    def expect_board(self) -> None:
        """Waits until the page shows the state."""
        expected = seen(self.state)
        try:
            self.wait_until(AS_EXPECTED, expected)
        except InVain:
            assert self.shown() == expected
            raise

    def expect_at_rest(self) -> None:
        self.wait_until(AT_REST)

    def expect_hint(self, words: str) -> None:
        expect(self.page.locator("#hint")).to_contain_text(words)

    def expect_announcement(self, words: str) -> None:
        """Checks the screen-reader announcement."""
        expect(self.page.locator("#announcement")).to_contain_text(words)

    def at(self, place: int | str) -> Locator:
        """Returns a place by its number, the revealed card by ``card``, or a spare Single by ``spare-H``."""
        return self.page.locator(f'[data-place="{place}"]')

    def mark(self, single: str, number: int) -> Locator:
        return self.at(f"mark-{number}-{single}")

    # ---------------------------------------------------------------- legal actions

    @property
    def over(self) -> bool:
        return rules.is_over(self.state)

    def good_place(self) -> int:
        """Returns a place for the revealed card, chosen by a greedy policy."""
        view = rules.view(self.state, rules.SEAT)
        return rules.PLACES[VIEW_POLICIES["most_neighbours"](view, self.chance)]

    def wrong_place(self) -> int:
        """Returns a place with a Single that the revealed card does not fit."""
        card = self.state.card
        return next(
            number
            for number, there in zip(NUMBERS, self.state.places)
            if not is_complete(there) and not fits(card, there)
        )

    def expect_after(self, action: str) -> None:
        """Waits until the page shows an action and its automatic consequences."""
        self._apply(action)
        self.expect_board()

    def _apply(self, action: str) -> None:
        self.state = rules.apply(self.state, rules.SEAT, action)
        while forced := rules.forced_action(self.state):
            self.state = rules.apply(self.state, rules.SEAT, forced)

    # ---------------------------------------------------------------- actions

    def drag(self, start: int | str, end: int | str) -> None:
        """Drags a card onto a place."""
        self.pointer.drag(self.middle(self.at(start)), self.middle(self.at(end)))

    def tap(self, place: int | str) -> None:
        self.pointer.tap(self.middle(self.at(place)))

    def place(self, number: int | None = None, way: str = "tap") -> None:
        """Places the revealed card, by default in a good place, by ``tap``, ``drag`` or ``press``."""
        number = number or self.good_place()
        if way == "drag":
            self.drag("card", number)
        elif way == "press":
            self.walk_to(number)
            self.page.keyboard.press("Enter")
        else:
            self.tap(number)
        self.expect_after(f"place {number}")

    def play_out(self, *ways: str) -> None:
        """Places all remaining cards, using these ways in turn."""
        while not self.over:
            self.place(way=ways[len(self.state.deck) % len(ways)])

    def play_at_once(self, left: int = 0) -> None:
        """Places cards over the socket, which is quicker than by hand, until ``left`` are left."""
        actions = []
        while len(self.state.deck) > left:
            actions.append(f"place {self.good_place()}")
            self._apply(actions[-1])
        self._send(actions)

    def act_at_once(self, *actions: str) -> None:
        """Performs actions over the socket."""
        for action in actions:
            self._apply(action)
        self._send([*actions])

    def _send(self, actions: list[str]) -> None:
        self.page.evaluate(PLAY, [self.page.evaluate("js_vars.socket"), actions])
        self.expect_board()

    def walk_to(self, number: int) -> None:
        """Goes to a place with the arrow keys, in the shorter direction."""
        here = self.focused()
        if here is None:
            self.page.keyboard.press("ArrowRight")  # the first arrow enters the triangle
            here = self.focused()
        clockwise = (number - here) % 27 <= 13
        while here != number:
            self.page.keyboard.press(arrow(here, clockwise))
            here = (next_place if clockwise else previous_place)(here)
            assert self.focused() == here

    def focused(self) -> int | None:
        """Returns the number of the place that has the focus."""
        number = self.page.evaluate("document.activeElement?.closest('.loop-place .place')?.dataset.number")
        return int(number) if number else None

    def remind(self, single: str, number: int, way: str = "drag") -> None:
        """Lays a reminder next to a place."""
        if way == "press":
            self.walk_to(number)
            self.page.keyboard.press(single.lower())
        else:
            self.drag(f"spare-{single}", number)
        self.expect_after(f"mark {single} {number}")

    def take_back(self, single: str, number: int, way: str = "tap") -> None:
        """Takes a reminder back."""
        if way == "press":
            self.walk_to(number)
            self.page.keyboard.press(f"Shift+{single}")
        else:
            self.pointer.tap(self.middle(self.mark(single, number)))
        self.expect_after(f"unmark {single} {number}")

    # ---------------------------------------------------------------- stored data

    def actions(self) -> list[str]:
        """Returns the accepted actions of the only hand, without the end row."""
        rows = self.export()[1:]
        return [row["action"] for row in rows if row["accepted"] == "1" and row["seat"]]

    def refused(self) -> list[tuple[str, str]]:
        """Returns the action and the reason of every refused action."""
        return [(row["action"], row["reason"]) for row in self.export() if row["accepted"] == "0"]


def arrow(number: int, clockwise: bool) -> str:
    """Returns the key to the next place: along the top edge, down the right side, up the left side."""
    if clockwise:
        return "ArrowRight" if number < 9 else "ArrowDown" if number <= 18 else "ArrowUp"
    return "ArrowLeft" if 1 < number <= 9 else "ArrowUp" if 9 < number <= 18 else "ArrowDown"
