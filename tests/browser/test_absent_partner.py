"""Tests the choice of a participant whose co-player is disconnected."""

from access import expect_accessible
from player import PHONE
from playwright.sync_api import expect

QUESTION = "Somebody in your group is not here"


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
    south.page.keyboard.press("Escape")  # does not answer
    expect(dialog).to_be_visible()
    wait.press("Enter")
    expect(dialog).to_be_hidden()
    expect(dialog).to_be_visible()  # the dialog returns, because the co-player has not

    dialog.get_by_role("button", name="Stop and be paid").press("Enter")
    expect(south.page.locator("#go-on")).to_have_text("See results")
    south.next_by_key()
    south.expect_page("Debriefing")
    south.next()
    south.expect_page("Results")
    expect(south.page.locator(".lead-in")).to_have_text("You stopped before the end. Thank you!")


def test_participant_leaves_the_study_by_keyboard(seat_group):
    south, west = (one.come() for one in seat_group(2, leave_button="paid"))
    seat_group.game(south, west)
    west.page.get_by_role("button", name="Leave the study").press("Enter")
    expect(west.page.get_by_role("dialog")).to_contain_text("You are paid what you have earned so far")
    expect_accessible(west.page, "the question about leaving the study")
    west.page.keyboard.press("Enter")  # cancels
    expect(west.page.get_by_role("dialog")).to_be_hidden()
    west.page.get_by_role("button", name="Leave the study").press("Enter")
    west.page.keyboard.press("Tab")
    west.page.keyboard.press("Enter")
    expect(west.page.get_by_role("heading", level=1)).to_have_text("You have left the study")
    expect(west.page.locator(".receipt tfoot")).to_contain_text("€7.50")  # includes the current game
    south.press(f"play {south.hand()[0]}")  # the server plays for the one who has left
    expect(south.page.locator("#last")).to_contain_text("Last turn (1)")
    (row,) = west.export("custom_export_participants")
    assert row["ended_early"] == "left"
