"""Tests that a hand survives a reload, a crash, a second tab, a lost connection and a killed server."""

from playwright.sync_api import expect
from ttt_player import FIRST
from wire import Wire

AFTER_C = {**FIRST, "Ck": "2H"}
TWO_MOVES = {**AFTER_C, "T": "4H", "Nk": "4C"}


def finish(player) -> None:
    """Plays the first hand to its end, after C, T."""
    player.press("t")
    player.expect_result("Solved in 3 moves · Score 850")


def test_reload_shows_the_same_board(seat_participant):
    player = seat_participant().to_the_hand()
    player.press("c", "t")
    player.page.reload()
    player.expect_live()
    player.expect_turn("Ck")
    player.expect_moves(2)
    assert player.board() == TWO_MOVES
    finish(player)
    assert player.actions() == [
        *(("C", "1"), ("T", "1"), ("reconnect", ""), ("T", "1"), ("end solved", "1")),
    ]
    times = [int(row["client_ms"]) for row in player.export() if row["client_ms"]]
    assert times == sorted(times)


def test_looked_at_card_stays_visible_after_reload(seat_participant):
    player = seat_participant(ViewCkNk="FALSE").to_the_hand()
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.page.reload()
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")


def test_start_link_leads_back_after_browser_crash(seat_participant):
    desk = seat_participant()
    player = seat_participant.window(desk).to_the_hand()
    player.press("c", "t")
    player.page.context.close()
    again = seat_participant.window(desk).arrive()
    again.expect_page("Hand")
    again.expect_live()
    assert again.board() == TWO_MOVES
    finish(again)


def test_reload_after_the_end_shows_the_result(seat_participant):
    player = seat_participant().to_the_hand()
    player.press("c", "t", "t")
    player.expect_result("Solved in 3 moves · Score 850")
    player.page.reload()
    player.expect_result("Solved in 3 moves · Score 850")
    player.next()
    player.expect_title("Hand 2 of 2")


def test_second_computer_asks_before_showing_the_hand(seat_participant):
    one = seat_participant(ViewCkNk="FALSE").to_the_hand()
    two = seat_participant.window(one, viewport={"width": 390, "height": 844}).arrive()
    question = two.page.get_by_role("dialog", name="This seat is already open")
    expect(question).to_be_visible()
    assert two.board() == dict.fromkeys(two.board())  # no card is named
    two.page.keyboard.press("Escape")
    expect(question).to_be_visible()
    expect(two.page.get_by_role("button", name="Play here")).to_be_focused()
    two.page.keyboard.press("Enter")
    two.expect_live()
    one.press("c")
    two.expect_moves(1)
    two.page.reload()  # the answer is remembered
    two.expect_live()
    assert [action for action, _accepted in one.actions()[:3]] == [
        "second tab",
        "second tab plays",
        "reconnect",
    ]


def test_browser_without_storage_can_play(seat_participant):
    """Some browsers have no page storage if cookies are blocked."""
    player = seat_participant.window(seat_participant())
    blocked = (
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('blocked'); } })"
    )
    player.page.add_init_script(blocked)
    player.to_the_hand()
    player.press("c")
    assert player.board() == AFTER_C


def test_refused_second_page_offers_only_retry(seat_participant):
    one = seat_participant(second_tab="refuse").to_the_hand()
    two = seat_participant.window(one).arrive()
    again = two.page.get_by_role("button", name="Try again")
    again.click()
    expect(again).to_be_visible()
    one.page.close()

    def let_in():
        if again.is_visible():
            again.click()
        return two.page.locator("#board[aria-disabled=false]").count()

    wait_until(two, let_in)


def test_move_in_one_tab_appears_in_the_other(seat_participant):
    one = seat_participant().to_the_hand()
    two = seat_participant.tab(one.page.context, one.server, one.session).arrive()
    two.play_here()
    two.expect_live()
    one.press("c")
    two.expect_moves(1)
    assert two.board() == AFTER_C
    two.press("t")
    one.expect_moves(2)
    assert one.board() == TWO_MOVES
    one.press("t")
    for tab in (one, two):
        tab.expect_result("Solved in 3 moves · Score 850")


def test_stale_tab_does_not_skip_a_hand(seat_participant):
    one = seat_participant().to_the_hand()
    two = seat_participant.tab(one.page.context, one.server, one.session).arrive()
    two.play_here()
    two.expect_live()
    one.press("c", "t", "t")
    two.expect_result("Solved in 3 moves · Score 850")
    one.next()
    one.expect_title("Hand 2 of 2")
    two.next()
    two.expect_title("Hand 2 of 2")
    two.expect_live()
    expect(two.page.locator(".otree-form-errors")).to_have_count(0)
    two.press("t", "u", "p", "t")
    two.expect_result("Solved in 4 moves · Score 800")
    one.expect_result("Solved in 4 moves · Score 800")


def test_simultaneous_moves_of_two_tabs_count_once(seat_participant):
    one = seat_participant().to_the_hand()
    two = seat_participant.tab(one.page.context, one.server, one.session)
    wire = Wire(two)
    two.arrive()
    two.play_here()
    two.expect_live()
    wire.held = True
    one.press("c")
    two.page.keyboard.press("u")  # on the old board
    assert two.board() == {**FIRST, "Ck": "2C", "UP": "3H"}  # drawn before the answer
    wait_until(two, lambda: ("U", "0") in one.actions())
    two.expect_heard("It is the colour keeper’s turn. Moves left: 20.")  # the move itself is not announced
    wire.let_go()
    two.expect_refusal("The board changed. This is the current position.")
    two.expect_moves(1)
    assert one.board() == two.board() == AFTER_C
    assert two.actions()[-2:] == [("C", "1"), ("U", "0")]
    two.press("t")
    one.expect_moves(2)


def wait_until(player, condition) -> None:
    """Lets Playwright serve the page's routes, which it does only while waiting, until ``condition()``."""
    for _turn in range(500):
        if condition():
            return
        player.page.wait_for_timeout(10)
    raise AssertionError("waited in vain")


def test_move_with_lost_answer_is_played_once(seat_participant):
    desk = seat_participant()
    player = seat_participant.tab(desk.page.context, desk.server, desk.session)
    wire = Wire(player)
    player.to_the_hand()
    wire.held = True
    player.page.keyboard.press("c")
    wait_until(player, lambda: ("C", "1") in desk.actions())
    wire.break_off()
    player.expect_moves(1)
    player.expect_live()
    assert player.board() == AFTER_C
    player.press("t")
    assert player.actions() == [("C", "1"), ("reconnect", ""), ("T", "1")]


def test_lost_move_is_resent_after_reconnect(seat_participant):
    desk = seat_participant()
    player = seat_participant.tab(desk.page.context, desk.server, desk.session)
    wire = Wire(player)
    player.to_the_hand()
    wire.deaf = True
    player.drag("Ck", "C")
    wait_until(player, lambda: wire.lost)
    wire.break_off()
    player.expect_state(1, "Nk", Ck="2H")
    player.press("t")
    assert player.actions() == [("reconnect", ""), ("pick ck", "1"), ("C", "1"), ("T", "1")]


def test_waiting_page_notices_a_dead_connection(seat_participant):
    player = seat_participant.window(seat_participant())
    wire = Wire(player)
    player.page.clock.install()
    player.to_the_hand()
    player.page.clock.fast_forward(8_000)
    wait_until(player, lambda: wire.pings == 1)
    player.expect_live()
    wire.deaf = True
    player.page.clock.fast_forward(8_000)  # the page pings the server
    wait_until(player, lambda: wire.lost == ["ping"])
    player.page.clock.fast_forward(4_000)  # no answer came
    player.expect_lost()
    wire.deaf = False
    player.page.clock.fast_forward(1_000)
    player.expect_live()
    player.press("c")


def test_offline_board_is_inert_until_online_again(seat_participant):
    seat_participant.lenient = True  # the browser complains of connections it cannot make
    player = seat_participant.window(seat_participant()).to_the_hand()
    player.press("c")
    player.page.context.set_offline(True)
    player.expect_lost()
    expect(player.page.locator("#connection")).to_have_text(
        "Connection lost. Reconnecting … Your moves so far are saved."
    )
    player.page.keyboard.press("t")
    player.drag("Nk", "T")
    player.tap_pass()
    assert player.board() == AFTER_C
    player.page.context.set_offline(False)
    player.expect_live()
    expect(player.page.locator("#connection")).to_be_hidden()
    player.expect_note("You are connected again.")
    player.expect_moves(1)
    player.press("t")
    finish(player)
    hand = player.export("custom_export_hands")[0]
    assert (hand["sequence"], hand["outcome"]) == ("CTT", "solved")


def test_offline_tab_catches_up_with_another_tab(seat_participant):
    seat_participant.lenient = True  # the browser complains of connections it cannot make
    one = seat_participant().to_the_hand()
    two = seat_participant.window(one).arrive()
    two.play_here()
    two.expect_live()
    two.page.context.set_offline(True)
    two.expect_lost()
    one.press("c", "t", "t")
    one.next()
    one.expect_title("Hand 2 of 2")
    two.page.context.set_offline(False)
    two.expect_title("Hand 2 of 2")
    two.expect_live()


def test_play_continues_after_a_server_kill(seat_participant, server):
    seat_participant.lenient = True  # the browser complains of connections it cannot make
    player = seat_participant().to_the_hand()
    player.press("c", "t")
    server.kill9()
    player.expect_lost()
    player.page.keyboard.press("t")
    server.start()
    player.expect_live()
    expect(player.page.locator("#connection")).to_be_hidden()
    player.expect_moves(2)
    assert player.board() == TWO_MOVES
    finish(player)
    player.next()
    player.expect_title("Hand 2 of 2")
    assert player.actions(1) == [
        *(("C", "1"), ("T", "1"), ("reconnect", ""), ("T", "1"), ("end solved", "1")),
    ]
