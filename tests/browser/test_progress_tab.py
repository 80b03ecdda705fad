"""Tests the Progress tab as a researcher uses it by keyboard, and its effects on a participant."""

import os
import re
from pathlib import Path

import pytest
from access import expect_accessible
from player import DESK
from playwright.sync_api import expect


@pytest.fixture
def desk(browsers):
    page = browsers.context(DESK, 9).new_page()
    yield page
    page.close()


def test_progress_shows_message_pause_and_return(desk, seat_participant, server):
    player = seat_participant(time_limit_seconds=600).to_the_hand()
    page, code = player.page, player.session.participants[0]
    desk.goto(f"{server.url}/SessionMonitor/{player.session.code}")
    desk.locator(".nav-link.SessionProgress").click()
    row = desk.get_by_role("row", name=re.compile("^P1"))
    expect(row).to_contain_text("1 of 2")
    expect(row).to_contain_text("connected")
    player.press("c")
    expect(row.get_by_role("cell").nth(5)).to_have_text("1")

    def do(name):
        desk.get_by_role("button", name=name, exact=True).press("Enter")

    def choose():  # needed again after each action, which clears the selection
        expect(desk.locator("#selection")).to_have_text("Nobody selected")
        row.get_by_role("checkbox").press("Space")

    # Write to one participant; the message stays on their pages until it is confirmed.
    choose()
    expect(desk.locator("#selection")).to_have_text("1 selected: P1")
    do("Message…")
    desk.get_by_label("The message stays on their page").fill("Please <i>look up</i>!")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    message = page.get_by_role("alert").filter(
        has_text="Message from the person running the study: Please <i>look up</i>!"
    )
    expect(message).to_be_visible()
    expect(row).to_contain_text("1 message not confirmed")
    page.reload()
    expect(message).to_be_visible()
    expect_accessible(page, "a message")
    page.keyboard.press("Tab")
    expect(message.get_by_role("button", name="OK")).to_be_focused()

    # A pause covers everything and blocks all keys; the clock stops and later continues.
    choose()
    do("Pause")
    paused = page.get_by_role("dialog", name="Pause")
    expect(paused).to_be_visible()
    expect(row).to_contain_text("paused")
    for _twice in range(2):
        page.keyboard.press("Escape")
    player.page.keyboard.press("t")
    page.reload()
    expect(paused).to_be_visible()
    clock = page.locator(".otree-timer__time-left")
    expect(clock).to_have_text(re.compile(r"9:\d\d"))
    stood = clock.text_content()
    expect(row.get_by_role("cell").nth(5)).to_have_text("1")
    expect_accessible(page, "a pause")
    message.get_by_role("button", name="OK").press("Enter")
    expect(message).to_be_hidden()
    expect(row).not_to_contain_text("not confirmed")
    assert clock.text_content() == stood
    choose()
    do("Resume")
    expect(paused).to_be_hidden()
    expect(clock).not_to_have_text(stood)
    player.press("t")
    expect(row.get_by_role("cell").nth(5)).to_have_text("2")

    # Mark a participant as dropped out; the participant answers that they are present.
    choose()
    do("Mark as dropped out")
    expect(desk.get_by_role("button", name="Cancel")).to_be_focused()
    desk.get_by_role("dialog").get_by_role("button", name="Mark as dropped out").press("Enter")
    expect(row).to_contain_text("dropped out")
    expect(desk.locator("#counts")).to_contain_text("1 dropped out")
    page.get_by_role("button", name="I am here").press("Enter")
    expect(page.get_by_role("dialog", name="Are you there?")).to_be_hidden()
    expect(row).not_to_contain_text("dropped out")

    # Show their link as a QR code, then advance them by one page.
    choose()
    do("Show link")
    expect(desk.get_by_role("link", name=code)).to_be_visible()
    expect(desk.locator("#show-link-code svg")).to_be_visible()
    do("Close")
    do("Advance one page")
    do("Advance")
    expect(row).to_contain_text("2 of 2")
    player.expect_title("Hand 2 of 2")


# With a treatment, which the session of the test does not have.
TREATMENT_IS_BELOW_CONNECTION = """row => {
    const [treatment, connection] = ["Treatment", "Connection"].map(
        heading => row.querySelector(`[data-heading="${heading}"]`));
    treatment.textContent = "A";
    return treatment.getBoundingClientRect().top >= connection.getBoundingClientRect().bottom - 1;
}"""


def test_study_ends_for_everybody_by_phone(browsers, seat_participant, server):
    """oTree's monitor shows Progress; the list comes before the actions, and nothing scrolls sideways."""
    player = seat_participant(participants=2).to_the_hand()
    desk = browsers.context(DESK, 9).new_page()
    desk.set_viewport_size({"width": 390, "height": 844})
    desk.goto(f"{server.url}/SessionMonitor/{player.session.code}")
    row = desk.get_by_role("row", name=re.compile("^P1"))
    expect(row).to_contain_text("1 of 2")
    end = desk.get_by_role("button", name="End now…")
    assert row.bounding_box()["y"] < end.bounding_box()["y"]
    actions = desk.get_by_role("toolbar")
    for width, height in ((844, 390), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        assert desk.evaluate("document.documentElement.scrollWidth") <= width
        assert row.evaluate(TREATMENT_IS_BELOW_CONNECTION)
        row.get_by_role("checkbox").check()
        assert actions.evaluate("actions => actions.scrollWidth <= actions.clientWidth")
        expect(actions.get_by_text("1 selected: P1")).to_be_in_viewport(ratio=0.9)
        for button in actions.get_by_role("button").all():
            expect(button).to_be_in_viewport(ratio=0.9)
        assert actions.bounding_box()["height"] < height / 3
        row.get_by_role("checkbox").uncheck()
        expect(actions.get_by_role("button")).to_have_count(3)
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        desk.screenshot(path=Path(folder, "progress-390x844.png"))
    end.press("Enter")
    dialog = desk.get_by_role("dialog", name="End the study now?")
    expect(dialog).to_contain_text("Everybody: 2 participants.")
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        desk.screenshot(path=Path(folder, "progress-end-390x844.png"))
        desk.set_viewport_size({"width": 1280, "height": 720})
        desk.screenshot(path=Path(folder, "progress-end-1280x720.png"))
    dialog.get_by_role("button", name="Take to the results").press("Enter")
    player.expect_page("Results")
    expect(player.page.get_by_text("The session ends here. Thank you!")).to_be_visible()
    expect(desk.locator("#status")).to_contain_text("Ended for 1 participant.")
    expect(desk.locator("#counts")).to_contain_text("1 finished")
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        player.page.screenshot(path=Path(folder, "ended-1280x720.png"))
    desk.close()
