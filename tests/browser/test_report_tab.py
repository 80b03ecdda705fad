"""Tests the Report tab while a hand is being played."""

import re

import pytest
from player import DESK
from playwright.sync_api import expect


@pytest.fixture
def desk(browsers):
    page = browsers.context(DESK).new_page()
    yield page
    page.close()


@pytest.mark.long("draws a report, as test_admin_report.py does")
def test_report_tab_shows_plots(desk, seat_participant, server):
    player = seat_participant().to_the_hand()
    player.press("c", "t", "t")
    player.next()
    player.expect_title("Hand 2 of 2")
    desk.goto(f"{server.url}/SessionMonitor/{player.session.code}")
    desk.get_by_role("link", name="Report", exact=True).click()
    expect(desk).to_have_url(re.compile("/AdminReport/"))
    plots = desk.frame_locator("#report-page").locator("svg")
    expect(plots.first).to_be_visible(timeout=60_000)
    expect(desk.locator("#report-as-of")).to_have_text(re.compile(r"^as of \d\d:\d\d:\d\d$"))
    expect(desk.locator("#report-words")).to_have_text("")
    expect(desk.locator("#id_round_number")).to_be_hidden()
    first = desk.locator("#report-as-of").inner_text()
    desk.get_by_role("button", name="Update report").click()
    expect(desk.locator("#report-as-of")).not_to_have_text(first, timeout=60_000)
    with desk.expect_download() as coming:
        desk.frame_locator("#report-page").get_by_role("link", name=".csv").first.click()
    assert coming.value.suggested_filename.endswith(".csv")
    with desk.expect_popup() as opening:
        desk.get_by_role("link", name="Open in a new tab").click()
    expect(opening.value.locator("svg").first).to_be_visible()
    opening.value.close()
