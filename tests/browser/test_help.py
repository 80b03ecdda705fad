"""Tests help requests and answers by keyboard, on every kind of page."""

import os
import re
from pathlib import Path

import pytest
from access import expect_accessible
from player import DESK
from playwright.sync_api import Page, expect

WINDOWS = [(1280, 720), (1920, 1080), (390, 844), (640, 360)]


@pytest.fixture
def desk(browsers):
    page = browsers.context(DESK, 9).new_page()
    yield page
    page.close()


def picture(page: Page, name: str) -> None:
    """Checks the page at every window size, and saves screenshots if they are wanted."""
    before = page.viewport_size
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        expect_accessible(page, f"{name} {width}×{height}", by_size=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
            page.screenshot(path=Path(folder, f"{name}-{width}x{height}.png"))
    page.set_viewport_size(before)


def ask(player, text: str) -> None:
    """Asks for help by keyboard only."""
    player.tab_to("#ask-for-help")
    player.page.keyboard.press("Enter")
    dialog = player.page.get_by_role("dialog", name="Ask for help")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    player.page.keyboard.type(text)
    player.page.keyboard.press("Enter")
    expect(player.page.get_by_role("dialog", name="Help requested")).to_be_visible()
    expect(player.page.locator("#help-asked")).to_have_text(text)


def test_help_is_asked_and_answered_by_keyboard(desk, seat_participant, server):
    player = seat_participant(help_button=True).arrive()
    page = player.page
    player.expect_live()
    before = page.url
    desk.goto(f"{server.url}/SessionProgress/{player.session.code}")
    sound = desk.get_by_role("checkbox", name="Sound for requests for help")
    sound.press("Space")
    desk.reload()
    expect(sound).to_be_checked()

    ask(player, "What is <b>ck</b>?")
    expect_accessible(page, "help requested")
    page.keyboard.press("Escape")
    assert page.url == before, "Enter sends the request, not the page"
    expect(page.get_by_role("button", name="Help requested")).to_be_focused()
    page.reload()
    expect(page.get_by_role("button", name="Help requested")).to_be_visible()

    request = desk.get_by_role("list", name="Requests for help").get_by_role("listitem")
    expect(request).to_contain_text("P1 asks: What is <b>ck</b>?")
    expect(desk.get_by_role("row", name=re.compile("^P1"))).to_contain_text("asks for help")
    expect_accessible(desk, "requests for help", within="#progress")
    picture_of_progress(desk, "progress-help")
    request.get_by_role("button", name="Answer… P1").press("Enter")
    dialog = desk.get_by_role("dialog", name="Answer")
    expect(dialog).to_contain_text("What is <b>ck</b>?")
    expect_accessible(desk, "answer", within="#progress")
    desk.keyboard.type("The colour <i>keeper</i>.")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    answer = page.get_by_role("alert").filter(has_text="The colour <i>keeper</i>.")
    expect(answer).to_contain_text("Answer to your request “What is <b>ck</b>?”:")
    expect(page.get_by_role("button", name="Ask for help")).to_be_visible()
    picture(page, "help-answer")
    player.skip_steps()
    player.expect_page("Hand")
    expect(answer).to_be_visible()
    page.reload()
    answer.get_by_role("button", name="OK").press("Enter")
    expect(answer).to_be_hidden()
    expect(request).to_have_count(0)

    # At a board, typing the text presses no key, and the request can be withdrawn.
    player.expect_live()
    ask(player, "cut")
    player.expect_moves(0)
    expect(request).to_contain_text("cut")
    picture(page, "help-requested")
    page.get_by_role("button", name="I no longer need help").press("Enter")
    expect(page.get_by_role("button", name="Ask for help")).to_be_focused()
    expect(request).to_have_count(0)
    player.press("c")
    player.expect_moves(1)


def picture_of_progress(desk: Page, name: str) -> None:
    """Saves screenshots of the researcher's page if they are wanted."""
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        for width, height in WINDOWS:
            desk.set_viewport_size({"width": width, "height": height})
            desk.screenshot(path=Path(folder, f"{name}-{width}x{height}.png"))
        desk.set_viewport_size(DESK["viewport"])


def test_help_is_asked_while_waiting_and_after(desk, seat_group, server):
    south, west = seat_group(2, help_button=True)
    south.pass_the_instructions()
    south.arrive()
    south.page.wait_for_url("**/Gather/**")
    ask(south, "How long do I wait?")
    picture(south.page, "help-waiting")
    desk.goto(f"{server.url}/SessionProgress/{south.session.code}")
    request = desk.get_by_role("list", name="Requests for help").get_by_role("listitem")
    request.get_by_role("button", name="Answer…").click()
    desk.get_by_label("The answer stays on their page").fill("A minute.")
    desk.get_by_role("button", name="Send", exact=True).and_(desk.locator("#ask-answer button")).click()
    expect(south.page.get_by_role("dialog")).to_have_count(0)
    expect(south.page.get_by_role("alert").filter(has_text="A minute.")).to_be_visible()
    west.pass_the_instructions()
    west.arrive()
    south.page.wait_for_url("**/Hand/**")
    desk.get_by_role("button", name="End now…").click()
    desk.get_by_role("button", name="Take to the results").click()
    for player in (south, west):
        player.expect_page("Results")
    ask(west, "Is that all?")
    picture(west.page, "help-results")
    expect(request).to_contain_text("Is that all?")


def test_request_without_connection_is_sent_later(seat_participant, server):
    seat_participant.lenient = True  # the browser complains of connections it cannot make
    player = seat_participant(server=server, help_button=True).arrive()
    player.expect_live()
    page = player.page
    page.get_by_role("button", name="Ask for help").click()
    server.kill9()
    player.wait_until("cardLab.here.readyState !== WebSocket.OPEN")
    page.get_by_role("textbox").fill("Hello?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#help-wrong")).to_have_text("Connection lost. Reconnecting …")
    server.start()
    expect(page.get_by_role("dialog", name="Help requested")).to_be_visible()
