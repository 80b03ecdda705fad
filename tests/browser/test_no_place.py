"""Tests visitors without a page: no slot is free, or there is no page at their address."""

from access import expect_accessible
from layout import SIZES, expect_no_fault
from player import DESK, Player
from playwright.sync_api import expect


def test_waiting_page_continues_when_a_slot_appears(browsers, server):
    """The researcher adds the slot by keyboard only."""
    session = server.create_session("ttt_demo", 1, room_name="open", check=False)
    visitors = [browsers.program.new_context(**DESK) for _visitor in range(3)]
    first, late, researcher = (context.new_page() for context in visitors)
    first.goto(f"{server.url}/room/open?welcome_page_ok=1")
    late.clock.install()
    late.goto(f"{server.url}/room/open?welcome_page_ok=1")
    expect(late.get_by_role("heading")).to_have_text("All seats are taken")
    expect_accessible(late, "no place")
    with late.expect_response("**/cardlab/free/**") as asked:
        late.clock.run_for(10_000)
    assert asked.value.json() == {"free": False}
    researcher.goto(f"{server.url}/SessionMonitor/{session.code}")
    researcher.get_by_role("link", name="Slots").press("Enter")
    researcher.get_by_label("Number of slots to add").press("1")
    researcher.keyboard.press("Enter")
    expect(researcher.get_by_text("Slots added: 1.")).to_be_visible()
    late.clock.run_for(10_000)
    late.wait_for_url("**/Instructions/**")
    for context in visitors:
        context.close()


def test_excluded_visitor_sees_a_neutral_sign(browsers, server):
    fields = {"slots": "on_arrival", "check": False, "excluded_code": "BEFORE"}
    first = server.create_session("ttt_demo", 1, study="twice", room_name="open", **fields)
    page = browsers.program.new_context(**DESK).new_page()
    room = f"{server.url}/room/open?welcome_page_ok=1&participant_label=anna"
    page.goto(room)
    page.wait_for_url("**/Instructions/**")
    again = server.create_session("ttt_demo", 1, exclude_studies="twice", room_name="open", **fields)
    page.goto(room)
    expect(page.get_by_text("You took part in this study")).to_be_visible()
    expect(page.get_by_text("BEFORE", exact=True)).to_be_visible()
    assert "--icon-info" in page.locator(".page-icon").get_attribute("style")
    expect_accessible(page, "an excluded visitor")
    for _at, sizes in SIZES.values():
        visitor = Player(page, server, first)
        expect_no_fault(visitor, "excluded", sizes, [(844, 390)], may_scroll=False)
    count = "SELECT num_participants FROM otree_session WHERE code = ?"
    assert [server.query(count, each.code) for each in (first, again)] == [[(1,)], [(0,)]]
    page.close()


def test_wrong_address_is_answered_by_a_page(browsers, server):
    page = browsers.context(DESK).new_page()
    session = server.create_session("ttt_demo")
    visitor = Player(page, server, session)
    for path in ("/nowhere", "/p/abcdefgh/target/Hand/1", "/room/nowhere"):
        assert page.goto(server.url + path).status == 404
        expect(page.get_by_role("heading", level=1)).to_have_text("This page cannot be shown")
    expect_accessible(page, "an error")
    for _at, sizes in SIZES.values():
        expect_no_fault(visitor, "error", sizes, [(844, 390)], may_scroll=False)
    page.close()
