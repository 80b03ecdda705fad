"""For those who hear a page, see little, or sit at a PC of a laboratory that must not be left by mistake.

Every page and state on the way through a session is asked in the layout tests (``layout.expect_in_order``);
here are the pages that lie beside that way, and what is heard.
"""

from __future__ import annotations

from access import expect_accessible
from player import DESK
from playwright.sync_api import expect

import settings


def test_the_pages_around_a_session(browsers, server):
    """Of a room, before its session and when it begins; and the page after the last one."""
    page = browsers.context(DESK).new_page()
    heading = page.get_by_role("heading", level=1)
    page.goto(f"{server.url}/room/typed")
    expect(page.locator("html")).to_have_attribute("lang", settings.LANGUAGE_CODE)
    expect_accessible(page, "welcome")
    label = page.get_by_label("Participant label:")
    label.fill("nobody")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no such place here.")
    expect(label).to_be_focused()
    expect_accessible(page, "welcome with a wrong label")
    label.fill("PC01")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("Please wait")
    expect_accessible(page, "room without a session")
    session = server.create_session("ttt_demo", room_name="typed")
    expect(heading).to_have_text("How to play")  # it has gone on by itself
    page.goto(f"{server.url}/OutOfRangeNotification/{session.participants[0]}")
    expect(heading).to_have_text("This is the end")
    expect_accessible(page, "after the last page")
    page.close()


def test_a_place_that_is_open_twice_and_a_lost_connection(sit):
    one = sit().to_the_hand()
    one.page.evaluate("async () => (await import('/static/cardlab/page.js')).connectionLost(true)")
    expect_accessible(one.page, "connection lost")
    two = sit.window(one).arrive()
    expect(two.page.get_by_role("dialog")).to_be_visible()
    expect_accessible(two.page, "open elsewhere")
