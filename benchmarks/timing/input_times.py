"""Measures how accurate the recorded times are: from an input event to `client_ms`, and to the painted frame.

    CARD_LAB_CHROMIUM=/usr/bin/chromium .venv/bin/python benchmarks/timing/input_times.py

Starts Card Lab and a browser, and presses a button of a hand many times. In Chromium the input events are
injected with their own time (CDP Input.dispatchMouseEvent). In Firefox (WebDriver BiDi) the browser sets it.
Then the recorded times are compared with those of the events, on the page's clock, and with the moment just
before the press was sent. The latter includes the latency of the browser's automation. With ``--loaded``, two
busy processes per core run at the same time. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import multiprocessing
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles, stdev
from typing import Any, NamedTuple, Protocol

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import websockets  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from server_fixture import LabServer, LabSession  # noqa: E402 - the real server of the tests
from system_packages import find_browser  # noqa: E402

BARS = {"median": 10.0, "SD": 5.0}  # ms, at most, from the event to the recorded time
TIMEOUT_SECONDS = 120.0
SESSION = {"check": False, "tutorial": "free", "MaxRounds": "1000"}

# Runs before the page's own scripts. Records the start of the hand, each press and each painted frame, by the
# page's clock.
WATCH = """() => {
    const seen = window.seen = { zero: null, pressed: [], painted: [] };
    const shown = () => JSON.stringify([...document.querySelectorAll("#board [data-turn]")].map(
        at => at.dataset.place ?? at.id));
    let before = "", waits = false;
    const Native = window.WebSocket;
    window.WebSocket = class extends Native {
        constructor(address, ...others) {
            super(address, ...others);
            if (String(address).includes("/hand/")) this.addEventListener("message", ({ data }) => {
                const message = JSON.parse(data);
                if (seen.zero === null && message?.clock !== undefined) {
                    seen.zero = performance.now() - message.clock;
                }
            });
        }
    };
    addEventListener("pointerup", event => {
        seen.pressed.push(event.timeStamp);
        [before, waits] = [shown(), true];
    }, true);
    addEventListener("DOMContentLoaded", () => {
        new MutationObserver(() => {
            if (!waits || shown() === before) return;
            waits = false;
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = () => seen.painted.push(performance.now());
                port2.postMessage(0); // handled after the frame is painted
            });
        }).observe(document.querySelector("#board"), { subtree: true, childList: true, attributes: true });
    });
}"""
READY = "document.querySelector('#board[aria-disabled=false]:not([data-unanswered])') !== null"
MIDDLE = """(({ x, y, width, height }) => [x + width / 2, y + height / 2])(
    document.querySelector("#pass").getBoundingClientRect())"""


class Driver(Protocol):
    """A browser with one page."""

    def open(self, address: str) -> None: ...
    def evaluate(self, expression: str) -> Any: ...
    def press(self, x: float, y: float) -> float:
        """Presses a button; returns when it was sent, in Unix seconds."""
        ...


class Chromium:
    """Chromium, whose input events are injected with their own time."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.add_init_script(f"({WATCH})()")
        self._devtools = page.context.new_cdp_session(page)

    def open(self, address: str) -> None:
        self._page.goto(address)

    def evaluate(self, expression: str) -> Any:
        return self._page.evaluate(expression)

    def press(self, x: float, y: float) -> float:
        at = {"x": x, "y": y, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "timestamp": (sent := time.time()), **at}
            self._devtools.send("Input.dispatchMouseEvent", event)
        return sent


class Firefox:
    """Firefox over WebDriver BiDi, without a separate driver program."""

    def __init__(self, address: str) -> None:
        self._loop, self._number = asyncio.new_event_loop(), 0
        self._socket = self._loop.run_until_complete(self._connect(address))
        self._send("session.new", capabilities={})
        self._send("script.addPreloadScript", functionDeclaration=WATCH)
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]
        size = {"width": 1280, "height": 720}
        self._send("browsingContext.setViewport", context=self._context, viewport=size)

    @staticmethod
    async def _connect(address: str) -> Any:
        return await websockets.connect(address, max_size=None, ping_interval=None)

    def _send(self, method: str, **params: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(self._ask(method, params), TIMEOUT_SECONDS))

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while (answer := json.loads(await self._socket.recv())).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}: {answer.get('message')}")
        return answer["result"]

    def close(self) -> None:
        """Disconnects."""
        self._loop.run_until_complete(self._socket.close())

    def open(self, address: str) -> None:
        self._send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        asked = {"expression": f"JSON.stringify({expression})", "awaitPromise": False}
        answer = self._send("script.evaluate", target={"context": self._context}, **asked)
        return json.loads(answer["result"]["value"])

    def press(self, x: float, y: float) -> float:
        at = {"type": "pointerMove", "x": round(x), "y": round(y)}
        actions = [at, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "actions": actions}
        sent = time.time()
        self._send("input.performActions", context=self._context, actions=[mouse])
        return sent


class Press(NamedTuple):
    """One press, by the page's clock in ms: sent, time of its event, recorded time, painted frame."""

    sent: float
    event: float
    recorded: float
    painted: float


@contextmanager
def chromium(server: LabServer) -> Iterator[Driver]:
    """Runs Chromium."""
    program = os.environ.get("CARD_LAB_CHROMIUM") or find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        print(f"Chromium {browser.version}", flush=True)
        yield Chromium(browser.new_context(viewport={"width": 1280, "height": 720}).new_page())
        browser.close()


@contextmanager
def firefox(server: LabServer) -> Iterator[Driver]:
    """Runs Firefox, without a window."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        raise SystemExit("Firefox is not installed: apt-get install firefox-esr")
    print(subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip(), flush=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            listening = next(
                filter(None, (re.search(r"BiDi listening on (ws\S+)", line) for line in process.stderr))
            )
            driver = Firefox(f"{listening[1]}/session")
            yield driver
            driver.close()
        finally:
            process.terminate()
            process.wait()


BROWSERS = {"chromium": chromium, "firefox": firefox}


def wait_until(driver: Driver, expression: str) -> None:
    """Waits for a condition of the page."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while not driver.evaluate(expression):
        if time.monotonic() > end:
            raise TimeoutError(expression)
        time.sleep(0.01)


def measure(
    driver: Driver, server: LabServer, session: LabSession, presses: int, minutes: float
) -> list[Press]:
    """Presses the button so many times, at random moments, and returns the times of each."""
    pause = 60 * minutes / presses  # seconds on average
    chance = random.Random(1)
    driver.open(session.start_urls[0])
    wait_until(driver, READY)
    for _step in range(60):
        if "/Hand/" in driver.evaluate("location.pathname"):
            break
        driver.evaluate("(document.querySelector('.otree-btn-next').click(), true)")
        time.sleep(0.1)
    driver.open(session.start_urls[0])  # in a new document
    wait_until(driver, READY)
    x, y = driver.evaluate(MIDDLE)
    sent: list[float] = []
    for number in range(1, presses + 1):
        sent.append(1000 * driver.press(x, y))
        wait_until(driver, f"seen.painted.length >= {number}")
        wait_until(driver, READY)
        time.sleep(chance.uniform(0.25, 1.75) * pause)
    seen = driver.evaluate("seen")
    rows = csv.DictReader(io.StringIO(server.export(session.code)))
    recorded = [float(row["client_ms"]) for row in rows if row["action"] == "P" and row["accepted"] == "1"]
    assert len(recorded) == len(seen["pressed"]) == len(seen["painted"]) == presses, "a press was lost"
    origin = driver.evaluate("performance.timeOrigin")
    times = zip(sent, seen["pressed"], recorded, seen["painted"])
    return [Press(at - origin, event, ms + seen["zero"], painted) for at, event, ms, painted in times]


def figures(times: list[float]) -> dict[str, float]:
    """Returns median, SD and 99th percentile, in ms."""
    return {"median": median(times), "SD": stdev(times), "p99": quantiles(times, n=100)[-1]}


def show(name: str, pressed: list[Press]) -> bool:
    """Prints the figures; returns whether the bars are met."""
    late = [one.recorded - one.event for one in pressed]
    tenth = max(1, len(late) // 10)
    found = {"recorded": figures(late), "painted": figures([one.painted - one.event for one in pressed])}
    found["recorded after sending"] = figures([one.recorded - one.sent for one in pressed])
    for what, values in found.items():
        print(f"{name}, {what}: " + ", ".join(f"{key} {ms:.1f} ms" for key, ms in values.items()), flush=True)
    minutes = (pressed[-1].event - pressed[0].event) / 60_000
    drift = median(late[-tenth:]) - median(late[:tenth])
    print(f"{name}, drift: {drift:+.1f} ms in {minutes:.1f} min, {len(pressed)} presses", flush=True)
    return all(found["recorded"][key] <= bar for key, bar in BARS.items())


def burn() -> None:
    """Keeps a core busy."""
    while True:
        sum(range(100_000))


@contextmanager
def load(is_loaded: bool) -> Iterator[None]:
    """Keeps all cores busy within the block, if ``is_loaded``."""
    count = 2 * (os.cpu_count() or 1) if is_loaded else 0
    burning = [multiprocessing.Process(target=burn, daemon=True) for _process in range(count)]
    for one in burning:
        one.start()
    try:
        yield
    finally:
        for one in burning:
            one.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browsers", nargs="+", choices=[*BROWSERS], default=[*BROWSERS])
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=1, help="how long, at least, for the drift; 1")
    parser.add_argument("--loaded", action="store_true", help="keep all cores busy")
    chosen = parser.parse_args()
    state = "loaded" if chosen.loaded else "quiet"
    print(f"{os.cpu_count()} cores, {platform.system()}, {state}", flush=True)
    met = True
    with tempfile.TemporaryDirectory() as folder, LabServer(Path(folder) / "card_lab") as server:
        for name in chosen.browsers:
            session = server.create_session("ttt_demo", 1, **SESSION, one_browser_per_seat=False)
            with BROWSERS[name](server) as driver, load(chosen.loaded):
                met &= show(name, measure(driver, server, session, chosen.presses, chosen.minutes))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
