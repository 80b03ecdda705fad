"""Tests that a participant arrives from Prolific by link, and that the researcher gets the bonus file."""

import os
from pathlib import Path

from player import DESK, PHONE
from playwright.sync_api import expect
from tabs import Tab

QUERY = "PROLIFIC_PID=5f0cabc&STUDY_ID=60d1&SESSION_ID=6a2f"


def test_prolific_link_leads_to_the_bonus_file(browsers, server):
    fields = {"check": False, "payoff_base": 1000, "real_world_currency_per_point": 0.001}
    session = server.create_session(
        "ttt_demo", 2, room_name="open", MaxRounds="1", practice_hands=0, **fields
    )
    page = browsers.context(PHONE, 8).new_page()
    page.goto(f"{server.url}/room/open?{QUERY}")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/Instructions/**")
    while "/Results/" not in page.url:
        if "/Hand/" in page.url:
            cookies = {one["name"]: one["value"] for one in page.context.cookies()}
            code, index = page.url.split("/")[4], int(page.url.split("/")[-1])
            with Tab(server, code, index, cookies=cookies) as tab:
                tab.send_action("P")
        with page.expect_navigation():
            page.evaluate("document.getElementById('form').submit()")
    desk = browsers.context(DESK, 9).new_page()
    desk.goto(f"{server.url}/SessionPayments/{session.code}")
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Download bonuses (ID, amount)").click()
    assert Path(download.value.path()).read_text().split() == ["5f0cabc,3.00"]
    expect(desk.get_by_role("cell", name="5f0cabc")).to_be_visible()
    for width, height in [(1280, 720), (390, 844)]:
        desk.set_viewport_size({"width": width, "height": height})
        assert desk.evaluate("document.documentElement.scrollWidth") <= width
    expect(desk.get_by_role("row", name="5f0cabc")).to_contain_text("€3.00")
    if folder := os.environ.get("CARD_LAB_SCREENSHOTS"):
        desk.screenshot(path=Path(folder, "payments-390x844.png"))
