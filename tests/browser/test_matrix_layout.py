"""Tests the layout of every page of the matrix card game at three sizes, in its fullest states."""

from __future__ import annotations

import pytest
from layout import SIZES, expect_board_in_view, expect_in_order, expect_no_fault
from matrix_player import MatrixPlayer
from player import PHONE, SMALL_PHONE
from playwright.sync_api import expect


@pytest.fixture(params=SIZES)
def kind(request) -> str:
    return request.param


def at_the_table(seat_group, people: int, at: dict, **fields):
    """Returns a game of ``people`` players, all at screens like ``at``."""
    players = seat_group(people, at=at, **fields)
    for player in players:
        player.come()
    return seat_group.game(*players, **{key: fields[key] for key in ("pack", "players") if key in fields})


def test_hand_page_passes_layout_checks(seat_group, kind):
    """S sees the other player on the left, W on the right."""
    at, sizes = SIZES[kind]
    game = at_the_table(seat_group, 2, at, turn_limit_seconds=599)
    expect_in_order(game.at("S"), "matrix-start", sizes, may_scroll=False)
    game.act("S")
    game.expect_everywhere()
    for seat, player in game.people.items():
        expect_in_order(player, f"matrix-{seat}-one-has-chosen", sizes, may_scroll=False)
    game.act("W")
    while not game.state.rotator:
        game.play_turn()
    game.expect_everywhere()
    rotator = game.at(game.state.rotator)
    if kind == "desk":
        rotator.cross("NW").hover()
        expect(rotator.page.locator("[data-preview]")).to_have_count(1)
    for seat, player in game.people.items():
        name = "may-turn" if player is rotator else "waits"
        expect_in_order(player, f"matrix-{seat}-{name}", sizes, may_scroll=False)
    game.act(rotator.seat, "rotate NW")
    game.act("S")
    game.expect_everywhere()
    player = game.at("W")
    expect(player.page.locator("#last")).to_contain_text("turned")
    player.pointer.tap(player.middle(player.cross("SE")))
    player.expect_note("Only the player who has just collected")
    expect_in_order(player, "matrix-note", sizes, may_scroll=False)
    words = "A sentence as long as this one has its place: the board had changed. It is shown as it stands."
    player.page.evaluate("async words => (await import('/static/cardlab/page.js')).showRefusal(words)", words)
    expect_in_order(player, "matrix-refused", sizes, may_scroll=False)


def test_smallest_phone_shows_the_whole_table(seat_group):
    (player,) = seat_group(1, at=SMALL_PHONE, players=2, turn_limit_seconds=599)
    player.arrive()
    player.expect_live()
    expect_board_in_view(player, "matrix-instructions-smallest")
    player.come()
    player.expect_at_the_table()
    expect_board_in_view(player, "matrix-smallest")


# Returns the sides of the seat labels that cover a slot.
LABELS_OVER_SLOTS = """() => {
    const boxes = selector => [...document.querySelectorAll(`#board ${selector}`)].map(part =>
        [part.dataset.side, part.getBoundingClientRect()]);
    const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const slots = boxes(":is(.slot:not([data-side=near]), .slot.place)");
    return boxes(".seat-label").filter(([, label]) => slots.some(([, slot]) => cover(label, slot)))
        .map(([side]) => side);
}"""


def test_long_names_leave_slots_free(seat_group):
    (player,) = seat_group(1, players=4)
    phone = seat_group.window(player, **{**PHONE, "viewport": {"width": 375, "height": 667}})
    phone.page.goto(f"{player.session.start_urls[0]}?language=de")
    phone.come()
    phone.expect_at_the_table()
    expect(phone.page.get_by_text("Rechter Roboter")).to_be_visible()
    phone.tap(f"play {phone.hand()[0]}")
    expect(phone.page.locator("#turn")).to_have_text("3 von 22")
    phone.expect_at_rest()
    assert phone.page.evaluate(LABELS_OVER_SLOTS) == []
    expect_board_in_view(phone, "matrix-four-de")


@pytest.mark.long("other pages are laid out on a phone", only="phone")
def test_hand_page_of_four_passes_layout_checks(seat_group, kind):
    at, sizes = SIZES[kind]
    game = at_the_table(seat_group, 4, at)
    game.play_turn()
    game.act("E")
    game.expect_everywhere()
    expect(game.at("S").page.locator(".two-player-keys")).to_be_hidden()
    for seat in "ENS":  # has chosen, has to choose, only watches
        expect_in_order(game.at(seat), f"matrix-four-{seat}", sizes, may_scroll=False)


@pytest.mark.long("the same page as with four players")
def test_hand_with_three_robots_passes_layout_checks(seat_group, kind):
    at, sizes = SIZES[kind]
    (player,) = seat_group(1, at=at, players=4, pack="special", turn_limit_seconds=599)
    player.come()
    player.expect_at_the_table()
    expect_in_order(player, "matrix-robots-start", sizes, may_scroll=False)
    player.tap(f"play {player.hand()[0]}")
    expect(player.page.locator("#turn")).to_have_text("3 of 16")
    player.expect_status("The left robot has chosen. Your turn: choose a card.")
    player.expect_at_rest()
    expect_in_order(player, "matrix-robots-later", sizes, may_scroll=False)
    player.page.reload()
    expect(player.page.locator("#last > div")).to_have_count(2)  # of both pairs


# Plays over the hand's socket up to the last turn: always the first card, never a rotation.
PLAY_ON = """socket => new Promise(resolve => {
    const hand = new WebSocket(`ws://${location.host}${socket}`);
    hand.onmessage = event => {
        const said = JSON.parse(event.data);
        if (said.view.turn === said.view.of && !said.view.rotator) {
            hand.close();
            resolve();
            return;
        }
        const action = said.view.rotator ? "keep" : `play ${said.view.hand[0]}`;
        hand.send(JSON.stringify({ hand: said.hand, number: said.next, action, ms: 0 }));
    };
})"""


def play_to_the_last_turn(player: MatrixPlayer) -> None:
    """Plays up to the last turn; against a robot, every response asks for the next action."""
    number = player.page.url.rsplit("/", 1)[1]
    code = player.session.participants[player.number]
    player.page.goto(f"{player.server.url}/static/cards/2H.svg")  # a page without scripts
    player.page.evaluate(PLAY_ON, f"/hand/{code}/{number}")
    player.arrive()
    player.expect_at_the_table()


@pytest.mark.long("other pages are laid out on a phone", only="phone")
def test_pages_after_a_game_pass_layout_checks(seat_group, kind):
    """The special pack has the widest values."""
    at, sizes = SIZES[kind]
    (player,) = seat_group(1, at=at, players=2, pack="special", games=2, pay_hands="one")
    player.come()
    for game in (1, 2):
        expect(player.page.locator("#_otree-title")).to_contain_text(f"Game {game} of 2")
        player.expect_at_the_table()
        play_to_the_last_turn(player)
        player.press(f"play {player.hand()[0]}")
        expect(player.page.locator("#result-text")).to_contain_text("Game over · Your score: ")
        player.expect_at_rest()
        if game == 2:
            expect_in_order(player, "matrix-over", sizes, may_scroll=False)
        player.next()
    player.expect_page("Debriefing")
    expect(player.page.locator("details[open]")).to_have_count(0)
    expect_in_order(player, "matrix-debriefing", sizes, may_scroll=kind == "phone")
    for summary in player.page.locator(".details-part > summary").all():
        summary.press("Enter")
    player.page.locator("details.game").last.locator("summary").press("Enter")
    expect(player.page.locator("details[open]")).to_have_count(4)
    expect_in_order(player, "matrix-debriefing-all", sizes, may_scroll=True)
    player.next()
    player.expect_page("Results")
    expect_in_order(player, "matrix-results", sizes, may_scroll=True)


@pytest.mark.long("other pages are laid out on a phone", only="phone")
def test_pages_before_the_game_pass_layout_checks(seat_group, kind):
    at, sizes = SIZES[kind]
    (player,) = seat_group(1, at=at, players=2, check=True, turn_limit_seconds=60, change_choice=True)
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.expect_coach("any of your seven cards")
    expect_in_order(player, "matrix-instructions", sizes, may_scroll=True)
    for turn in range(1, 12):
        player.tap(f"play {player.hand()[0]}")
        expect(player.page.locator("#last")).to_contain_text(f"Last turn ({turn})")
        player.expect_at_rest()
        if player.page.locator("#keep").is_visible():
            break
    player.next()
    player.next()
    expect_in_order(player, "matrix-instructions-turning", sizes, may_scroll=True)
    player.skip_steps()
    player.expect_page("Check")
    expect_in_order(player, "matrix-check", sizes, may_scroll=True)
    player.answer_check(left_right="cross", who_collects="higher", new_cross="away", red_card="8")
    expect(player.page.locator(".check-explanation")).to_have_count(4)
    expect_in_order(player, "matrix-check-wrong", sizes, may_scroll=True)


@pytest.mark.long("a hand of four and other instructions are laid out, too")
def test_instructions_for_four_pass_layout_checks(seat_group, kind):
    at, sizes = SIZES[kind]
    (player,) = seat_group(1, at=at, players=4, pack="special")
    player.arrive()
    player.expect_live()
    player.tap(f"play {player.hand()[0]}")
    expect(player.page.locator("#turn")).to_have_text("3 of 16")
    player.expect_at_rest()
    expect_in_order(player, "matrix-instructions-four", sizes, may_scroll=True)


def test_waiting_page_passes_layout_checks(seat_group, kind):
    at, sizes = SIZES[kind]
    one, _other = seat_group(2, at=at)
    one.come()
    one.expect_page("Gather")
    expect_in_order(one, "matrix-gather", sizes, may_scroll=False)


SHOW_BANNERS = """() => {
    const notSent = document.getElementById("not-sent");
    notSent.textContent = notSent.dataset.lost;
    for (const banner of [notSent, document.getElementById("connection")]) banner.hidden = false;
}"""


def test_waiting_page_shows_one_banner_offline(seat_group):
    """Nothing moves and everything stays visible, even on a phone held sideways."""
    one, _other = seat_group(2, at=PHONE, begin_signal="sound", leave_button="paid")
    one.come()
    one.expect_page("Gather")
    one.page.evaluate(SHOW_BANNERS)
    expect(one.page.get_by_text("Connection lost").filter(visible=True)).to_have_count(1)
    expect_no_fault(one, "matrix-gather-offline", [(390, 844), (844, 390)], [], may_scroll=False)
