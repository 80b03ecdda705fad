"""Tests accessibility on pages outside the layout tests: screen readers, contrast, and accidental exits.

The layout tests (``layout.expect_in_order``) check every page of a session. These tests check other pages,
and the announcements.
"""

import re

from access import expect_accessible
from player import DESK
from playwright.sync_api import expect
from tabs import advance

import settings


def test_pages_around_a_session_are_accessible(browsers, server):
    """Checks a room before and at the start of its session, and the page after the last one."""
    page = browsers.context(DESK).new_page()
    heading = page.get_by_role("heading", level=1)
    page.goto(f"{server.url}/room/typed")
    expect(page.locator("html")).to_have_attribute("lang", settings.LANGUAGE_CODE)
    expect_accessible(page, "welcome")
    label = page.get_by_label("Participant label:")
    label.fill("nobody")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no seat with this label.")
    expect(label).to_be_focused()
    expect_accessible(page, "welcome with a wrong label")
    label.fill("PC01")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("Please wait")
    expect_accessible(page, "room without a session")
    session = server.create_session("ttt_demo", room_name="typed")
    expect(heading).to_have_text("How to play")  # continued automatically
    for _page in range(5):  # the instructions, three hands, the results
        advance(server, session.code)
    expect(heading).to_have_text("This is the end")
    expect(page).to_have_title(re.compile(r"\S"))
    expect_accessible(page, "after the last page")
    page.close()


def test_dialogs_of_second_tab_and_disconnection_are_accessible(seat_participant):
    one = seat_participant().to_the_hand()
    one.page.evaluate("async () => (await import('/static/cardlab/page.js')).showConnectionLost(true)")
    expect_accessible(one.page, "connection lost")
    two = seat_participant.window(one).arrive()
    expect(two.page.get_by_role("dialog")).to_be_visible()
    expect_accessible(two.page, "open elsewhere")


# ---------------------------------------------------------------- the time

ANNOUNCED = """async seconds => {
    const { TimeAnnouncer } = await import("/static/cardlab/time_announcer.js");
    const announced = [];
    const announcer = new TimeAnnouncer(left => announced.push(left));
    seconds.forEach(left => announcer.tick(left));
    return announced;
}"""


def test_remaining_time_is_announced_three_times(seat_participant):
    player = seat_participant(time_limit_seconds=60).to_the_hand()
    expect(player.page.locator("#time-announcement")).to_have_text(re.compile(r"^(60|5\d) seconds left\.$"))
    each = list(range(75, -1, -1))
    assert player.page.evaluate(ANNOUNCED, each) == [60, 30, 10]
    assert player.page.evaluate(ANNOUNCED, [75, 62, 28, 27, 20, 9, 8]) == [
        28,
        9,
    ]  # a tab in the background ticks slowly
    assert player.page.evaluate(ANNOUNCED, [15, 14, 13, 15, 14]) == [
        15,
        15,
    ]  # the next turn has a new limit


# ---------------------------------------------------------------- the colours of the system


def test_forced_colours_mark_the_keeper_on_turn(seat_participant):
    """Forced colours hide shadows and backgrounds, so a border marks the keeper on turn."""
    player = seat_participant.window(seat_participant(), forced_colors="active").to_the_hand()
    edge = "place => getComputedStyle(place, '::before').borderTopStyle"
    assert [player.at(place).evaluate(edge) for place in ("Ck", "Nk")] == ["solid", "none"]
    player.press("p")
    assert [player.at(place).evaluate(edge) for place in ("Ck", "Nk")] == ["none", "solid"]


# ---------------------------------------------------------------- the PC of a laboratory


def test_closing_an_open_hand_asks_first(seat_participant, browsers, server):
    dialogs = []

    def stay(dialog):
        dialogs.append(dialog.type)
        dialog.dismiss()

    player = seat_participant().to_the_hand()
    player.page.on("dialog", stay)
    player.press("c")
    with player.page.expect_event("dialog"):
        player.page.close(run_before_unload=True)
    player.press("t", "t")  # the page is still there and works
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t")
    player.page.evaluate("jQuery('#form').submit()")  # as oTree does when time is up
    expect(player.page.locator(".otree-form-errors")).to_have_text("Please play to the end first.")
    player.expect_live()
    player.press("u")
    page = browsers.context(DESK).new_page()
    page.goto(f"{server.url}/SessionProgress/{player.session.code}")
    page.bring_to_front()
    page.get_by_role("checkbox", name="All participants").check()
    page.get_by_role("button", name="Advance one page").click()
    page.get_by_role("button", name="Advance", exact=True).click()
    player.expect_page("Results")  # the server made the page reload
    page.close()
    assert dialogs == ["beforeunload"]


def test_hand_page_has_no_context_menu_or_selection(seat_participant):
    player = seat_participant().to_the_hand()
    page = player.page
    page.evaluate("addEventListener('contextmenu', event => (window.prevented = event.defaultPrevented))")
    for what in ("#moves-made", "#keys"):
        page.locator(what).click(button="right")
        assert page.evaluate("window.prevented") is True
        page.locator(what).dblclick()
        assert page.evaluate("String(getSelection())") == ""
    button = page.locator("#full-screen")
    expect(button).to_have_text("Full screen")
    button.click()
    expect(button).to_have_text("Leave full screen")
    assert page.evaluate("document.fullscreenElement === document.documentElement")
    button.click()
    expect(button).to_have_text("Full screen")
    bare = seat_participant.window(player)
    bare.page.add_init_script("Object.defineProperty(document, 'fullscreenEnabled', { value: false })")
    bare.arrive()
    bare.play_here()
    bare.expect_live()
    expect(bare.page.locator("#full-screen")).to_be_hidden()
