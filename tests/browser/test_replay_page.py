"""Tests a replay opened from disk: steps, keys, playback, hidden cards, no network."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harnesses import GAMES
from player import DESK, PHONE
from playwright.sync_api import FrameLocator, Page, expect
from server_fixture import wait_for
from synthetic_actions import MARKUP_LABEL, SCRIPT_INJECTION, actions_csv

from cardlab.analysis import replay
from cardlab.analysis.actions_table import read_hands

SIZES = {
    "desk": (DESK, [(1280, 720), (1024, 768), (1100, 700), (900, 700), (1920, 1080)]),
    "phone": (PHONE, [(390, 844)]),
}
HANDS = {name: game.harness.replayed() for name, game in GAMES.items()}

# Returns the sorted names of all cards that the board shows.
CARDS = """board => [...board.querySelectorAll(".card[data-card]")].map(card => card.dataset.card).sort()"""


class Opened(NamedTuple):
    """A replay that is open in a browser, with the views expected by the rules."""

    page: Page
    rows: list[dict[str, str]]
    views: list[dict[str, Any]]

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("#stage iframe")

    def expect_step(self, number: int) -> None:
        expect(self.page.locator("#step")).to_have_text(f"{number} of {len(self.rows) - 1}")

    def cards(self) -> list[str]:
        return self.frame.locator("#board").evaluate(CARDS)


@pytest.fixture
def open_replay(browsers, tmp_path):
    """Provides a function that opens a game's replay, which may request nothing and raise no error."""
    faults, pages = [], []

    def open_page(
        game: str, at: dict = DESK, hands: list[list[dict]] | None = None, own_window: bool = False
    ) -> Opened:
        rows = HANDS[game]
        seat = max(row["seat"] for row in rows)  # with several players, not the first one of the table
        path = tmp_path / f"{game}.html"
        text = io.StringIO()
        replay.write_page(
            read_hands(io.StringIO(actions_csv(*(hands or [rows]))), "actions.csv"),
            text,
            participant=f"code_{seat}",
        )
        path.write_text(text.getvalue(), "utf-8")
        context = browsers.program.new_context(**at) if own_window else browsers.context(at)
        page = context.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: request.url.startswith(("data:", path.as_uri())) or faults.append(request.url),
        )
        page.goto(path.as_uri())
        expect(page.locator("#events li[aria-current]")).to_have_count(1)
        return Opened(page, rows, views_of(game, rows, seat))

    yield open_page
    for page in pages:
        page.close()
    assert faults == []


def views_of(game: str, rows: list[dict[str, str]], seat: str) -> list[dict[str, Any]]:
    """Returns the seat's view after each row."""
    rules = GAMES[game].rules
    state = rules.start(rows[0]["action"].removeprefix("deal "), json.loads(rows[0]["settings"]))
    views = [rules.view(state, seat)]
    for row in rows[1:]:
        if row["accepted"] == "1" and row["seat"]:
            state = rules.apply(state, row["seat"], row["action"])
        views.append(rules.view(state, seat))
    return views


@pytest.mark.long("the same as in the matrix game", only=("ttt_pair", "triangle", "solitario", "challenge"))
@pytest.mark.parametrize("game", HANDS)
def test_every_step_shows_only_visible_cards(open_replay, game):
    replay, in_sight = open_replay(game), GAMES[game].harness.in_sight
    for number, view in enumerate(replay.views):
        replay.expect_step(number)
        assert replay.cards() == in_sight(view), f"step {number}"
        replay.page.keyboard.press("ArrowRight")
    replay.page.keyboard.press("ArrowRight")  # there is no step after the last
    replay.expect_step(len(replay.views) - 1)
    for number in reversed(range(0, len(replay.views) - 1, 5)):
        replay.page.locator("#events li").nth(number).click()
        replay.expect_step(number)
        assert replay.cards() == in_sight(replay.views[number])


@pytest.mark.long("steps forward show the same boards")
def test_stepping_back_restores_the_earlier_board(open_replay):
    """In the matrix card game, a card keeps its place in the hand, which no single view determines."""
    replay = open_replay("matrix")
    tray = replay.frame.locator("#tray")
    ways = []
    for _ in range(30):
        ways.append(tray.evaluate(CARDS.replace(".sort()", "")))
        replay.page.keyboard.press("ArrowRight")
    assert any(hand != view["hand"] for hand, view in zip(ways, replay.views) if len(hand) == 7)
    for hand in reversed(ways):
        replay.page.keyboard.press("ArrowLeft")
        assert tray.evaluate(CARDS.replace(".sort()", "")) == hand


def test_other_seats_steps_are_shown_on_request(open_replay):
    replay = open_replay("matrix")
    secret = [row["action"] for row in replay.rows if row["seat"] == "S" and row["accepted"] == "1"]
    assert any(action.startswith("play ") for action in secret)
    events, inside = replay.page.locator("#events"), replay.page.locator("#inside")
    assert not any(f"S: {action}" in events.inner_text() for action in secret)
    expect(inside).to_be_hidden()
    replay.page.get_by_label("Show what was hidden").check()
    assert all(f"S: {action}" in events.inner_text() for action in secret)
    expect(inside).to_contain_text(replay.rows[0]["action"].removeprefix("deal "))
    replay.page.get_by_label("Show what was hidden").uncheck()
    assert not any(f"S: {action}" in events.inner_text() for action in secret)
    expect(inside).to_be_empty()


def test_refused_action_is_shown_as_plain_text(open_replay):
    replay = open_replay("ttt")
    refused = next(index for index, row in enumerate(replay.rows) if row["accepted"] == "0")
    replay.page.locator("#events li").nth(refused).click()
    expect(replay.page.locator("#now")).to_contain_text(
        f"Refused {SCRIPT_INJECTION} “{replay.rows[refused]['reason']}”"
    )
    expect(replay.page.locator("#who")).to_have_text(f"{MARKUP_LABEL} (code_solo)")
    assert replay.page.locator("img, #events script").count() == 0
    expect(replay.page.locator("#client")).to_have_text(replay.rows[refused]["client_ms"])
    expect(replay.page.locator("#server")).to_have_text(replay.rows[refused]["server_time_utc"][11:-1])


def test_keys_and_buttons_step_alike(open_replay):
    replay = open_replay("ttt")
    last = len(replay.rows) - 1
    for key, button, number in (
        ("End", "Last step", last),
        ("ArrowLeft", "Step back", last - 1),
        ("Home", "First step", 0),
        ("ArrowRight", "Step forward", 1),
    ):
        replay.page.keyboard.press(key)
        replay.expect_step(number)
        replay.page.keyboard.press("End" if number < 2 else "Home")
        if key in ("ArrowLeft", "ArrowRight"):
            replay.page.keyboard.press("Home" if number < 2 else "End")
        replay.page.get_by_role("button", name=button).click()
        replay.expect_step(number)


def test_keys_that_step_do_not_scroll_the_page(open_replay):
    replay = open_replay("ttt")
    replay.page.set_viewport_size({"width": 250, "height": 300})
    assert replay.page.evaluate("document.documentElement.scrollHeight") > 300
    replay.page.evaluate("document.body.style.width = '700px'")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Space", "Space", "End", "Home"):
        replay.page.keyboard.press(key)
    replay.expect_step(0)
    assert replay.page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_playback_follows_the_clock_and_pauses(open_replay):
    replay = open_replay("ttt", own_window=True)
    page = replay.page
    page.clock.install()
    page.keyboard.press("4")
    expect(page.get_by_role("button", name="10×")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(1100)  # plays 11 s of the hand
    replay.expect_step(6)
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    replay.expect_step(6)
    page.keyboard.press("Space")
    page.clock.run_for(1000)
    replay.expect_step(len(replay.rows) - 1)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_several_hands_are_chosen_from_a_list(open_replay):
    replay = open_replay("ttt", hands=[GAMES["ttt"].harness.replayed(number) for number in (1, 2)])
    replay.page.keyboard.press("End")
    replay.page.get_by_role("button", name="Next hand").click()
    replay.expect_step(0)
    expect(replay.page.locator("#summary")).to_contain_text("hand 2")
    replay.page.get_by_role("combobox").select_option(index=0)
    expect(replay.page.locator("#summary")).to_contain_text("hand 1")
    replay.expect_step(0)
    expect(replay.page).to_have_url(re.compile("#hand=1&step=0$"))  # or it may overwrite the next address
    # The address selects a step of a hand, and follows the step that is shown.
    replay.page.evaluate("location.hash = '#hand=2&step=3'")
    expect(replay.page.locator("#summary")).to_contain_text("hand 2")
    replay.expect_step(3)
    replay.page.keyboard.press("ArrowRight")
    replay.expect_step(4)
    assert replay.page.url.endswith("#hand=2&step=4")
    replay.page.reload()
    expect(replay.page.locator("#summary")).to_contain_text("hand 2")
    replay.expect_step(4)


DESKS = [f"desk-{game}" for game in HANDS if game not in ("ttt", "matrix")]


@pytest.mark.long("narrow windows are the harder ones", only=DESKS)
@pytest.mark.parametrize("game", HANDS)
@pytest.mark.parametrize("kind", SIZES)
def test_replay_passes_layout_checks_at_every_size(open_replay, game, kind):
    at, sizes = SIZES[kind]
    replay = open_replay(game, at, hands=[HANDS[game]])
    page = replay.page
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    for width, height in sizes:
        if len(sizes) > 1:
            page.set_viewport_size({"width": width, "height": height})
        folder = os.environ.get("CARD_LAB_SCREENSHOTS")
        if folder:
            page.screenshot(path=Path(folder, f"replay-{game}-{width}x{height}.png"), full_page=True)
        expect_in_order(replay, kind, height)


def expect_in_order(replay: Opened, kind: str, height: int) -> None:
    """Waits until the page has adapted to a new window size without layout faults."""
    try:
        wait_for(lambda: not faults(replay, kind, height), "a page in order", seconds=15)
    except AssertionError:
        assert faults(replay, kind, height) == []
        raise


def faults(replay: Opened, kind: str, height: int) -> list[str]:
    """Returns the layout faults in a window of this height."""
    page = replay.page
    wide, room, high = page.evaluate(
        "[document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight]"
    )
    stage = page.locator("#stage").bounding_box()
    board = replay.frame.locator("#board").bounding_box()
    controls = page.locator(".controls").bounding_box()
    in_order = {
        "the width of the page": wide <= room,
        "the height of the page": kind == "phone" or high <= height,
        "the board in the stage": all(
            board[start] >= stage[start] - 1
            and board[start] + board[length] <= stage[start] + stage[length] + 1
            for start, length in (("x", "width"), ("y", "height"))
        ),
        "the board above the controls": board["y"] + board["height"] <= controls["y"],
        "the controls in the window": controls["y"] + controls["height"] <= height,
    }
    return [what for what, well in in_order.items() if not well]
