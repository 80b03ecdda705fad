"""Tests a second browser at a seat: it is refused, then admitted by the researcher."""

from access import expect_accessible
from player import DESK
from playwright.sync_api import expect
from test_unsent_forms import at_the_check

TAKEN = "This seat is open in another browser"


def test_researcher_admits_a_second_browser(browsers, server, seat_participant):
    seat_participant.lenient = True  # the browser complains of pages that are answered 403
    one = seat_participant().to_the_hand()
    link = one.session.start_urls[0]
    second, researcher = (browsers.program.new_context(**DESK) for _ in range(2))
    late = second.new_page()
    assert late.goto(link).status == 403
    expect(late.get_by_role("heading")).to_have_text(TAKEN)
    expect(late.get_by_text("Then wait 30 seconds.")).to_be_visible()
    expect(late.get_by_role("button")).to_have_count(0)
    expect_accessible(late, "a seat that is taken")

    progress = researcher.new_page()
    progress.goto(f"{server.url}/SessionProgress/{one.session.code}")
    line = progress.get_by_role("row", name="P1")
    expect(line).to_contain_text("another browser is trying to open this seat")
    line.get_by_role("checkbox").press("Space")
    progress.get_by_role("button", name="Allow another browser").press("Enter")
    expect(progress.get_by_text("Another browser may now open the link of 1 participant.")).to_be_visible()

    button = late.get_by_role("button", name="Continue here")
    expect(button).to_be_focused()
    expect(late.get_by_role("heading")).to_have_text("This seat is free")
    expect(late.get_by_text("To continue here, close the other browser.")).to_be_hidden()
    expect_accessible(late, "a seat that is free")
    late.keyboard.press("Enter")
    late.wait_for_url("**/Hand/**")
    expect(one.page.get_by_role("heading")).to_have_text(TAKEN)
    for context in (second, researcher):
        context.close()


def test_two_tabs_of_one_browser_share_the_seat(seat_participant):
    """``second_tab`` determines what a second tab may do."""
    one = seat_participant().to_the_hand()
    assert one.page.context.new_page().goto(one.session.start_urls[0]).status == 200


def test_split_screen_opens_all_seats_at_once(browsers, server):
    """A browser that was on the session's page opens all frames at the same moment."""
    session = server.create_session("matrix_two", 2, check=False)
    context = browsers.program.new_context(**DESK)
    page = context.new_page()
    page.goto(f"{server.url}/SessionSplitScreen/{session.code}")
    frames = page.frame_locator(".participant-frames iframe")
    for number in range(2):
        expect(frames.nth(number).locator("#form")).to_be_attached()  # not refused
    context.close()


def test_form_of_a_replaced_browser_shows_the_refusal(seat_participant):
    """The refusal replaces the page instead of appearing next to the form."""
    player = at_the_check(seat_participant)
    player.page.route(
        "**/Check/*",
        lambda route: (
            route.fulfill(status=403, content_type="text/html; charset=utf-8", body="<h1>taken</h1>")
            if route.request.method == "POST"
            else route.fallback()
        ),
    )
    with player.page.expect_navigation():
        player.answer_check()
