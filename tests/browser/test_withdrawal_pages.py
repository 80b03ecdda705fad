"""Tests that a researcher removes a participant's data in Progress, and what the participant then sees."""

from __future__ import annotations

import re

import pytest
from access import expect_accessible
from player import DESK
from playwright.sync_api import expect
from tabs import advance


@pytest.fixture
def desk(browsers):
    page = browsers.context(DESK, 9).new_page()
    yield page
    page.close()


def test_participants_remove_their_data_at_the_end(seat_participant, server):
    seat_participant.lenient = True  # the page's next request gets status 410
    player = seat_participant(withdraw_button=True).to_the_hand()
    page, code = player.page, player.session.participants[0]
    expect(page.locator("#ask-to-withdraw")).to_have_count(0)
    for _hand in range(2):
        advance(server, player.session.code, code)
    expect(page.get_by_role("heading", name="Your results")).to_be_visible()
    page.wait_for_load_state()  # the page's scripts have run
    button = page.locator("#ask-to-withdraw")
    button.press("Enter")
    dialog = page.get_by_role("dialog", name="Do you want to remove your data?")
    expect_accessible(page, "the question whether to remove one's data")
    dialog.get_by_role("button", name="Keep my data").press("Enter")
    expect(dialog).to_be_hidden()
    button.press("Enter")
    dialog.get_by_role("button", name="Remove my data").press("Enter")
    expect(page.get_by_role("heading", name="Your data were removed")).to_be_visible()
    assert server.query("SELECT count(*) FROM otree_participant WHERE code = ?", code) == [(0,)]


def test_button_removes_data_after_confirmation(desk, seat_participant, server):
    seat_participant.lenient = True  # the participant's page gets status 410
    player = seat_participant(payoff_base=500).to_the_hand()
    page, (code, *_others) = player.page, player.session.participants
    desk.goto(f"{server.url}/SessionProgress/{player.session.code}")
    row = desk.get_by_role("row", name=re.compile("^P1"))
    button = desk.get_by_role("button", name="Remove data…")
    expect(button).to_be_disabled()
    row.get_by_role("checkbox").press("Space")
    dialog = desk.get_by_role("dialog", name="Remove the data of a participant who withdraws?")
    button.press("Enter")
    expect(dialog.get_by_text("1 selected: P1.")).to_be_visible()
    expect_accessible(desk, "the question before a withdrawal")
    dialog.get_by_role("button", name="Cancel").press("Enter")
    expect(row).to_be_visible()
    button.press("Enter")
    dialog.get_by_role("button", name="Remove the data").press("Enter")
    expect(desk.get_by_text(f"The data of participant {code} of session")).to_be_visible()
    expect(desk.get_by_text(re.compile("^To be paid: "))).to_be_visible()
    expect(row).to_have_count(0)
    expect(desk.get_by_text("1 participant has withdrawn. Their data were removed.")).to_be_visible()
    expect(page.get_by_role("heading", name="Your data were removed")).to_be_visible()
    expect_accessible(page, "the page of somebody who has withdrawn")
    assert server.query("SELECT count(*) FROM otree_participant WHERE code = ?", code) == [(0,)]
    desk.goto(f"{server.url}/SessionPayments/{player.session.code}")
    expect(desk.get_by_role("heading", name="Withdrawn")).to_be_visible()
    desk.get_by_role("button", name="Paid", exact=True).press("Enter")
    expect(desk.get_by_role("heading", name="Withdrawn")).to_have_count(0)
    assert server.query("SELECT count(*) FROM card_lab_withdrawal WHERE code = ?", code) == [(0,)]
