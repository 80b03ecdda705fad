"""Tests the choice of a language on a participant's first page, by keyboard, in every window."""

import os
import re
from pathlib import Path

import pytest
from access import expect_accessible
from playwright.sync_api import expect

WINDOWS = [(1280, 720), (1920, 1080), (390, 844), (640, 360)]


@pytest.fixture
def seat_visitor(seat_participant):
    """Provides a function that seats a participant; removes the window's language cookie afterwards."""
    seated = []

    def seat(**fields):
        seated.append(seat_participant(**fields))
        return seated[-1]

    yield seat
    for player in seated:
        player.page.context.clear_cookies(name="card_lab_language")


def test_language_is_chosen_by_keyboard_and_stays(seat_visitor):
    player = seat_visitor(language_choice=True, help_button=True, leave_button="paid").arrive()
    page = player.page
    player.expect_live()
    player.tab_to("#choose-language")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Choose your language")
    expect(dialog.get_by_role("link")).to_have_text(["English", "Deutsch", "Italiano"])
    expect(dialog.get_by_role("link", name="English")).to_have_attribute("aria-current", "true")
    before = page.viewport_size
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        expect_accessible(page, f"languages {width}×{height}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
            page.screenshot(path=Path(folder, f"languages-{width}x{height}.png"))
    page.set_viewport_size(before)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("link", name="Italiano")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("html[lang=it]")).to_be_attached()
    expect(page.get_by_role("button", name="Italiano")).to_be_visible()
    player.expect_live()
    page.reload()
    expect(page.locator("html[lang=it]")).to_be_attached()
    player.expect_live()
    player.skip_steps()
    player.expect_page("Hand")
    player.expect_title("Mano 1 di 2")
    expect(page.locator("#choose-language")).to_have_count(0)
    player.expect_live()
    player.press("c")
    player.arrive()
    player.expect_title("Mano 1 di 2")
    player.expect_moves(1)


def test_link_decides_the_language(seat_visitor):
    player = seat_visitor()
    player.page.goto(f"{player.session.start_urls[0]}?language=de")
    expect(player.page.locator("html[lang=de]")).to_be_attached()
    expect(player.page.locator("#choose-language")).to_have_count(0)
    player.arrive()
    expect(player.page).to_have_url(re.compile("/Instructions/"))
    expect(player.page.locator("html[lang=de]")).to_be_attached()
