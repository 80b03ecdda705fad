"""Tests the end of a hand: with and without feedback, by time limit, and the results page."""

from playwright.sync_api import expect
from tabs import advance
from ttt_player import HANDS


def test_feedback_panel_shows_score_and_waits(seat_participant):
    player = seat_participant().to_the_hand()
    player.press("c", "t", "t")
    player.expect_result("Solved in 3 moves · Score 850")
    expect(player.page.locator("#result[data-end=reached] svg")).to_be_visible()
    expect(
        player.page.locator("#goal .card[data-reached], [data-place=T] .card[data-reached]")
    ).to_have_count(2)
    button = player.page.locator("#go-on")
    expect(button).to_be_focused()
    expect(button).to_have_text("Next hand")
    expect(player.page.locator("#board.inert")).to_have_count(1)
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p", "t")
    expect(button).to_have_text("See results")


def test_keys_of_the_hand_leave_last_position(seat_participant):
    """A held or immediate key presses no button; a later key and a click do."""
    player = seat_participant().to_the_hand()
    keyboard = player.page.keyboard
    player.page.evaluate("addEventListener('submit', () => (window.hasSent = true), { capture: true })")
    player.press("c", "t")
    player.tab_to("[data-place=T]")
    keyboard.down("Enter")
    player.page.wait_for_function("() => document.activeElement.id === 'go-on'")
    keyboard.down("Enter")  # as if held down
    keyboard.up("Enter")
    keyboard.press("Enter")
    keyboard.press("Space")
    player.page.wait_for_timeout(1_500)
    for key in ("Enter", "Space"):
        player.page.evaluate("document.activeElement.blur()")
        keyboard.down(key)
        player.page.evaluate("document.getElementById('go-on').focus()")
        keyboard.down(key)
        keyboard.up(key)
    assert player.page.evaluate("window.hasSent") is None
    expect(player.page.locator("#go-on")).to_be_focused()
    keyboard.press("Enter")
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p", "t")
    player.page.wait_for_function("() => document.activeElement.id === 'go-on'")
    player.next()  # an immediate click
    player.expect_page("Results")


def test_without_feedback_the_page_continues_automatically(seat_participant):
    player = seat_participant(feedback=False).to_the_hand()
    player.press("c", "t")
    player.page.keyboard.press("t")
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p")
    player.page.keyboard.press("t")
    player.expect_page("Results")


def test_unsolved_hand_looks_unsolved(seat_participant):
    player = seat_participant(MaxRounds="3").to_the_hand()
    player.press("p", "p", "p")
    player.expect_result("Not solved in 3 moves · Score 0")
    expect(player.page.locator("#result[data-end=missed] svg")).to_be_visible()
    expect(player.page.locator("#board[data-end=missed]")).to_have_css("filter", "saturate(0.35)")
    expect(player.page.locator("[data-reached]")).to_have_count(0)
    assert player.actions()[-1] == ("end failed", "1")


def test_reduced_motion_shows_the_end_at_once(seat_participant):
    player = seat_participant().to_the_hand()
    player.page.emulate_media(reduced_motion="reduce")
    player.press("c", "t", "t")
    player.wait_until("() => !document.getElementById('result').hidden")
    assert player.page.evaluate("document.getAnimations().length") == 0
    expect(player.page.locator(".card[data-reached]")).to_have_count(2)
    player.page.emulate_media(reduced_motion="no-preference")


# The brightest colour channel of the receipt's text, and the page's background.
PRINTED = """() => {
    const channels = (element, of) => getComputedStyle(element)[of].match(/[0-9.]+/g).slice(0, 3).map(Number);
    const texts = [...document.querySelectorAll(".receipt :is(h2, th, td, p:not(:last-child), span)")];
    const brightest = Math.max(...texts.flatMap(text => channels(text, "color")));
    return [brightest, channels(document.body, "backgroundColor")];
}"""


def test_receipt_prints_dark_on_white_in_dark_theme(seat_participant):
    player = seat_participant(theme="dark").to_the_hand()
    player.page.goto("about:blank")
    for _hand in range(2):
        advance(player.server, player.session.code)
    player.arrive().expect_page("Results")
    player.page.emulate_media(media="print")
    brightest, ground = player.page.evaluate(PRINTED)
    assert brightest < 110
    assert ground == [255, 255, 255]
    player.page.emulate_media(media="screen")


def test_unfinished_hand_cannot_be_left(seat_participant):
    player = seat_participant().to_the_hand()
    player.page.evaluate("document.getElementById('form').requestSubmit()")
    expect(player.page.locator(".otree-form-errors")).to_have_text("Please play to the end first.")
    player.expect_title("Hand 1 of 2")
    player.expect_live()
    player.press("c")


def test_page_moves_on_when_time_is_up(seat_participant, server):
    one_hand = "".join(HANDS.splitlines(keepends=True)[:3])
    (server.folder / "deals" / "ttt" / "one_hand.txt").write_text(one_hand, "utf-8")
    player = seat_participant(ShowFileName="one_hand.txt", time_limit_seconds=3).to_the_hand()
    expect(player.page.locator(".otree-timer")).to_be_visible()
    player.press("c")
    player.expect_page("Results")
    (hand,) = player.export("custom_export_hands")
    assert (hand["sequence"], hand["outcome"], hand["score"]) == ("C", "timeout", "0")
    assert player.results()[1] == [["1", "1", "no", "0", "0"]]


def test_the_results_add_up(seat_participant):
    player = seat_participant(practice_hands=1, practice_file="browser.txt", payoff_rate=2.0).to_the_hand()
    player.expect_title("Practice hand 1 of 1")
    expect(player.page.locator(".practice")).to_have_text("Practice: not paid")
    player.press("c", "t", "t")
    player.next()
    player.expect_page("Pause")
    expect(player.page.locator(".lead-in")).to_have_text("Practice is over. From now on, the hands count.")
    player.next()
    player.expect_title("Hand 1 of 2")
    player.expect_live()
    expect(player.page.locator(".practice")).to_have_count(0)
    player.press("p", "p", "c", "t", "t")
    player.expect_result("Solved in 5 moves · Score 750")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p", "t")
    player.next()
    player.expect_page("Results")
    earnings, rows = player.results()
    assert rows == [["1", "5", "yes", "750", "750"], ["2", "4", "yes", "800", "800"]]
    # 3,100 points of pay at 0.0005 are €1.55, plus €5 for taking part. The page shows points of the score.
    assert earnings == ["1550", "€1.55", "€5.00", "€6.55"]
    (row,) = player.export("custom_export_participants")
    assert (row["score"], row["hands_played_out"], row["hands_over"]) == ("1550", "2", "2")
    assert (float(row["payoff"]), float(row["earnings_total"])) == (3100, 6.55)


def test_one_hand_drawn_for_payment_is_named(seat_participant):
    player = seat_participant(pay_hands="one").to_the_hand()
    player.press("c", "t", "t")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p", "t")
    player.next()
    player.expect_page("Results")
    paid = [hand for hand in player.export("custom_export_hands") if hand["paid"] == "1"]
    assert len(paid) == 1
    expect(player.page.locator(".results")).to_contain_text(f"Hand {paid[0]['hand']} was drawn for payment.")
    expect(player.page.locator("tr.drawn td").nth(3)).to_have_text(paid[0]["score"])


def test_timed_out_hand_is_followed_by_a_pause(seat_participant):
    player = seat_participant(time_limit_seconds=3).to_the_hand()
    expect(player.page.locator(".otree-timer[data-last-seconds]")).to_have_count(1)
    player.expect_page("Pause")
    expect(player.page.locator(".lead-in")).to_have_text("Time is up. Your score: 0")
    expect(player.page.locator(".otree-timer")).to_contain_text("Time until the next page:")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_page("Results")  # no pause after the last hand


def test_changed_goal_or_first_mover_is_announced(seat_participant, server):
    changing = HANDS.replace("4H	3C	2H	ck", "4H	3C	4H	nk")
    (server.folder / "deals" / "ttt" / "changing.txt").write_text(changing, "utf-8")
    player = seat_participant(ShowFileName="changing.txt").arrive()
    player.expect_live()
    changes = "The goal card or the first keeper may change between hands"
    expect(player.page.locator("#rules-drawer")).to_contain_text(changes)
    player.skip_steps()
    player.expect_title("Hand 1 of 2")
    player.expect_live()
    expect(player.page.locator("#note")).to_be_empty()
    player.press("c", "t", "t")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_note("There is a new goal card: 4♥. In this hand the number keeper begins.")
    player.press("p")
    expect(player.page.locator("#note")).to_be_empty()
