"""Tests the layout of every page at three sizes.

If CARD_LAB_SCREENSHOTS names a folder, a screenshot of every page at every size is saved there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from layout import SIZES, expect_in_order, expect_no_fault
from playwright.sync_api import expect
from ttt_player import SHOW_FILE, TargetPlayer

from cardlab.games.ttt import board, show_file, solver


def through_all_pages(player: TargetPlayer) -> Iterator[tuple[str, bool]]:
    """Yields the name of every page or page state on the way, and whether it may scroll."""
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    yield "instructions", True
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    yield "instructions-refused", True
    player.to_the_last_step()
    yield "instructions-pay", True
    player.next()
    player.expect_page("Check")
    yield "check", True
    player.answer_check(ck_into_target="no", nk_into_target="yes", who_is_next="ck", when_solved="up")
    expect(player.page.locator(".check-explanation")).to_have_count(4)
    yield "check-wrong", True
    player.answer_check()
    player.expect_title("Practice hand 1 of 1")
    player.expect_live()
    yield "practice-hand", False
    player.press("c", "t", "t")
    player.next()
    player.expect_page("Pause")
    yield "pause", True
    player.next()
    player.expect_title("Hand 1 of 2")
    yield from through_a_hand(player)
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.press("t", "u", "p", "t")
    yield "last-hand-over", False
    player.next()
    player.expect_page("Results")
    yield "results", True


def through_a_hand(player: TargetPlayer) -> Iterator[tuple[str, bool]]:
    """Yields the states of a hand page, and whether they may scroll."""
    player.expect_live()
    yield "hand", False
    player.tap("Nk")
    player.expect_note("It is the colour keeper’s turn")
    yield "hand-hint", False
    player.drag("UP", "N")
    player.expect_note("Only the colour keeper can exchange now")
    yield "hand-wrong-drop", False
    if player.board()["Ck"] is None:
        player.tap("Ck")
        expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
        yield "hand-looked", False
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ: 3♥ is red")
    yield "hand-refused", False
    player.press("p", "p", "c")
    yield "hand-nk", False
    player.press("t", "t")
    player.expect_result("Solved in 5 moves · Score 750")
    yield "hand-over", False


@pytest.mark.parametrize("kind", SIZES)
def test_every_page_passes_layout_checks(seat_participant, kind):
    at, sizes = SIZES[kind]
    player = seat_participant(at, check=True, practice_hands=1, practice_file=SHOW_FILE)
    for name, may_scroll in through_all_pages(player):
        expect_in_order(player, name, sizes, may_scroll)


def test_low_instructions_keep_the_leave_button(seat_participant):
    player = seat_participant(leave_button="paid").arrive()
    player.expect_live()
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    expect_no_fault(player, "instructions-leave", [(844, 390), (640, 360)], [], may_scroll=False)
    player.page.locator("#ask-to-leave").click()
    expect(player.page.locator("#leave-study")).to_be_visible()


def test_low_window_has_room_for_a_refusal(seat_participant):
    parts = {"leave_button": "paid", "earnings_so_far": True, "purse": True, "time_limit_seconds": 3599}
    player = seat_participant(**parts).to_the_hand()
    low = [(844, 390), (640, 360)]
    player.tap("Nk")
    player.expect_note("It is the colour keeper’s turn")
    expect_no_fault(player, "hand-low-note", low, [], may_scroll=False)
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    expect_no_fault(player, "hand-low-refused", low, [], may_scroll=False)
    player.page.locator("#ask-to-leave").click()
    expect(player.page.locator("#leave-study")).to_be_visible()


@pytest.mark.long("other hands of the game are laid out, too")
@pytest.mark.parametrize("kind", SIZES)
def test_timed_face_down_hand_passes_layout_checks(seat_participant, kind):
    at, sizes = SIZES[kind]
    hidden = {"ViewCkNk": "FALSE", "ViewTarget": "FALSE", "DragCkNk": "FALSE", "pay_hands": "one"}
    player = seat_participant(at, time_limit_seconds=3599, pay_by="time", theme="dark", **hidden).arrive()
    player.expect_live()
    expect_in_order(player, "instructions-timed", sizes, may_scroll=True)
    player.skip_steps()
    player.expect_title("Hand 1 of 2")
    expect(player.page.locator(".otree-timer__time-left")).not_to_be_empty()
    player.expect_live()
    expect_in_order(player, "hand-timed", sizes, may_scroll=False)
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    expect_in_order(player, "hand-timed-looked", sizes, may_scroll=False)
    player.tap("C")
    player.expect_note(" this card again to exchange it.")
    expect_in_order(player, "hand-clicked-once", sizes, may_scroll=False)
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ: 3♥ is red")
    expect_in_order(player, "hand-timed-refused", sizes, may_scroll=False)
    player.press("c", "t", "t")
    expect(player.page.locator("#go-on")).to_be_visible()
    expect_in_order(player, "hand-timed-over", sizes, may_scroll=False)


PLAY = """async ([socket, moves]) => {
    const hand = new WebSocket(`ws://${location.host}${socket}`);
    const heard = () => new Promise(resolve => hand.onmessage = event => resolve(JSON.parse(event.data)));
    let said = await heard();
    for (const action of moves) {
        hand.send(JSON.stringify({ hand: said.hand, number: said.next, action, ms: 0 }));
        said = await heard();
    }
    hand.close();
    return said.over;
}"""


def race_to_the_results(player: TargetPlayer, file: str) -> None:
    """Plays every hand of the show file over its socket, in the fewest moves."""
    text = (player.server.folder / "deals" / "ttt" / file).read_text("utf-8")
    show = show_file.read(text, file, order="LINEAR", goal="2H", first="ck", at_most=60)
    code = player.session.participants[player.number]
    request = player.page.request
    where = request.post(request.get(player.session.start_urls[player.number]).url)
    player.page.goto(f"{player.server.url}/static/cards/2H.svg")  # a page without scripts
    for deal in show.hands:
        socket = f"/hand/{code}/{where.url.rsplit('/', 1)[1]}"
        moves = list(solver.shortest(*board.parse_deal(deal)))
        assert player.page.evaluate(PLAY, [socket, moves]) == "solved"
        where = request.post(where.url)
    player.arrive()
    player.expect_page("Results")


@pytest.mark.long("plays forty hands")
@pytest.mark.parametrize("kind", SIZES)
def test_results_of_forty_hands_pass_layout_checks(seat_participant, kind):
    at, sizes = SIZES[kind]
    player = seat_participant(at, ShowFileName="game422.txt")
    race_to_the_results(player, "game422.txt")
    expect(player.page.locator(".hands tbody tr")).to_have_count(40)
    expect_in_order(player, "results-40", sizes, may_scroll=True)


COUNT_MOTION = """
    window.motions = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...how) { window.motions += 1; return animate.apply(this, how); };
    for (const kind of ["animationstart", "transitionrun"]) {
        addEventListener(kind, () => { window.motions += 1; }, true);
    }
"""


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_cards_move_unless_reduced_motion_is_preferred(seat_participant, wish):
    player = seat_participant.window(seat_participant(ViewCkNk="FALSE"), reduced_motion=wish)
    player.page.add_init_script(COUNT_MOTION)
    player.to_the_hand()
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    player.drag("Ck", "C")
    player.expect_moves(1)
    player.press("t")
    motions = player.page.evaluate("motions")
    assert motions == 0 if wish == "reduce" else motions > 4
