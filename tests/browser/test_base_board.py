"""Tests what all boards share, with a minimal game, and the imports between the browser modules.

No server is needed: the modules come from disk, and the page records the board's requests.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from player import DESK, Mouse, Player, Point
from playwright.sync_api import Page, expect

from cardlab.games.registry import games_by_name

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "_static"
MODULES = {path.relative_to(STATIC).as_posix(): path.read_text("utf-8") for path in STATIC.rglob("*.js")}
GAMES = sorted(games_by_name())
IMPORT = re.compile(r'^import [^;]*?"(\.[^"]+)";', re.MULTILINE)

# A card that can be moved from one place to another, and turned over.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<style>
    .place { position: absolute; top: 90px; width: 80px; height: 110px; }
    .card { display: block; height: 100%; }
    #two { left: 200px; }
    #again { position: absolute; top: 300px; }
</style>
<div id="board"><button class="place" id="one" data-place="one"><span class="card"></span></button>
<button class="place" id="two" data-place="two"><span class="card"></span></button>
<button id="again">Turn over</button></div>
<script type="module">
    import { BaseBoard } from "/static/cardlab/board.js";
    window.requests = [];
    window.free = true; // actions can be sent
    class Board extends BaseBoard {
        draw(before) { requests.push(`draw ${before} ${this.view}`); }
        canDrag(at) { return at.id === "one"; }
        lift(at) { this.onTrace(`pick ${at.id}`); }
        drop(from, to) { return to !== null && this.act(`${from.id} to ${to.id}`); }
        press(at) { this.act(`choose ${at.id}`); }
        look(at) { requests.push(`look at ${at.id}`); }
        placeOf(action) { return document.getElementById(action.split(" ").at(-1)); }
        command(id) { this.act(id); }
        key(key) { return key === "T" && (this.act("turn"), true); }
    }
    const write = kind => words => (requests.push(`${kind} ${words}`), free);
    window.board = new Board(document.getElementById("board"), {
        words: { changed: "The board changed.", double_click: "One click." },
        onAction: (action, _early, isStillValid) => (window.isStillValid = isStillValid, write("do")(action)),
        onTrace: write("trace"), onNote: write("note"),
    });
    window.waiting = 0; // actions without an answer
    class Quick extends Board {
        draw(before) { super.draw(before); this.onChange(`now ${this.view}`); }
    }
    window.quick = new Quick(document.createElement("div"), {
        words: {}, options: {}, countUnanswered: () => waiting, onChange: write("tell"),
        predict: (view, action) => action === "turn" ? view + 1 : null,
        onAction: (action) => (waiting += 1, write("do")(action)),
    });
    window.answer = (view, state) => (waiting -= 1, quick.show(view, state));
    window.alone = new Board(document.createElement("div"), { words: {} });
</script></html>"""


class Tried:
    """The board of a page, and its requests since they were last taken."""

    def __init__(self, page: Page) -> None:
        self.page, self.mouse = page, Mouse(page)

    def at(self, place: str):
        return self.page.locator(f"#{place}")

    def live(self, live: bool = True) -> Tried:
        self.page.evaluate("live => { board.show(7); board.setLive(live); requests.length = 0; }", live)
        return self

    def take_requests(self) -> list[str]:
        return self.page.evaluate("requests.splice(0)")

    def middle(self, place: str) -> Point:
        return Player.middle(self, self.at(place))

    def tap(self, place: str) -> None:
        self.mouse.tap(self.middle(place))

    def drag(self, start: str, end: str) -> None:
        self.mouse.drag(self.middle(start), self.middle(end))


@pytest.fixture
def tried(browsers) -> Iterator[Tried]:
    """Provides a board that has drawn nothing yet; checks at the end that no script failed."""
    page, faults = browsers.context(DESK).new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def answer(route) -> None:
        path = route.request.url.removeprefix("http://board.test/static/")
        if path in MODULES:
            route.fulfill(body=MODULES[path], content_type=mimetypes.types_map[".js"])
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    page.route("http://board.test/**", answer)
    page.goto("http://board.test/")
    page.wait_for_function("() => window.alone")
    yield Tried(page)
    page.close()
    assert faults == []


def test_board_draws_every_view_and_can_redraw(tried):
    tried.page.evaluate("board.redraw(); board.show(1); board.show(2); board.redraw()")
    assert tried.take_requests() == ["draw null 1", "draw 1 2", "draw 2 2"]


def test_inert_board_sends_nothing(tried):
    tried.live(False)
    expect(tried.at("board")).to_have_attribute("aria-disabled", "true")
    expect(tried.at("board")).to_have_class("inert")
    tried.tap("two")
    tried.tap("again")
    tried.drag("one", "two")
    tried.at("one").focus()
    tried.page.keyboard.press("Enter")
    tried.page.keyboard.press("t")
    assert tried.take_requests() == []
    tried.live()
    expect(tried.at("board")).to_have_attribute("aria-disabled", "false")
    tried.tap("two")
    assert tried.take_requests() == ["do choose two"]


@pytest.mark.parametrize(("place", "action"), [("two", "do choose two"), ("again", "do again")])
def test_double_click_acts_once_enter_each_time(tried, place, action):
    tried.live().at(place).dblclick()
    assert tried.take_requests() == [action, "note One click."]
    tried.at(place).press("Enter")
    tried.at(place).press("Enter")
    assert tried.take_requests() == [action, action]


def test_waiting_action_stands_while_its_card_is_there(tried):
    tried.live().tap("two")
    tried.page.keyboard.press("t")
    assert tried.take_requests() == ["do choose two", "do turn"]
    tried.tap("two")  # soon after a key, but not a double click
    assert tried.page.evaluate("isStillValid()") is True
    tried.page.evaluate("document.querySelector('#two .card').dataset.card = '2H'")
    assert tried.page.evaluate("isStillValid()") is False
    assert tried.take_requests() == ["do choose two", "note The board changed."]


def test_board_keys_are_not_passed_to_the_browser(tried):
    tried.live().page.evaluate(
        "window.taken = []; addEventListener('keydown', event => taken.push(event.defaultPrevented))"
    )
    for key in ("t", "x", "Control+t"):
        tried.page.keyboard.press(key)
    assert tried.take_requests() == ["do turn"]
    assert tried.page.evaluate("taken.slice(0, 2)") == [True, False]


def test_dropped_card_waits_for_its_answer(tried):
    """A card dropped on a wrong place returns, and a fixed card stays."""
    moved = "document.querySelector('#one .card').style.transform"
    tried.live().drag("one", "two")
    assert tried.take_requests() == ["trace pick one", "do one to two"]
    assert tried.page.evaluate(moved) != ""
    for free, end in ((True, "again"), (False, "two")):
        tried.page.evaluate("to => { free = to; }", free)
        tried.drag("one", end)
        tried.take_requests()
        assert tried.page.evaluate(moved) == ""
    tried.drag("two", "one")
    assert tried.take_requests() == []


def test_known_result_is_drawn_at_once(tried):
    """It is announced when the server confirms it, and then not drawn again."""
    tried.page.evaluate("quick.show(1, { next: 1 }); quick.setLive(true); requests.length = 0")
    tried.page.evaluate("quick.act('turn'); quick.act('turn')")
    assert tried.take_requests() == ["do turn", "draw 1 2", "do turn", "draw 2 3"]
    tried.page.evaluate("answer(2, { next: 2 }); answer(3, { next: 3 })")
    assert tried.take_requests() == ["tell now 2", "tell now 3"]
    tried.page.evaluate("quick.act('look'); quick.act('turn')")  # the result of a look is unknown
    assert tried.take_requests() == ["do look", "do turn"]


def test_refused_move_is_taken_back_unheard(tried):
    tried.page.evaluate("quick.show(1, { next: 1 }); quick.setLive(true)")
    tried.page.evaluate("quick.act('turn'); quick.act('turn')")
    tried.take_requests()
    tried.page.evaluate("answer(1, { next: 2, refused: 'No.' })")
    assert tried.take_requests() == ["draw 3 2", "draw 2 1"]


def test_right_click_looks(tried):
    tried.live().at("two").click(button="right")
    assert tried.take_requests() == ["look at two"]


def test_board_needs_no_page(tried):
    """Without a connection, as in a replay, it draws but ignores input."""
    tried.page.evaluate("alone.show(3); alone.setLive(true)")
    assert tried.page.evaluate("alone.act('turn')") is False
    tried.page.evaluate("alone.setLive(false)")
    assert tried.take_requests() == ["draw null 3"]


# ---------------------------------------------------------------- the modules


def imported(module: str) -> list[str]:
    """Returns the modules that a module imports, as paths below ``_static``."""
    there = [(STATIC / module).parent / path for path in IMPORT.findall(MODULES[module])]
    return [path.resolve().relative_to(STATIC).as_posix() for path in there]


def test_scripts_import_own_folder_and_shared_modules():
    for module in MODULES:
        assert {path.split("/")[0] for path in imported(module)} <= {module.split("/")[0], "cardlab"}, module
        assert set(imported(module)) <= set(MODULES), module


def test_every_script_is_loaded_by_some_page():
    pages = [path for folder in ("_templates", "*_app") for path in ROOT.glob(f"{folder}/**/*.html")]
    texts = [path.read_text("utf-8") for path in pages]
    templates = "".join(text.replace("{{ game }}", game) for text in texts for game in GAMES)
    wanted = [module for module in MODULES if re.search(f"static[/ ]'?{re.escape(module)}", templates)]
    wanted += [f"{game}/board.js" for game in GAMES]
    sources = [ROOT / "cardlab/pages/tutorial.py", *ROOT.glob("*_app/*.py")]  # a tutorial names its script
    scripts = {name for path in sources for name in re.findall(r'script = "(.+)"', path.read_text("utf-8"))}
    wanted += {f"{game}/{script}" for game in GAMES for script in scripts} & MODULES.keys()
    loaded: set[str] = set()
    while wanted:
        module = wanted.pop()
        if module not in loaded:
            loaded.add(module)
            wanted += imported(module)
    assert set(MODULES) - loaded == set()


@pytest.mark.parametrize("game", GAMES)
def test_game_boards_define_only_known_methods(game):
    board = MODULES[f"{game}/board.js"]
    assert "export class Board extends BaseBoard" in board
    assert 'addEventListener("keydown"' not in board
    assert not re.search(r"^  show\(", board, re.MULTILINE)


def test_modules_are_at_most_250_lines():
    """Length stands in for having one responsibility."""
    assert {
        module: len(text.splitlines()) for module, text in MODULES.items() if text.count("\n") > 250
    } == {}
