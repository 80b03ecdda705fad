"""Tests a whole session without a mouse, from the start link to the results."""

from playwright.sync_api import expect
from ttt_player import FACE_DOWN, FIRST


def test_whole_session_is_playable_by_keyboard_alone(seat_participant):
    player = seat_participant(check=True, ViewCkNk="FALSE").arrive()
    keyboard = player.page.keyboard

    player.expect_page("Instructions")
    player.expect_live()
    player.press("P")
    player.tab_to("#again")
    keyboard.press("Enter")
    player.expect_moves(0)
    for _step in range(player.steps_left() + 1):
        player.tab_to(".otree-btn-next")
        keyboard.press("Enter")

    player.expect_page("Check")
    player.answer_check_by_keyboard()

    player.expect_title("Hand 1 of 2")
    player.expect_live()
    assert player.board() == FACE_DOWN
    keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    keyboard.press("Shift+V")
    expect(player.at("Nk").locator(".card")).to_have_attribute("data-card", "4H")
    keyboard.press("t")
    player.expect_refusal("The colours differ: 3♥ is red and 4♣ is black.")
    player.press("c", "T")
    player.press("t")
    player.expect_result("Solved in 3 moves · Score 850")
    player.next_by_key()

    player.expect_title("Hand 2 of 2")
    player.expect_live()
    # Tab leads to the place to exchange with, and Enter exchanges.
    player.tab_to("[data-place=T]")
    keyboard.press("Enter")
    player.expect_moves(1)
    player.tab_to("[data-place=UP]")
    keyboard.press("Enter")
    player.expect_moves(2)
    player.tab_to("#pass")
    keyboard.press("Enter")
    player.expect_moves(3)
    player.press("t")
    player.expect_result("Solved in 4 moves · Score 800")
    player.next_by_key("Space")

    player.expect_page("Results")
    assert [row["sequence"] for row in player.export("custom_export_hands")] == ["CTT", "TUPT"]
    assert player.actions(1) == [
        *(("look ck", "1"), ("look nk", "1"), ("T", "0"), ("C", "1"), ("T", "1"), ("T", "1")),
        ("end solved", "1"),
    ]


def test_every_move_has_a_key(seat_participant):
    player = seat_participant().to_the_hand()
    player.press("u")
    player.expect_state(1, "Nk", Ck="2C", UP="3H")
    player.press("N")
    player.expect_state(2, "Ck", Ck="2C", UP="3H", Nk="3C")
    player.press("p")
    player.expect_state(3, "Nk", Ck="2C", UP="3H", Nk="3C")
    player.page.keyboard.press("t")
    player.expect_refusal("The numbers differ: 3♣ and 4♣.")
    player.press("C")
    player.expect_state(4, "Ck", Ck="2C", UP="3H", Nk="2H")
    assert [action for action, _accepted in player.actions()] == ["U", "N", "P", "T", "C"]


def test_other_keys_play_nothing(seat_participant):
    player = seat_participant().to_the_hand()
    for key in ("x", "Escape", "Enter", "Space", "Control+c", "Alt+p", "1"):
        player.page.keyboard.press(key)
    player.press("p")
    player.expect_state(1, "Nk")
    assert player.actions() == [("P", "1")]


def test_a_held_key_plays_once(seat_participant):
    player = seat_participant().to_the_hand()
    player.page.keyboard.down("p")
    player.expect_moves(1)
    player.page.keyboard.down("p")  # as if held down
    player.page.keyboard.up("p")
    player.press("u")
    player.expect_moves(2)
    assert player.actions() == [("P", "1"), ("U", "1")]


def test_places_have_labels_for_screen_readers(seat_participant):
    """Places and the keeper on turn are labelled; face-down cards are not named."""
    player = seat_participant(ViewCkNk="FALSE").to_the_hand()
    names = {place: player.at(place).get_attribute("aria-label") for place in FIRST}
    assert names == {
        "Ck": "Colour keeper, your turn: face down",
        "T": "Target: 4 of clubs",
        "Nk": "Number keeper: face down",
        "C": "Left: face down",
        "UP": "Face-up: 2 of clubs",
        "N": "Right: face down",
    }
    expect(player.page.locator("#goal")).to_have_attribute("aria-label", "Goal: 2 of hearts")
    player.page.keyboard.press("v")
    player.expect_heard("Colour keeper: 3 of hearts.")
    player.press("u")  # a face-down card goes face up to UP, and the card from there face down
    player.expect_heard(
        "Exchanged: Face-up. Face-up: 3 of hearts. It is the number keeper’s turn. Moves left: 19."
    )
