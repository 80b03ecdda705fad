"""Plays the matrix card game in browsers and follows the game by its rules."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import Any

from harnesses import GAMES
from player import Player, Point
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as InVain
from server_fixture import LabServer

from cardlab.games.matrix import rules
from cardlab.games.matrix.deal import complete
from cardlab.games.matrix.packs import column
from cardlab.games.matrix.state import State

# The table as each seat sees it (ruling 12), implemented independently: cells and sides.
CELLS = {
    "S": {"far-left": "NW", "far-right": "NE", "near-left": "SW", "near-right": "SE"},
    "W": {"far-left": "NE", "far-right": "SE", "near-left": "NW", "near-right": "SW"},
    "N": {"far-left": "SE", "far-right": "SW", "near-left": "NE", "near-right": "NW"},
    "E": {"far-left": "SW", "far-right": "NW", "near-left": "SE", "near-right": "NE"},
}
SIDES = {
    "S": {"S": "near", "W": "left", "N": "far", "E": "right"},
    "W": {"W": "near", "N": "left", "E": "far", "S": "right"},
    "N": {"N": "near", "E": "left", "S": "far", "W": "right"},
    "E": {"E": "near", "S": "left", "W": "far", "N": "right"},
}

# The content of the page at rest; `skip` skips the presentation of a turn.
SHOWN = """() => {
    const all = selector => [...document.querySelectorAll(`#board ${selector}`)];
    const text = (inside, part) => inside.querySelector(part).textContent;
    const card = (inside, part) => inside.querySelector(part).dataset.card ?? null;
    const laid = all(".slot").filter(slot => !slot.querySelector(".card").classList.contains("undealt"));
    const plates = all(".seat-label").filter(plate => !plate.hidden);
    return {
        turn: document.getElementById("turn").textContent,
        stock: document.getElementById("stock").textContent,
        crosses: Object.fromEntries(
            all(".cross").map(cross => [cross.dataset.place, [card(cross, ".own"), card(cross, ".across")]])),
        hand: all(".hand-cards .place").map(place => card(place, ".card")).filter(Boolean).sort(),
        slots: Object.fromEntries(
            laid.map(slot => [slot.dataset.side, [slot.dataset.slot, card(slot, ".card")]]).sort()),
        plates: Object.fromEntries(
            plates.map(at => [at.dataset.side, [text(at, ".score"), text(at, ".card-count")]]).sort()),
    };
}"""
SKIP = """const telling = document.querySelector(".cross[data-selected]");
    if (telling && skip) document.querySelector("[data-place=slot-left]").click();"""
AS_EXPECTED = f"""([expected, skip]) => {{
    {SKIP}
    return !telling && JSON.stringify(({SHOWN})()) === JSON.stringify(expected);
}}"""
# Plays over the seats' sockets under their tabs' names; a new tab would be asked whether to play here.
TAB = "sessionStorage.getItem('card-lab-tab')"
PLAY = """async ([sockets, moves]) => {
    const seats = {};
    const change = seat => new Promise(changed => { seat.changed = changed; });
    for (const [name, socket] of Object.entries(sockets)) {
        const seat = seats[name] = { hand: new WebSocket(`ws://${location.host}${socket}`) };
        seat.hand.onmessage = ({ data }) => {  // some messages only say who is connected
            seat.said = { ...seat.said, refused: undefined, ...JSON.parse(data) };
            seat.changed();
        };
        await change(seat);
    }
    for (const [name, action, turn] of moves) {
        const seat = seats[name], turnsCross = !action.startsWith("play ");
        const knows = ({ view }) => view?.turn === turn && Boolean(view.rotator) === turnsCross;
        while (!knows(seat.said)) await change(seat);
        const { hand, next } = seat.said;
        seat.hand.send(JSON.stringify({ hand, number: next, action, ms: 0 }));
        while (seat.said.next === next && !seat.said.refused) await change(seat);
        if (seat.said.refused) throw new Error(seat.said.refused);
    }
    for (const { hand } of Object.values(seats)) hand.close();
}"""
MAY_TURN = f"""skip => {{
    {SKIP}
    return !document.getElementById("keep").hidden;
}}"""


def deal_of(players: int, pack: str) -> str:
    """Returns the tests' deal for this number of players and this pack."""
    return rules.deal("the browser tests", {"players": players, "pack": pack})


def with_deal_files(server: LabServer) -> LabServer:
    """Writes the tests' deals on the server; returns the server."""
    for players in (2, 4):
        for pack in ("standard", "special"):
            file = server.folder / "deals" / "matrix" / f"browser_{players}_{pack}.txt"
            file.write_text(deal_of(players, pack) + "\n", "utf-8")
    return server


def signed(points: int) -> str:
    """Formats points as the page does."""
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points)}"


class MatrixPlayer(Player):
    """One participant of a session of the matrix card game."""

    app = "matrix_game_app"
    name_in_url = "matrix"
    right_answers = GAMES["matrix"].harness.ANSWERS
    _grips = False

    def come(self) -> MatrixPlayer:
        """Goes past the instructions, to the page before the first game or to the game."""
        self.pass_the_instructions()
        self.arrive()
        return self

    def expect_at_the_table(self) -> None:
        self.expect_page("Hand")
        self.expect_live()
        expect(self.page.locator("#turn")).to_contain_text(re.compile(r"\d"))

    @property
    def seat(self) -> str:
        """Returns this player's seat, derived from the orientation of the table."""
        far_left = self.page.locator(".cross[data-place=far-left]").get_attribute("data-cell")
        return next(seat for seat, cells in CELLS.items() if cells["far-left"] == far_left)

    # ---------------------------------------------------------------- display

    def shown(self) -> dict[str, Any]:
        """Returns the board by sides: turn, stock, crosses, hand, slots, plates."""
        return self.page.evaluate(SHOWN)

    def expect_table(self, state: State, skip: bool = True) -> None:
        """Waits until the board shows the seat's view; ``skip`` skips the presentation of turns."""
        expected = seen_from(self.seat, state)
        try:
            self.wait_until(AS_EXPECTED, [expected, skip])
        except InVain:
            assert self.shown() == expected
            raise

    def expect_at_rest(self) -> None:
        """Waits until nothing moves."""
        self.wait_until(
            "() => document.getAnimations().length === 0 && !document.querySelector('.cross[data-selected]')"
        )

    def expect_status(self, words: str) -> None:
        expect(self.page.locator("#status")).to_have_text(words)

    def expect_deadline(self, words: str) -> None:
        expect(self.page.locator("#deadline")).to_contain_text(words)

    def hand(self) -> list[str]:
        return self.shown()["hand"]

    def at(self, card: str) -> Locator:
        """Returns the place of a card in the hand."""
        return self.page.locator(f".hand-cards .place:has([data-card='{card}'])")

    def cross(self, cell: str) -> Locator:
        return self.page.locator(f".cross[data-cell={cell}]")

    def slot(self, name: str) -> Locator:
        """Returns the player's ``left`` or ``right`` slot."""
        return self.page.locator(f"[data-place=slot-{name}]")

    # ---------------------------------------------------------------- actions

    def grip(self, card: str) -> Point:
        """Returns the point at which to take a card of the hand: near its right edge, visible even in a fan.

        The points alternate in height, because a second click on one spot counts as part of a double click.
        """
        self._grips = not self._grips
        self.at(card).scroll_into_view_if_needed()
        box = self.at(card).bounding_box()
        return Point(box["x"] + box["width"] - 9, box["y"] + (0.3 if self._grips else 0.8) * box["height"])

    def expect_may(self, action: str, skip: bool = True) -> None:
        """Waits until the board accepts this kind of action; ``skip`` skips the presentation of turns."""
        if action.startswith("play "):
            expect(self.page.locator(".hand-cards[data-open]")).to_be_visible()
        else:
            self.wait_until(MAY_TURN, skip)

    def tap(self, action: str) -> None:
        """Performs the action with a click or tap."""
        self.expect_may(action)
        if action == "keep":
            self.pointer.tap(self.middle(self.page.locator("#keep")))
        elif action.startswith("rotate "):
            self.cross(action[7:]).scroll_into_view_if_needed()
            self.pointer.tap(self.middle(self.cross(action[7:])))
        else:
            self.pointer.tap(self.grip(action[5:]))

    def drag(self, action: str) -> None:
        """Drags a card into the slot of its column; clicks a cross, which cannot be dragged."""
        if not action.startswith("play "):
            self.tap(action)
            return
        self.expect_may(action)
        card = action[5:]
        self.pointer.drag(self.grip(card), self.middle(self.slot(column(card))))

    def press(self, action: str) -> None:
        """Performs the action with a key."""
        self.expect_may(action)
        self.page.keyboard.press(self.key_of(action))

    def key_of(self, action: str) -> str:
        """Returns the action's key: ``1`` to ``7`` for a card, ``1`` to ``4`` for a cross, ``k`` to keep."""
        if action == "keep":
            return "k"
        if action.startswith("rotate "):
            return str(1 + list(CELLS[self.seat].values()).index(action[7:]))
        return self.at(action[5:]).get_attribute("data-place")[-1]


def seen_from(seat: str, state: State) -> dict[str, Any]:
    """Returns what a seat's board must show of a state, as :meth:`MatrixPlayer.shown` does."""
    crosses = dict(zip(("SW", "NW", "NE", "SE"), state.crosses, strict=True))
    own = 0 if seat in "SN" else 1  # index of the card that lies along this seat's axis
    slots = {}
    if state.choice:
        known = state.choice.seat == seat
        slot = [column(state.choice.card), state.choice.card] if known else ["down", None]
        slots[SIDES[seat][state.choice.seat]] = slot
    plates = {SIDES[seat][other]: [signed(state.score(other)), _pile(state, other)] for other in state.seats}
    return {
        "turn": f"{state.turn} of {state.of}",
        "stock": str(len(state.stock)),
        "crosses": {
            place: [crosses[cell][own], crosses[cell][1 - own]] for place, cell in CELLS[seat].items()
        },
        "hand": sorted(card for card in state.hand(seat) if (seat, card) != state.choice),
        "slots": slots,
        "plates": dict(sorted(plates.items())),
    }


def _pile(state: State, seat: str) -> str:
    count = len(state.pile(seat))
    return f"collected: {count or 'none'}"


class Game:
    """Follows a game played in browsers, by the rules alone."""

    def __init__(self, people: Iterable[MatrixPlayer], **options: Any) -> None:
        people = list(people)
        for player in people:
            player.expect_at_the_table()
        self.people = {player.seat: player for player in people}
        assert len(self.people) == len(people)
        options = complete({"players": len(people), **options})
        self.state = rules.start(deal_of(options["players"], options["pack"]), options)
        self.chance = random.Random(1)

    @property
    def over(self) -> bool:
        return rules.is_over(self.state)

    def at(self, seat: str) -> MatrixPlayer:
        return self.people[seat]

    def any_action(self, seat: str) -> str:
        """Returns a random legal action of the seat."""
        return self.chance.choice(rules.legal_actions(self.state, seat))

    def any_card(self, seat: str) -> str:
        """Returns a play of a random card of the hand, even if it is not legal now."""
        return f"play {self.chance.choice(self.state.hand(seat))}"

    def apply(self, seat: str, action: str) -> None:
        """Applies a performed action to the expected state."""
        self.state = rules.apply(self.state, seat, action)

    def act(self, seat: str, action: str | None = None, way: str = "press") -> str:
        """Performs the action, or a random legal one, by ``press``, ``tap`` or ``drag``; returns it."""
        action = action or self.any_action(seat)
        getattr(self.people[seat], way)(action)
        self.apply(seat, action)
        return action

    def play_turn(self, way: str = "press") -> None:
        """Lets every player whose turn it is act, until the next turn."""
        turn = self.state.turn
        while self.state.turn == turn and not self.over:
            for seat in rules.waiting_for(self.state):
                self.act(seat, way=way)

    def play_by_socket(self, turn: int) -> None:
        """Plays up to this turn over sockets, which is faster than on boards; then reopens the boards."""
        moves, sockets = [], {}
        while self.state.turn < turn:
            for seat in rules.waiting_for(self.state):
                action = self.any_action(seat)
                moves.append((seat, action, self.state.turn))
                self.apply(seat, action)
        for seat, player in self.people.items():
            code = player.session.participants[player.number]
            page, tab = player.page.url.rsplit("/", 1)[1], player.page.evaluate(TAB)
            sockets[seat] = f"/hand/{code}/{page}?tab={tab}"
            player.page.goto(f"{player.server.url}/static/cards/2H.svg")  # a page without scripts
        player.page.evaluate(PLAY, [sockets, moves])
        for player in self.people.values():
            player.arrive()
            player.expect_at_the_table()

    def expect_everywhere(self, skip: bool = True) -> None:
        """Checks that every board shows the expected state from its own side."""
        for player in self.people.values():
            player.expect_table(self.state, skip)
