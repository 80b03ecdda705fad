"""Tests a hand by mouse and touch: exchanges, passes, looks, illegal and wrong drops, cancelled drags."""

import pytest
from player import DESK, MOVING, PHONE
from playwright.sync_api import expect
from ttt_player import FACE_DOWN, FIRST

COLOURS_DIFFER = (
    "The colours differ: 3♥ is red and 4♣ is black. "
    "The colour keeper may exchange with Target only if both cards have the same colour."
)


@pytest.fixture(params=[DESK, PHONE], ids=["mouse", "touch"])
def at(request) -> dict:
    return {**request.param, **MOVING}


def test_keepers_card_is_dragged_onto_another(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.expect_state(0, "Ck")
    player.drag("Ck", "C")
    player.expect_state(1, "Nk", Ck="2H")
    expect(player.page.locator("#moves-left")).to_have_text("19")
    player.expect_heard(
        "Exchanged: Left. Colour keeper: 2 of hearts. It is the number keeper’s turn. Moves left: 19."
    )
    player.drag("Nk", "UP")
    player.expect_state(2, "Ck", Ck="2H", Nk="2C", UP="4H")
    player.expect_at_rest()
    assert player.actions() == [("pick ck", "1"), ("C", "1"), ("pick nk", "1"), ("U", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_another_card_is_dragged_onto_the_keepers(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.drag("C", "Ck")
    player.expect_state(1, "Nk", Ck="2H")
    player.drag("T", "Nk")
    player.expect_state(2, "Ck", Ck="2H", T="4H", Nk="4C")
    assert player.actions() == [("pick c", "1"), ("C", "1"), ("pick t", "1"), ("T", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_pass_button_passes_the_turn(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.tap_pass()
    player.expect_state(1, "Nk")
    player.drag("UP", "Nk")
    player.expect_moves(2)
    player.tap_pass()
    player.expect_state(3, "Nk", Nk="2C", UP="4H")
    assert player.actions() == [("P", "1"), ("pick up", "1"), ("U", "1"), ("P", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_looked_at_card_stays_visible_until_turn_passes(seat_participant, at):
    player = seat_participant(at, ViewCkNk="FALSE").to_the_hand()
    assert player.board() == FACE_DOWN
    player.tap("Ck")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.tap("Nk")
    expect(player.at("Nk").locator(".card")).to_have_attribute("data-card", "4H")
    player.tap_pass()
    player.expect_moves(1)
    assert player.board() == FACE_DOWN
    assert player.actions() == [("look ck", "1"), ("look nk", "1"), ("P", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_illegal_drop_moves_nothing_and_says_why(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.drag("Ck", "T")
    expect(player.page.locator("#refusal")).to_have_text(COLOURS_DIFFER)
    player.expect_at_rest()
    player.expect_state(0, "Ck")
    assert player.actions() == [("pick ck", "1"), ("T", "0")]
    assert player.export()[-1]["reason"] == COLOURS_DIFFER
    player.drag("Ck", "C")
    player.expect_state(1, "Nk", Ck="2H")
    expect(player.page.locator("#refusal")).to_be_empty()


@pytest.mark.long("a finger does the same", only="mouse")
def test_wrong_drop_returns_with_a_reason(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    wrong = {
        ("Ck", "Nk"): "The two keepers never exchange with each other.",
        ("C", "UP"): "Only the colour keeper can exchange now. Drop the card on the colour keeper.",
        ("UP", "Nk"): "It is the colour keeper’s turn. Only this keeper can exchange its card now.",
        ("Nk", "C"): "It is the colour keeper’s turn. Only this keeper can exchange its card now.",
    }
    for (start, end), words in wrong.items():
        player.drag(start, end)
        player.expect_note(words)
        player.expect_at_rest()
        player.expect_state(0, "Ck")
        player.tap("Ck")
        player.expect_note("the card that should come here: Left, Face-up, Right or Target.")
    assert player.actions() == []  # nothing has been sent


@pytest.mark.long("a finger does the same", only="mouse")
def test_abandoned_drag_is_recorded_as_a_pick_up(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.drag_to_nowhere("Ck")
    player.expect_at_rest()
    player.expect_state(0, "Ck")
    player.drag_to_nowhere("UP")
    player.expect_at_rest()
    player.tap_pass()
    player.expect_moves(1)
    assert player.actions() == [("pick ck", "1"), ("pick up", "1"), ("P", "1")]
    picks = [int(row["client_ms"]) for row in player.export()[1:]]
    assert picks == sorted(picks)


@pytest.mark.long("a finger does the same", only="mouse")
def test_fixed_keeper_card_cannot_be_dragged(seat_participant, at):
    player = seat_participant(at, DragCkNk="FALSE").to_the_hand()
    player.drag("Ck", "C")
    player.expect_note("The keeper’s card cannot be dragged here. Choose the card that it should get.")
    player.expect_at_rest()
    player.expect_state(0, "Ck")
    player.drag("C", "Ck")
    player.expect_state(1, "Nk", Ck="2H")
    assert player.actions() == [("pick c", "1"), ("C", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_tap_exchanges_with_the_active_keeper(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.tap("T")
    expect(player.page.locator("#refusal")).to_have_text(COLOURS_DIFFER)
    player.tap("Ck")
    player.expect_note("the card that should come here: Left, Face-up, Right or Target.")
    player.tap("Nk")
    player.expect_note("It is the colour keeper’s turn")
    player.expect_state(0, "Ck")
    player.tap("C")
    player.expect_state(1, "Nk", Ck="2H")
    player.tap("T")
    player.expect_state(2, "Ck", Ck="2H", T="4H", Nk="4C")
    assert player.actions() == [("T", "0"), ("C", "1"), ("T", "1")]


def test_double_click_exchanges_once(seat_participant):
    player = seat_participant().to_the_hand()
    player.at("UP").dblclick()
    player.expect_moves(1)
    player.press("p")
    player.expect_state(2, "Ck", Ck="2C", UP="3H")
    assert player.actions() == [("U", "1"), ("P", "1")]


CHOSEN = "() => [...document.querySelectorAll('[data-chosen]')].map(at => at.dataset.place)"


def test_exchange_needs_second_click_where_clicks_look(seat_participant, at):
    player = seat_participant(at, ViewCkNk="FALSE").to_the_hand()
    for place in ("C", "UP", "T"):
        player.tap(place)
        player.expect_note(" this card again to exchange it.")
        assert player.page.evaluate(CHOSEN) == [place]
    player.tap("Ck")  # looks
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    assert player.page.evaluate(CHOSEN) == []
    player.tap("C")
    player.tap("C")
    player.expect_moves(1)
    assert player.page.evaluate(CHOSEN) == []
    expect(player.page.locator("#note")).to_be_empty()
    assert player.actions() == [("look ck", "1"), ("C", "1")]


@pytest.mark.long("a finger does the same", only="mouse")
def test_choosing_nothing_cancels_the_first_click(seat_participant, at):
    player = seat_participant(at, ViewCkNk="FALSE").to_the_hand()
    for cancel in (
        lambda: player.page.keyboard.press("Escape"),
        lambda: player.pointer.tap(player.middle(player.page.locator("#goal"))),
        lambda: player.drag_to_nowhere("C"),
    ):
        player.tap("C")
        assert player.page.evaluate(CHOSEN) == ["C"]
        cancel()
        assert player.page.evaluate(CHOSEN) == []
        expect(player.page.locator("#note")).to_be_empty()
    player.expect_moves(0)
    assert player.actions() == []


def test_drag_and_key_need_no_second_click(seat_participant, at):
    player = seat_participant(at, ViewCkNk="FALSE").to_the_hand()
    player.drag("C", "Ck")
    player.expect_moves(1)
    player.tap("N")
    player.press("u")
    assert player.page.evaluate(CHOSEN) == []
    player.at("C").focus()
    player.press("Enter")
    assert player.actions() == [("pick c", "1"), ("C", "1"), ("U", "1"), ("C", "1")]


def test_tap_and_hold_needs_no_second_tap(seat_participant):
    player = seat_participant(PHONE, ViewCkNk="FALSE").to_the_hand()
    finger = player.pointer
    finger.down(player.middle(player.at("C")))
    player.page.wait_for_timeout(600)  # longer than a tap
    player.expect_moves(0)
    finger.up()
    player.expect_moves(1)
    assert player.actions() == [("C", "1")]


@pytest.mark.parametrize(("face_up", "clicks", "needed"), [("FALSE", "once", 1), ("TRUE", "twice", 2)])
def test_click_exchanges_sets_how_many_clicks(seat_participant, face_up, clicks, needed):
    player = seat_participant(ViewCkNk=face_up, click_exchanges=clicks).to_the_hand()
    player.tap("C")
    assert player.page.evaluate(CHOSEN) == ([] if needed == 1 else ["C"])
    player.expect_moves(2 - needed)
    if needed == 2:
        player.at("UP").dblclick()
    player.expect_moves(1)
    assert player.actions() == [("C" if needed == 1 else "U", "1")]


LIT = "() => [...document.querySelectorAll('[data-highlighted]')].map(at => at.dataset.place)"


@pytest.mark.long("the mouse does the same", only="touch")
def test_pick_up_highlights_targets_if_configured(seat_participant, at):
    for fields, lit in (
        ({"light_up": True}, {"C": ["Ck"], "Ck": ["T", "C", "UP", "N"]}),
        ({"light_up": False}, {}),
    ):
        player = seat_participant(at, **fields).to_the_hand()
        for place in ("C", "Ck"):
            player.pick_up(place)
            assert player.page.evaluate(LIT) == lit.get(place, [])
            player.pointer.up()
            player.expect_at_rest()
            assert player.page.evaluate(LIT) == []


def test_hand_can_be_solved_by_dragging(seat_participant, at):
    player = seat_participant(at).to_the_hand()
    player.drag("Ck", "C")
    player.expect_moves(1)
    player.drag("Nk", "T")
    player.expect_moves(2)
    player.drag("T", "Ck")
    player.expect_result("Solved in 3 moves · Score 850")
    assert player.board() == {**FIRST, "Ck": "4H", "T": "2H", "Nk": "4C"}


def test_a_right_click_looks(seat_participant):
    player = seat_participant(ViewCkNk="FALSE").to_the_hand()
    player.at("Ck").click(button="right")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.tap_pass()
    player.expect_moves(1)
    assert player.actions() == [("look ck", "1"), ("P", "1")]


def test_a_double_click_passes_once(seat_participant):
    player = seat_participant().to_the_hand()
    player.tap_pass()
    player.expect_moves(1)
    player.page.mouse.down(click_count=2)
    player.page.mouse.up(click_count=2)
    player.press("u")
    player.expect_state(2, "Ck", Nk="2C", UP="4H")
    assert player.actions() == [("P", "1"), ("U", "1")]


def test_a_long_press_looks(seat_participant):
    player = seat_participant(PHONE, ViewCkNk="FALSE").to_the_hand()
    player.pointer.down(player.middle(player.at("Ck")))
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.pointer.up()
    player.tap_pass()
    player.expect_moves(1)
    assert player.actions() == [("look ck", "1"), ("P", "1")]


def test_long_touch_still_drags(seat_participant):
    player = seat_participant(PHONE, ViewCkNk="FALSE").to_the_hand()
    finger = player.pointer
    finger.down(player.middle(player.at("Ck")))
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    finger.move(player.middle(player.at("C")))
    finger.up()
    player.expect_moves(1)
    assert player.actions() == [("look ck", "1"), ("pick ck", "1"), ("C", "1")]
