"""Tests Target the Two for two players, each in a window: play, waiting, reconnecting, layout."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harnesses import GAMES
from layout import SIZES, expect_in_order
from player import DESK
from playwright.sync_api import expect
from seats import Seats
from ttt_player import FIRST, SHOW_FILE, TargetPlayer

BOTH_HIDDEN = {**FIRST, "Ck": None, "Nk": None}
ROBOT = "The robot’s exchange: Target."


class PairPlayer(TargetPlayer):
    """One participant of a pair."""

    app = "ttt_pair_app"
    name_in_url = "target_pair"
    right_answers = GAMES["ttt_pair"].harness.ANSWERS

    def come(self) -> PairPlayer:
        """Goes past the instructions, to the page before the first hand or to the hand."""
        self.pass_the_instructions()
        self.arrive()
        return self

    def expect_status_lines(self, happened: str, turn: str) -> None:
        """Checks the two lines above the cards."""
        expect(self.page.locator("#has-happened")).to_have_text(happened)
        expect(self.page.locator("#whose-turn")).to_have_text(turn)

    def expect_moved(self, *places: str) -> None:
        """Checks that exactly these places are marked as those of the partner's exchange."""
        marked = "all => all.map(at => at.dataset.place)"
        assert sorted(self.page.eval_on_selector_all("[data-moved]", marked)) == sorted(places)


class PairSeats(Seats):
    """Seats co-players, each in a separate window."""

    player_class = PairPlayer

    def __call__(self, people: int = 2, at: dict = DESK, **fields) -> list[PairPlayer]:
        """Seats the participants of a new session: by default one pair, the tests' hands, no check."""
        shown = {"ShowFileName": SHOW_FILE, "ViewCard": "none", "group_size": people, "light_up": False}
        session = self._server.create_session("ttt_pair_demo", people, **{**shown, **fields})
        return [
            self.tab(self._browsers.context(at, number), self._server, session, number)
            for number in range(people)
        ]

    def at_the_table(self, **options) -> tuple[PairPlayer, PairPlayer]:
        """Returns Ck and Nk of a new pair, at their first hand."""
        players = self(**options)
        for player in players:
            player.come()
        for player in players:
            player.expect_page("Hand")
            player.expect_live()
        own = [player.page.locator("[data-own]").get_attribute("data-place") for player in players]
        assert sorted(own) == ["Ck", "Nk"]
        return tuple(sorted(players, key=lambda player: own[players.index(player)]))


@pytest.fixture
def pair(browsers, server) -> Iterator[PairSeats]:
    """Provides a function that seats two :class:`PairPlayer` in a new session."""
    seats = PairSeats(browsers, server)
    yield seats
    seats.leave()


def test_two_partners_finish_despite_reload_and_offline(pair):
    ck, nk = pair.at_the_table(ViewCkNk="FALSE", begin_signal="none")
    assert ck.board() == nk.board() == BOTH_HIDDEN
    yours = "You play the number keeper."
    ck.expect_status_lines("You play the colour keeper.", "Your turn: exchange or pass.")
    nk.expect_status_lines(yours, "Your partner is thinking …")

    # Players move only their own keeper on their own turn; a look stays private.
    for attempt in (lambda: nk.page.keyboard.press("c"), lambda: nk.tap("UP"), nk.tap_pass):
        nk.page.keyboard.press("v")
        nk.expect_note("Please wait for your partner’s move.")
        attempt()
        nk.expect_refusal("It is your partner’s turn. Please wait.")
    expect(nk.page.locator("[data-chosen]")).to_have_count(0)
    attempts = [row["action"] for row in nk.export() if row["seat"] == "nk" and row["accepted"] == "0"]
    assert attempts == ["C", "U", "P"]
    ck.page.keyboard.press("Shift+V")
    ck.expect_note("You cannot look at this card")
    ck.tap("Ck")
    expect(ck.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    assert nk.board() == BOTH_HIDDEN
    nk.expect_status_lines(yours, "Your partner is thinking …")
    ck.page.keyboard.press("t")
    ck.expect_refusal("The colours differ: 3♥ is red and 4♣ is black.")
    ck.drag("C", "Ck")
    ck.expect_status_lines("", "Your partner is thinking …")
    nk.expect_status_lines("Your partner’s exchange: Left.", "Your turn: exchange or pass.")
    nk.expect_moved("Ck", "C")
    nk.expect_heard("Your partner’s exchange: Left. Your turn: exchange or pass.")

    # After a reload, the board is current and shows the partner's last move.
    nk.page.reload()
    nk.expect_status_lines("Your partner’s exchange: Left.", "Your turn: exchange or pass.")
    pair.lenient = True  # the browser complains of connections it cannot make
    ck.page.context.set_offline(True)
    ck.expect_lost()
    nk.page.keyboard.press("t")
    nk.expect_status_lines("", "Your partner is thinking …")
    ck.page.context.set_offline(False)
    ck.expect_live()
    ck.expect_status_lines("Your partner’s exchange: Target.", "Your turn: exchange or pass.")
    ck.expect_moved("Nk", "T")

    # If both act, only the player on turn counts.
    for player in (nk, ck, nk, ck):
        player.page.keyboard.press("t")
    for player in (ck, nk):
        player.expect_result("Solved in 3 moves · Score 850")
        player.expect_moves(3)
        player.next()
        player.expect_title("Hand 2 of 2")
        player.expect_live()

    partner = ["", "’s exchange: Target.", "’s exchange: Face-up.", " passed."]
    for did, player, move in zip(partner, (ck, nk, ck, nk), "tupt"):
        player.expect_status_lines(did and f"Your partner{did}", "Your turn: exchange or pass.")
        player.page.keyboard.press(move)
    for player in (ck, nk):
        player.expect_result("Solved in 4 moves · Score 800")
        player.next()
        player.expect_page("Results")
        expect(player.page.locator(".results")).to_contain_text(
            "You and your partner solved 2 of 2 hands. Moves in all: 7."
        )
        assert player.results()[1] == ck.results()[1]
        assert [row["sequence"] for row in player.export("custom_export_hands")] == ["CTT", "TUPT"]


def test_robot_partner_is_playable_by_keyboard_alone(pair):
    """The robot's answer arrives with the player's move and is presented after it."""
    (player,) = pair(1, check=True, ViewCkNk="FALSE", ViewCard="all", tutorial="required")
    player.arrive()
    keyboard = player.page.keyboard
    player.expect_page("Instructions")
    player.expect_live()
    player.expect_coach("As colour keeper, bring 2♥ into Target")
    assert player.words_before_the_first_action() <= 25
    answers = {"exchange": "c", "partner": "t", "look": "v", "target": "t"}
    for step, key in answers.items():
        player.expect_step(step, locked=True)
        player.expect_status_lines(ROBOT if step == "partner" else "", "Your turn: exchange or pass.")
        keyboard.press(key)
        expect(player.page.locator(".coach.is-done")).to_be_visible()
        if step == "exchange":
            player.expect_status_lines("", "The robot is thinking …")
            player.expect_moves(1)
            player.expect_status_lines(ROBOT, "Your turn: exchange or pass.")
            player.expect_moves(2)
            player.expect_moved("Nk", "T")
        player.tab_to(".otree-btn-next")
        keyboard.press("Enter")
    player.expect_step("pay", locked=False)
    player.to_the_last_step()
    player.tab_to(".otree-btn-next")
    keyboard.press("Enter")
    player.expect_page("Check")
    player.right_answers = {**player.right_answers, "what_is_seen": ("both", "up_t")}
    player.answer_check_by_keyboard()

    player.expect_title("Hand 1 of 2")
    player.expect_live()
    player.expect_status_lines("You play the colour keeper.", "Your turn: exchange or pass.")
    keyboard.press("Shift+V")
    expect(player.at("Nk").locator(".card")).to_have_attribute("data-card", "4H")
    player.tab_to("[data-place=C]")
    keyboard.press("Enter")
    player.expect_status_lines("", "The robot is thinking …")
    keyboard.press("t")  # any input ends the presentation without being a move
    player.expect_status_lines(ROBOT, "Your turn: exchange or pass.")
    player.expect_moves(2)
    keyboard.press("t")
    player.expect_result("Solved in 3 moves · Score 850")
    player.next_by_key()
    player.expect_title("Hand 2 of 2")


FIXED = """() => ["goal", "pass", "moves-made"].map(id => {
    const { x, y } = document.getElementById(id).getBoundingClientRect();
    return [id, x, y];
})"""


def test_lines_about_the_turn_move_nothing_else(pair):
    (player,) = pair(1, turn_limit_seconds=599)
    player.come()
    player.expect_live()
    player.expect_status_lines("You play the colour keeper.", "Your turn: exchange or pass.")
    places = player.page.evaluate(FIXED)
    player.page.keyboard.press("p")
    player.expect_status_lines("", "The robot is thinking …")
    assert player.page.evaluate(FIXED) == places
    expect(player.page.locator("#has-happened")).to_contain_text("The robot")
    assert player.page.evaluate(FIXED) == places


def test_server_passes_for_the_absent_partner_visibly(pair):
    ck, nk = pair.at_the_table(turn_limit_seconds=2)
    expect(nk.page.locator("#deadline")).to_contain_text("Your partner passes automatically in 0:0")
    expect(ck.page.locator("#deadline")).to_contain_text("You pass automatically in 0:0")
    expect(ck.page.locator("#has-happened")).to_have_text("Time ran out: you passed automatically.")
    expect(nk.page.locator("#has-happened")).to_contain_text(
        "Time ran out: your partner passed automatically."
    )
    nk.page.goto(f"{nk.server.url}/static/cards/2H.svg")
    expect(ck.page.locator("#has-happened")).to_contain_text("Your partner is not on this page right now.")
    nk.arrive()
    nk.expect_live()
    expect(ck.page.locator("#has-happened")).not_to_contain_text("not on this page right now")


@pytest.mark.parametrize("kind", SIZES)
def test_every_page_of_two_passes_layout_checks(pair, kind):
    at, sizes = SIZES[kind]
    fields = {"ViewCkNk": "FALSE", "practice_hands": 1, "turn_limit_seconds": 599}
    one, other = pair(at=at, check=True, **fields)
    one.arrive()
    one.expect_live()
    expect_in_order(one, "pair-instructions", sizes, may_scroll=True)
    for step in ("partner", "look", "target"):
        one.next()
        expect_in_order(one, f"pair-instructions-{step}", sizes, may_scroll=True)
    one.skip_steps()
    one.expect_page("Check")
    one.answer_check(whose_turn="me", what_is_seen="both", what_is_told="sign")
    expect(one.page.locator(".check-explanation")).to_have_count(3)
    expect_in_order(one, "pair-check-wrong", sizes, may_scroll=True)
    one.answer_check()
    one.expect_page("Gather")
    expect_in_order(one, "pair-gather", sizes, may_scroll=False)
    other.arrive()
    other.skip_steps()
    other.expect_page("Check")
    other.answer_check()
    for player in (one, other):
        player.expect_page("Hand")
        player.expect_live()
    ck, nk = (one, other) if one.page.locator("[data-place=Ck][data-own]").count() else (other, one)
    ck.page.keyboard.press("t")
    ck.expect_refusal("The colours differ")
    expect_in_order(ck, "pair-refused", sizes, may_scroll=False)
    ck.tap("UP")
    ck.expect_note(" this card again to exchange it.")
    expect_in_order(ck, "pair-clicked-once", sizes, may_scroll=False)
    ck.tap("UP")
    nk.expect_status_lines("Your partner’s exchange: Face-up.", "Your turn: exchange or pass.")
    expect_in_order(nk, "pair-partner-has-moved", sizes, may_scroll=False)
    nk.page.goto(f"{nk.server.url}/static/cards/2H.svg")
    ck.expect_status_lines("Your partner is not on this page right now.", "Waiting for your partner …")
    expect_in_order(ck, "pair-waits", sizes, may_scroll=False)
    nk.arrive()
    nk.expect_live()
    nk.page.keyboard.press("t")
    ck.expect_result("Solved in 2 moves · Score 900")
    expect_in_order(ck, "pair-over", sizes, may_scroll=False)
