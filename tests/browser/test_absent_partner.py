"""Tests the choice of a participant whose co-player has lost the connection."""

from __future__ import annotations

from access import expect_accessible
from player import PHONE
from playwright.sync_api import expect

QUESTION = "Somebody in your group has left"


def test_absent_partner_dialog_works_by_keyboard(seat_group):
    seat_group.lenient = True  # the co-player's page is closed while the dialog is open
    south, west = (one.come() for one in seat_group(2, at=PHONE, partner_away_seconds=2))
    seat_group.game(south, west)
    west.page.close()
    dialog = south.page.get_by_role("dialog", name=QUESTION)
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Your current score counts: 0.")
    expect_accessible(south.page, "the choice about an absent co-player")

    wait = dialog.get_by_role("button", name="Keep waiting")
    expect(wait).to_be_focused()
    south.page.keyboard.press("Escape")  # is no answer
    expect(dialog).to_be_visible()
    wait.press("Enter")
    expect(dialog).to_be_hidden()
    expect(dialog).to_be_visible()  # the dialog returns, because the co-player did not

    dialog.get_by_role("button", name="Stop and be paid").press("Enter")
    south.page.get_by_role("button", name="See results").press("Enter")
    south.expect_page("Debriefing")
    south.next()
    south.expect_page("Results")
    expect(south.page.locator(".lead-in")).to_have_text("You stopped before the end. Thank you!")
