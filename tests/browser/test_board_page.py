"""Tests the analysis board in a browser: steps, branches and values, keyboard and mouse, layout."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from access import expect_accessible
from harnesses import GAMES
from player import DESK, PHONE
from playwright.sync_api import FrameLocator, Page, expect
from server_fixture import wait_for
from synthetic_actions import actions_csv

from cardlab.analysis.board.api import Board
from cardlab.analysis.board.server import BoardServer
from cardlab.analysis.board.starts import read_starts
from cardlab.analysis.board.values import Evaluator

LOG = """\
Challenge log 1
# session s3ss10n0 participant p1 game 1
size: 2
deal: KS AH AC KC | AS KH AD KD | participant
   1 participant  KD
   2 computer     KS
   3 participant  pick up
result: open
"""
SIZES = {"desk": (DESK, [(1280, 720), (1920, 1080), (844, 390)]), "phone": (PHONE, [(390, 844)])}


class Opened:
    """An open analysis board."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.moves = page.locator("#moves .move")
        self.line = page.locator("#line")

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("#stage iframe")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def expect_here(self, text: str) -> None:
        """Waits until the board shows the position after this move."""
        expect(self.line.locator("[aria-current]")).to_have_text(text)

    def expect_values(self) -> None:
        expect(self.page.locator("#computing")).to_have_text("", timeout=60_000)


@pytest.fixture
def open_board(browsers, tmp_path) -> Iterator:
    """Provides a function that serves a file and opens its page, which may request nothing from elsewhere."""
    evaluator = Evaluator()
    servers, pages, faults = [], [], []

    def open_page(path: Path, at: dict = DESK) -> Opened:
        running = BoardServer(Board(read_starts([str(path)], None, {}, faults.append), evaluator))
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        servers.append((running, thread))
        page = browsers.context(at).new_page()
        pages.append(page)
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("console", lambda message: "400" in message.text or faults.append(message.text))  # refused
        page.on(
            "request",
            lambda request: request.url.startswith((running.address, "data:")) or faults.append(request.url),
        )
        page.goto(running.address)
        expect(page.locator("#line [aria-current]")).to_have_count(1)
        return Opened(page)

    yield open_page
    for page in pages:
        page.close()
    for running, thread in servers:
        running.shutdown()
        running.server_close()
        thread.join()
    evaluator.close()
    assert faults == []


@pytest.fixture
def open_log(open_board, tmp_path) -> Opened:
    path = tmp_path / "challenge.log"
    path.write_text(LOG, "utf-8")
    return open_board(path)


def test_log_is_analysed_by_keyboard_alone(open_log):
    board = open_log
    board.expect_here("Deal")
    board.expect_values()
    values = board.page.locator("#moves .value").all_inner_texts()
    assert set(values) >= {"won"}
    expect(board.page.locator("#moves .source").first).to_contain_text("exact")
    expect(board.page.locator(".move", has_text="played")).to_contain_text("S: play KD")
    board.press("ArrowRight", "ArrowRight")
    board.expect_here("2N: play KS")
    board.press("End")
    board.expect_here("3S: pick up")
    board.press("Home", "ArrowRight")
    board.expect_here("1S: play KD")
    # Play a different answer.
    board.expect_values()
    while "pick up" not in board.page.locator("#moves [aria-selected=true]").inner_text():
        board.press("ArrowDown")
    board.press("Enter")
    board.expect_here("2N: pick up")
    expect(board.page.locator("#variations")).to_have_text("1 variation")
    expect(board.line.locator(".variation [aria-current]")).to_have_count(1)
    board.press("v")
    board.expect_here("2N: play KS")
    board.press("v")
    board.expect_here("2N: pick up")
    board.press("Escape")
    board.expect_here("1S: play KD")
    board.press("ArrowRight")
    board.expect_here("2N: play KS")


def test_cards_are_played_on_the_board(open_log):
    board = open_log
    board.frame.locator("[data-place=AS]").click()
    board.expect_here("1S: play AS")
    expect(board.frame.locator("#table .card[data-card=AS]")).to_have_count(1)
    board.press("ArrowLeft")  # the page's keys also work after a click on the board
    board.expect_here("Deal")
    expect(board.frame.locator("#table .card[data-card=AS]")).to_have_count(0)
    board.expect_values()
    first = board.page.locator("#moves [aria-selected=true] .action").inner_text().removesuffix(" tried")
    board.press("Enter")
    expect(board.line.locator("[aria-current]")).to_contain_text(first)


def test_position_is_set_up_or_refused(open_log):
    board = open_log
    board.page.get_by_text("Set up a position").click()
    board.page.get_by_label("Deal", exact=True).fill("KS | AS KH")
    board.page.get_by_role("button", name="Set up").click()
    expect(board.page.locator("#note")).to_contain_text("A deal has 3 sections")
    board.page.get_by_label("Deal", exact=True).fill("KS QS | AS KH | computer")
    board.page.get_by_role("button", name="Set up").click()
    expect(board.page.locator("#summary")).to_contain_text("position set up")
    expect(board.moves.filter(has_text="N: play KS")).to_have_count(1)
    board.page.get_by_label("Open a table").set_input_files(
        {"name": "again.log", "mimeType": "text/plain", "buffer": LOG.encode()}
    )
    expect(board.page.locator("#summary")).to_contain_text("game 1")


def test_hidden_cards_can_be_covered(open_board, tmp_path):
    path = tmp_path / "ttt.csv"
    path.write_text(actions_csv(GAMES["ttt"].harness.replayed()), "utf-8")
    board = open_board(path)
    hidden = board.frame.locator("[data-place=C] .card[data-card]")
    expect(hidden).to_have_count(1)
    board.press("a")
    expect(hidden).to_have_count(0)
    board.press("a")
    expect(hidden).to_have_count(1)


@pytest.mark.long(
    "the other games have the same page",
    only=[game for game in GAMES if game != "triangle"],
)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", SIZES)
def test_board_passes_layout_checks_at_every_size(open_board, tmp_path, game, kind):
    at, sizes = SIZES[kind]
    path = tmp_path / f"{game}.csv"
    path.write_text(actions_csv(GAMES[game].harness.replayed()), "utf-8")
    board = open_board(path, at)
    board.press("ArrowRight", "ArrowRight", "ArrowRight")
    board.expect_values()
    for width, height in sizes:
        board.page.set_viewport_size({"width": width, "height": height})
        wait_for(lambda height=height: not faults(board, kind, height), "a page in order", seconds=15)
        if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
            board.page.screenshot(path=Path(folder, f"board-{game}-{width}x{height}.png"), full_page=True)
    expect_accessible(board.page, f"board-{game}", by_size=kind == "phone")
    board.page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})


def faults(board: Opened, kind: str, height: int) -> list[str]:
    """Returns the layout faults in a window of this height."""
    wide, room, high = board.page.evaluate(
        "[document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight]"
    )
    stage = board.page.locator("#stage").bounding_box()
    shown = board.frame.locator("#board").bounding_box()
    controls = board.page.locator(".controls").bounding_box()
    moves = board.page.locator("#moves").bounding_box()
    in_order = {
        "the width of the page": wide <= room,
        "the height of the page": kind == "phone" or high <= height,
        "the board in the stage": all(
            shown[start] >= stage[start] - 1
            and shown[start] + shown[length] <= stage[start] + stage[length] + 1
            for start, length in (("x", "width"), ("y", "height"))
        ),
        "the board above the controls": shown["y"] + shown["height"] <= controls["y"] + 1,
        "the controls in the window": controls["y"] + controls["height"] <= height,
        "the moves in sight": moves["y"] < height - 60,
    }
    return [what for what, well in in_order.items() if not well]
