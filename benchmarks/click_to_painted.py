"""Measures how long a move takes from the pointer event to the frame in which its result is painted.

    CARD_LAB_CHROMIUM=/usr/bin/chromium .venv/bin/python benchmarks/click_to_painted.py

Starts Card Lab, Chromium, and between them a proxy that delays each direction by half of the round trip.
Plays the games by mouse and measures the moves whose result the browser can predict (``predict.js``). Other
moves are played too, but not counted. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from playwright.sync_api import Page, sync_playwright  # noqa: E402
from server_fixture import LabServer, free_port  # noqa: E402 - the real server of the tests
from system_packages import find_browser  # noqa: E402

BARS = {"p50": 30.0, "p95": 60.0}  # ms, at most
WINDOW = {"width": 1280, "height": 720}
TIMEOUT_MS = 15_000

# What the board shows: its cards in their places, and whose turn it is.
WATCH = """() => {
    const all = selector => [...document.querySelectorAll(`#board ${selector}`)];
    const shown = () => JSON.stringify([
        all(".card").map(card => [card.dataset.card, card.className, card.querySelector("img")?.src,
            card.parentElement.dataset.place, card.parentElement.className]),
        all("[data-turn]").map(at => at.dataset.place ?? at.id)]);
    let pressed = 0, before = "", waits = false;
    addEventListener("pointerup", event => { pressed = event.timeStamp; }, true);
    window.beginMove = () => { before = shown(); waits = true; window.painted = null; };
    new MutationObserver(() => {
        if (!waits || shown() === before) return;
        waits = false;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => { window.painted = performance.now() - pressed; };
            port2.postMessage(0); // handled after the frame is painted
        });
    }).observe(document.querySelector("#board"), { subtree: true, childList: true, attributes: true });
}"""
IS_KNOWN = """async ([game, view, actions]) => {
    const { predict } = await import(`/static/${game}/predict.js`);
    return actions.filter(action => predict(view, action, window.js_vars.options ?? {}));
}"""
FREE = "() => document.querySelector('#board[aria-disabled=false]:not([data-unanswered])')"

AT_REST = "() => !document.getAnimations().length && !document.querySelector('#board .cross[data-selected]')"


class Game(NamedTuple):
    """A game's session, and the function that returns the selectors to be clicked for an action in a view."""

    config: str
    fields: dict[str, Any]
    clicks: Any


def _clicks_of_target(action: str, view: dict[str, Any]) -> list[str]:
    places = {"U": "UP", "C": "C", "N": "N", "T": "T"}
    return ["#pass"] if action == "P" else [f"[data-place={places[action]}]"]


def _clicks_of_solitario(action: str, view: dict[str, Any]) -> list[str]:
    verb, source, *rest = (action + " ").split(" ")[:-1] if " " in action else (action, "")
    stock = "[data-place=stock]"
    if verb in ("draw", "turn"):
        return [stock]
    if verb == "up":
        return [f"[data-place=c{source}]"]
    up = [] if source == "w" or not source.isdigit() else view["columns"][int(source) - 1]["up"]
    count = int(rest[1]) if verb == "move" and len(rest) > 1 else 1
    start = f'[data-place="{up[-count]}"]' if up else "[data-place=w]"
    if verb == "home":
        return [start + ":right"]
    target = view["columns"][int(rest[0]) - 1]["up"]
    return [start, f'[data-place="{target[-1]}"]' if target else f"[data-place=c{rest[0]}]"]


def _clicks_of_challenge(action: str, view: dict[str, Any]) -> list[str]:
    return ["#pick-up"] if action == "pick up" else [f'#hand-near [data-place="{action[5:]}"]']


def _clicks_of_matrix(action: str, view: dict[str, Any]) -> list[str]:
    if action.startswith("play"):
        return [f'#tray [data-card="{action[5:]}"]']
    return ["#keep"]


GAMES = {
    "challenge": Game("challenge_hard", {"depth": 2}, _clicks_of_challenge),
    "matrix": Game("matrix_robot", {}, _clicks_of_matrix),
    "ttt": Game("ttt_demo", {"ViewCkNk": "TRUE", "ViewCard": "all"}, _clicks_of_target),
    "solitario": Game("solitario_briscola", {}, _clicks_of_solitario),
}


class SlowLine:
    """A proxy on the loopback interface that delays the data in each direction by ``delay`` seconds."""

    def __init__(self, port: int, delay: float) -> None:
        self.port, self._to, self._delay = free_port(), port, delay
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> SlowLine:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._connect, "127.0.0.1", self.port))
        self._loop.run_forever()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        await asyncio.gather(self._pass_on(reader, far_writer), self._pass_on(far_reader, writer))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            self._loop.call_later(self._delay, writer.write, data)
        self._loop.call_later(self._delay, writer.close)


class Table:
    """A participant's page, and the newest view that it has received."""

    def __init__(self, page: Page, game: str) -> None:
        self.page, self.game = page, game
        self.state: dict[str, Any] = {}
        page.on("websocket", lambda socket: socket.on("framereceived", self._hear))

    def _hear(self, frame: str | bytes) -> None:
        message = json.loads(frame)
        if isinstance(message, dict) and "view" in message:
            self.state = message

    def wait(self, condition: str) -> None:
        self.page.wait_for_function(condition, polling=20, timeout=TIMEOUT_MS)

    def play(self, action: str) -> float:
        """Makes the clicks of an action; returns the milliseconds from the last one to the painted frame."""
        *first, last = GAMES[self.game].clicks(action, self.state["view"])
        for selector in first:
            self._click(selector)
        self.page.evaluate("() => beginMove()")
        self._click(last)
        self.wait("() => window.painted !== null")
        return self.page.evaluate("() => window.painted")

    def _click(self, selector: str) -> None:
        button = "right" if selector.endswith(":right") else "left"
        place = self.page.locator("#board").locator(selector.removesuffix(":right")).first
        place.wait_for(timeout=TIMEOUT_MS)  # the board may first replay a turn
        box = place.bounding_box()
        top = box["y"] + min(box["height"] / 2, 10)  # other cards may lie on the rest
        self.page.mouse.click(box["x"] + box["width"] / 2, top, button=button)
        self.page.wait_for_timeout(30)


def measure(page: Page, server: LabServer, line: SlowLine, game: str, moves: int) -> Iterator[float]:
    """Yields the time, in ms, of each of so many moves with a predictable result."""
    rules = import_module(f"cardlab.games.{game}.rules")
    chance, table = random.Random(game), Table(page, game)
    setup = GAMES[game]
    for _hand in range(100):
        session = server.create_session(setup.config, 1, **{"check": False, **setup.fields})
        instructions = page.request.get(session.start_urls[0])
        page.request.post(instructions.url)
        page.goto(session.start_urls[0].replace(str(server.port), str(line.port)))
        table.wait(FREE)
        page.evaluate(WATCH)
        while table.state["over"] is None:
            while not _is_own_turn(table.state["view"]):
                page.wait_for_timeout(50)
            table.wait(AT_REST)
            legal = _legal_actions(rules, game, table.state["view"])
            known = page.evaluate(IS_KNOWN, [game, table.state["view"], legal])
            if not legal:
                break
            time = table.play(chance.choice(known or legal))
            if known:
                yield time
                moves -= 1
                if not moves:
                    return
            if table.page.locator("#result:visible").count():
                break
            table.wait("() => !document.querySelector('#board[data-unanswered]')")
            page.wait_for_timeout(250)


def _legal_actions(rules: Any, game: str, view: dict[str, Any]) -> list[str]:
    """Returns the legal actions, or all candidates where the view does not tell which are legal."""
    if game == "ttt":
        return ["U", "C", "N", "P", "T"] if view["turn"] else []
    if game == "solitario":
        strategies = import_module("cardlab.games.solitario.strategies")
        return [*rules.legal_moves(strategies.state_from_view(view))]
    if game == "matrix":
        return ["keep"] if view["rotator"] else [f"play {card}" for card in view["hand"]]
    return [action for action in view["may"] if action.startswith(("play", "pick"))]


def _is_own_turn(view: dict[str, Any]) -> bool:
    return view.get("seat") is None or view["seat"] in view["waiting_for"]


def show(game: str, times: list[float]) -> bool:
    """Prints a game's line; returns whether the bars are met."""
    figures = {"p50": median(times), "p95": quantiles(times, n=20)[-1] if len(times) > 1 else times[0]}
    words = ", ".join(f"{name} {ms:.0f} ms (bar {BARS[name]:.0f})" for name, ms in figures.items())
    print(f"{game}: {words}, slowest {max(times):.0f} ms, {len(times)} moves", flush=True)
    return all(ms <= BARS[name] for name, ms in figures.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=sorted(GAMES), default=sorted(GAMES))
    parser.add_argument("--moves", type=int, default=60, help="measured moves of each game")
    parser.add_argument("--round-trip", type=float, default=300, help="ms")
    chosen = parser.parse_args()
    program = os.environ.get("CARD_LAB_CHROMIUM") or find_browser()
    print(f"{os.cpu_count()} cores, {platform.system()}, round trip {chosen.round_trip:.0f} ms", flush=True)
    met = True
    with (
        tempfile.TemporaryDirectory() as folder,
        LabServer(Path(folder) / "card_lab") as server,
        SlowLine(server.port, chosen.round_trip / 2000) as line,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for game in chosen.games:
            context = browser.new_context(viewport=WINDOW)
            context.add_cookies(
                [
                    {"name": name, "value": value, "url": f"http://127.0.0.1:{line.port}"}
                    for name, value in server.browser.items()
                ]
            )
            met &= show(game, list(measure(context.new_page(), server, line, game, chosen.moves)))
            context.close()
        browser.close()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
