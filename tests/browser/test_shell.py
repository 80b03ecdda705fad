"""Tests pages that replace each other in one document, in the order that oTree decides."""

import pytest
from access import expect_accessible
from playwright.sync_api import expect
from tabs import advance

SAME_DOCUMENT = "() => window.isSameDocument === true"
LAST_POSITION = "() => document.querySelector('#board[inert]') !== null"


@pytest.fixture
def sit_down(seat_participant):
    """Provides a function that seats a participant at the first hand and marks the document."""

    def at_the_hand(**fields):
        player = seat_participant.window(seat_participant(**fields)).to_the_hand()
        player.page.evaluate("() => { window.isSameDocument = true; }")
        return player

    seat_participant.lenient = True  # the browser complains of requests that fail
    return at_the_hand


def play_the_second_hand(player):
    player.press("t", "u", "p", "t")
    player.next()


def test_hands_and_results_share_one_document(sit_down):
    player = sit_down()
    player.press("c", "t", "t")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    expect(player.page.locator("#_otree-title")).to_be_focused()
    assert player.page.title() == "Hand 2 of 2"
    expect_accessible(player.page, "second hand")
    progress = player.page.get_by_role("progressbar", name="Progress through the study")
    expect(progress).to_have_attribute("aria-valuenow", "66")  # the instructions and one of two hands
    expect(player.page.locator(".time-left .in-words")).to_have_text("About 1 minute of play left")
    play_the_second_hand(player)
    player.expect_page("Results")
    expect(progress).to_have_attribute("aria-valuenow", "100")
    expect(player.page.locator(".time-left")).to_have_count(0)
    assert player.page.evaluate(SAME_DOCUMENT)
    # Each key acted once, so no listener of the first hand is left. The last row is the end row.
    assert [len(player.actions(hand)) for hand in (1, 2)] == [4, 5]
    player.page.reload()
    player.expect_page("Results")


def test_offline_next_hand_is_sent_once_online(sit_down):
    player = sit_down()
    player.press("c", "t", "t")
    player.page.context.set_offline(True)
    player.next()
    expect(player.page.locator("#not-sent")).to_have_text("Connection lost. Reconnecting …")
    player.page.context.set_offline(False)
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    assert player.page.evaluate(SAME_DOCUMENT)
    player.press("t")
    player.page.reload()
    player.expect_moves(1)
    player.expect_title("Hand 2 of 2")


def test_last_position_stays_when_the_time_is_up(sit_down):
    player = sit_down(time_limit_seconds=3)
    player.page.wait_for_function(LAST_POSITION)
    stays = player.page.evaluate(
        "async () => { const start = performance.now();"
        " while (document.querySelector('#board')) await new Promise(requestAnimationFrame);"
        " return performance.now() - start; }"
    )
    player.expect_page("Pause")
    assert 1200 < stays < 5000
    assert player.page.evaluate(SAME_DOCUMENT)
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()


def test_advanced_participant_gets_the_next_page(sit_down):
    player = sit_down()
    for title in ("Hand 2 of 2", "Your results"):
        advance(player.server, player.session.code)
        player.expect_title(title)
    assert player.page.evaluate(SAME_DOCUMENT)
    advance(player.server, player.session.code)
    player.expect_title("This is the end")
    assert not player.page.evaluate(SAME_DOCUMENT)  # this page is outside the shell
