"""Tests the boards of all games with wide text and in a pause, and the dialogs of their pages."""

from __future__ import annotations

import json

import pytest
from challenge_player import ChallengePlayer
from layout import (
    EXTREMES,
    expect_dialogs_in_order,
    expect_no_fault,
    expect_nothing_lost_to_wide_text,
)
from matrix_player import MatrixPlayer
from player import DESK, Player
from playwright.sync_api import expect
from solitario_player import SolitarioPlayer
from triangle_player import TrianglePlayer, file_of, with_triangles
from ttt_player import TargetPlayer

# Settings that show all optional parts of a hand page.
ALL_PARTS = {
    **{"check": False, "leave_button": "paid", "help_button": True},
    **{"earnings_so_far": True, "purse": True},
}
BOTH = {"deal_file": file_of("both"), "doubled": 4, "mixed_in": 5, "show_left": True}
BOARDS: dict[str, tuple[type[Player], str, dict[str, object]]] = {
    "Target the Two": (TargetPlayer, "ttt_demo", {"time_limit_seconds": 3599}),
    "a pair": (TargetPlayer, "ttt_pair_robot", {"turn_limit_seconds": 599}),
    "matrix of two": (MatrixPlayer, "matrix_robot", {"turn_limit_seconds": 599, "change_choice": True}),
    "matrix of four": (MatrixPlayer, "matrix_four", {"group_size": 1}),
    "Triangle": (TrianglePlayer, "triangle_hard", {"hands": 1, **BOTH}),
    "Solitario": (SolitarioPlayer, "solitario_tarocco", {}),
    "Challenge": (ChallengePlayer, "challenge_hard", {"hints": True, "draw_offers": True, "depth": 0}),
}


@pytest.fixture
def seat(seat_participant, browsers, server):
    """Provides a function that seats a player in a new session of a game, as in ``seat("Triangle")``."""

    def in_a_session(game: str, **fields: object) -> Player:
        seat_participant.player_class, config, own_fields = BOARDS[game]
        session = with_triangles(server).create_session(config, **{**ALL_PARTS, **own_fields, **fields})
        return seat_participant.tab(browsers.context(DESK), server, session)

    return in_a_session


def to_the_hand(player: Player) -> Player:
    player.pass_the_instructions()
    player.arrive().expect_live()
    player.page.wait_for_url("**/Hand/**")
    return player


@pytest.mark.long("a table of four has less room", only="matrix of two")
@pytest.mark.parametrize("game", BOARDS)
def test_dialogs_fit_and_wide_text_is_legible(seat, game):
    player = seat(game).arrive()
    player.expect_live()
    expect_nothing_lost_to_wide_text(player, f"instructions of {game}")
    player.page.set_viewport_size(DESK["viewport"])
    player.skip_steps()
    player.page.wait_for_url("**/Hand/**")
    player.expect_live()
    expect_nothing_lost_to_wide_text(player, f"hand of {game}")
    expect_dialogs_in_order(player, f"hand of {game}")


SMALL_WINDOWS = [(390, 844), (844, 390)]
IS_ON_THE_BOARD = """() => {
    const spotlight = document.getElementById("spotlight");
    const [light, layer] = [spotlight, spotlight.parentElement].map(each => each.getBoundingClientRect());
    const isInside = (low, high) => light[low] > layer[low] - 0.5 && light[high] < layer[high] + 0.5;
    return isInside("left", "right") && isInside("top", "bottom");
}"""


def test_spotlight_stays_on_the_board(seat):
    """The hand is as wide as the board, whose edge would cut off the sides of the spotlight."""
    player = seat("matrix of two").arrive()
    expect(player.page.locator("#spotlight")).to_be_visible()
    for width, height in SMALL_WINDOWS:
        player.page.set_viewport_size({"width": width, "height": height})
        player.wait_until(IS_ON_THE_BOARD)


def test_small_pages_show_a_sign_for_help(seat):
    player = to_the_hand(seat("Target the Two"))
    button = player.page.locator("#ask-for-help")
    for width, height in SMALL_WINDOWS:
        player.page.set_viewport_size({"width": width, "height": height})
        expect(button.locator(".foot-sign")).to_be_visible()
        expect(button).to_have_accessible_name("Ask for help")


def test_short_drawer_ends_with_its_content(seat):
    player = to_the_hand(seat("Target the Two"))
    player.page.locator("[data-opens=earnings]").click()
    assert player.page.locator("#earnings-drawer").bounding_box()["height"] < 360


KEYS = {  # by game: keys that lead to an action, if a place has the focus
    **{"Target the Two": "p", "a pair": "p", "matrix of two": "1"},
    **{"Triangle": ["n", "Enter"], "Solitario": "d", "Challenge": "h"},
}


@pytest.mark.long("the same board as in Target the Two", only="a pair")
@pytest.mark.parametrize("game", KEYS)
def test_pause_takes_no_keys_and_keeps_focus(seat, game):
    """Keys act again after the pause, and a screen reader announces its end."""
    sent: list[dict] = []
    player = seat(game)
    page, keys = player.page, player.page.keyboard
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame))))
    to_the_hand(player)
    player.tab_to("#board [data-place]")
    focused = page.evaluate("document.activeElement.dataset.place")

    player.intervene("pause")
    dialog = page.get_by_role("dialog", name="Pause")
    expect(dialog).to_have_accessible_description(
        "The study is paused. Please wait. Your time has stopped, too."
    )
    expect(page.locator("#paused-title")).to_be_focused()
    for key in (*KEYS[game], "Enter", "Space", "ArrowRight", "Escape", "Escape"):
        keys.press(key)
    expect(dialog).to_be_visible()
    player.intervene("go_on")
    expect(dialog).to_be_hidden()
    expect(page.locator("#resumed")).to_have_text("The study continues.")
    assert page.evaluate("document.activeElement.dataset.place") == focused
    assert [message for message in sent if "action" in message] == []
    for key in 20 * [*KEYS[game]]:  # a key may end the presentation of a robot's move
        keys.press(key)
        page.wait_for_timeout(50)
        if any("action" in message for message in sent):
            return
    raise AssertionError("no key acts after the pause")


# Pages without a board by config, and the dialogs that each must have.
BOARDLESS = {
    "two_games": ("Consent", {"help", "refuse", "paused", "dropped"}),
    "matrix_two": ("Gather", {"help", "paused", "dropped"}),
}


@pytest.mark.parametrize("config", BOARDLESS)
def test_dialogs_fit_without_a_board(seat_participant, browsers, server, config):
    page, dialogs = BOARDLESS[config]
    session = server.create_session(config, 2, help_button=True, check=False)
    player = seat_participant.tab(browsers.context(DESK), server, session)
    player.arrive()
    if page == "Gather":
        player.pass_the_instructions()
        player.arrive()
    player.page.wait_for_url(f"**/{page}/**")
    assert dialogs <= set(player.page.eval_on_selector_all("dialog", "all => all.map(dialog => dialog.id)"))
    expect_dialogs_in_order(player, page)


def test_lessons_fit_every_window(seat):
    player = seat("Challenge", lessons=True).arrive()
    player.expect_live()
    steps = player.page.evaluate("window.js_vars.steps")
    lessons = [step for step in steps if step.startswith("lesson_")]
    assert len(lessons) == 4
    for step in steps[1 : steps.index(lessons[-1]) + 1]:
        player.next()
        player.expect_step(step)
        if step in lessons:
            player.expect_turn()
            expect_no_fault(player, f"challenge-{step}", EXTREMES, [], may_scroll=False)
            player.page.set_viewport_size(DESK["viewport"])
