"""Tests what a real browser reports: lost focus, a hidden page, full screen, sizes, the kind of input.

Playwright makes every page believe that it is visible and has the focus. Therefore these tests control the
browser over its own protocol, and really minimize its window.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from player import DESK
from playwright.sync_api import expect
from server_fixture import LabSession, wait_for
from tabs import _connected, _wait

from cardlab.analysis.commands import main
from cardlab.games.browser_events import read_path

WIDE, NARROW = {"width": 1280, "height": 720}, {"width": 900, "height": 640}


class Window:
    """A Chromium window with one page, controlled over the DevTools protocol."""

    def __init__(self, port_file: Path) -> None:
        wait_for(lambda: port_file.exists() and len(port_file.read_text().split()) == 2, "the browser")
        port, path = port_file.read_text().split()
        self._numbers = itertools.count(1)
        self._socket = _wait(_connected(f"ws://127.0.0.1:{port}{path}", {}))
        target = self.send("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._page = {"sessionId": attached["sessionId"]}
        self._window = self.send("Browser.getWindowForTarget", targetId=target)["windowId"]

    def send(self, method: str, on_page: bool = False, **params: Any) -> dict[str, Any]:
        """Sends a command to the browser or its page; returns the result."""
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params, **(self._page if on_page else {})}
        _wait(self._socket.send(json.dumps(command)))
        while (answer := json.loads(_wait(self._socket.recv()))).get("id") != number:
            pass  # skips events of the browser
        assert "error" not in answer, answer
        return answer["result"]

    def resize(self, **bounds: Any) -> None:
        self.send("Browser.setWindowBounds", windowId=self._window, bounds=bounds)

    def evaluate(self, script: str) -> Any:
        """Runs a script on the page as if by a user's gesture; returns its value."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        return self.send("Runtime.evaluate", True, expression=script, **options)["result"].get("value")

    def wait_until(self, condition: str) -> None:
        wait_for(lambda: self.evaluate(condition), condition)

    def move(self, x: float, y: float) -> None:
        """Moves the mouse."""
        self.send("Input.dispatchMouseEvent", True, type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        self.send("Input.dispatchKeyEvent", True, type="keyDown", key=key, text=key)
        self.send("Input.dispatchKeyEvent", True, type="keyUp", key=key)


@pytest.fixture
def window(chromium, tmp_path) -> Iterator[Window]:
    """Provides a window in a separate browser."""
    folder = tmp_path / "browser"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    command = [chromium, *options, f"--user-data-dir={folder}", "about:blank"]
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **output, start_new_session=True)
    try:
        yield Window(folder / "DevToolsActivePort")
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # Debian's command is a script that starts the browser
        process.wait()


def rows_of(server, session: LabSession) -> list[dict[str, str]]:
    text = server.api(f"/api/export_browser_events?session_code={session.code}").decode()
    return list(csv.DictReader(io.StringIO(text)))


def reported(server, session: LabSession, *events: str) -> list[dict[str, str]]:
    """Waits until the rows contain these events in this order; returns the rows."""

    def complete():
        rows = rows_of(server, session)
        names = iter([row["event"] for row in rows])
        return all(event in names for event in events) and rows

    return wait_for(complete, f"the events {events}")


def details_of(rows: list[dict[str, str]], event: str) -> list[dict[str, Any]]:
    return [json.loads(row["details"]) for row in rows if row["event"] == event]


def open_first_hand(window: Window, session: LabSession) -> None:
    window.resize(**WIDE)
    window.send("Page.navigate", True, url=session.start_urls[0])
    window.wait_until("document.querySelector('#coach') !== null")
    window.evaluate("document.querySelector('form').submit()")
    window.wait_until("document.querySelector('.hand #board[aria-disabled=false]') !== null")


def actions_of(server, session: LabSession) -> str:
    wait_for(lambda: ",C,1," in server.export(session.code), "the move")
    return server.export(session.code)


def test_real_browser_reports_what_happens(server, window, tmp_path):
    session = server.create_session("ttt_demo", 1, ShowFileName="browser.txt", check=False)
    open_first_hand(window, session)
    reported(server, session, "opened")

    window.resize(windowState="minimized")
    window.wait_until("document.hidden")
    reported(server, session, "opened", "hidden")
    window.resize(windowState="normal")
    window.wait_until("!document.hidden && document.hasFocus()")
    window.resize(**NARROW)
    reported(server, session, "hidden", "visible", "resized")
    window.evaluate("document.documentElement.requestFullscreen()")
    reported(server, session, "full screen")
    window.evaluate("document.exitFullscreen()")
    reported(server, session, "full screen", "full screen left")
    window.press("c")
    rows = reported(server, session, "full screen left", "input")
    rows = [row for row in rows if row["tab"] == rows[-1]["tab"]]  # without the previous page
    names = [row["event"] for row in rows]
    assert {"blur", "focus"} < set(names)
    assert names.index("blur") < names.index("focus")
    assert {row["hand_id"] for row in rows if row["event"] in ("hidden", "visible", "resized")} == {
        f"ttt_solo_app-{session.code}-{session.participants[0]}-1"
    }
    opened = details_of(rows, "opened")[-1]
    assert (opened["browser"], opened["visible"]) == ("Chrome", True)
    assert details_of(rows, "resized")[-1]["width"] == window.evaluate("innerWidth") < opened["width"]
    assert details_of(rows, "input")[-1] == {"type": "keyboard"}

    (tmp_path / "browser_events.csv").write_bytes(
        server.api(f"/api/export_browser_events?session_code={session.code}")
    )
    (tmp_path / "ttt_solo_app_actions.csv").write_text(actions_of(server, session), "utf-8")
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "report"), "--no-search"]) == 0
    with (tmp_path / "report" / "quality.csv").open(encoding="utf-8", newline="") as table:
        (quality,) = csv.DictReader(table)
    assert (quality["left_hands"], quality["several_tabs"]) == ("1", "0")
    assert float(quality["left_seconds"]) > 0


def test_path_of_the_pointer_is_replayed(server, window, browsers, tmp_path):
    session = server.create_session(
        "ttt_demo", 1, ShowFileName="browser.txt", check=False, pointer_path_hz=10
    )
    open_first_hand(window, session)
    box = window.evaluate("document.getElementById('board').getBoundingClientRect().toJSON()")
    for part in (0.1, 0.5, 0.9):
        window.move(box["x"] + part * box["width"], box["y"] + part * box["height"])
        window.evaluate("new Promise(done => setTimeout(done, 150))")  # so that a sample of the path is taken
    window.press("c")
    actions = actions_of(server, session)
    window.resize(windowState="minimized")
    paths = details_of(reported(server, session, "pointer", "hidden"), "pointer")
    places = [(point.x, point.y) for path in paths for point in read_path(**path)]
    assert all(abs(part - 100 * round(part / 100)) <= 3 for place in places for part in place), places
    hundreds = [(round(x / 100), round(y / 100)) for x, y in places]
    assert [place for place, _same in itertools.groupby(hundreds)] == [(1, 1), (5, 5), (9, 9)]

    events = server.api(f"/api/export_browser_events?session_code={session.code}")
    (tmp_path / "browser_events.csv").write_bytes(events)
    (tmp_path / "ttt_solo_app_actions.csv").write_text(actions, "utf-8")
    file = tmp_path / "replay.html"
    assert main(["replay", str(tmp_path), "--participant", session.participants[0], "-o", str(file)]) == 0
    page = browsers.context(DESK).new_page()
    page.goto(file.as_uri())
    expect(page.locator("#step")).to_have_text(re.compile("0 of"))
    page.keyboard.press("End")
    pointer = page.frame_locator("iframe").locator(".pointer-path i")
    expect(pointer).to_be_visible()
    board = page.frame_locator("iframe").locator("#board").bounding_box()
    dot = pointer.bounding_box()
    assert dot["x"] + dot["width"] / 2 == pytest.approx(board["x"] + 0.9 * board["width"], abs=2)
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        page.screenshot(path=Path(folder, "replay-pointer.png"))
    page.get_by_role("checkbox", name="Show the path of the pointer").uncheck()
    expect(pointer).to_be_hidden()
    page.close()
