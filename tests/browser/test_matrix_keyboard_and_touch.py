"""Tests the matrix card game against a robot by keyboard, mouse and touch, with accidental clicks."""

import pytest
from player import DESK, MOVING, PHONE
from playwright.sync_api import expect

from cardlab.games.matrix.packs import column

REFUSED = "You have already chosen. You cannot change your choice."


def against_a_robot(seat_group, at=DESK, **fields):
    """Opens a game against a robot and returns its participant."""
    (player,) = seat_group(1, at=at, players=2, **fields)
    player.come()
    player.expect_at_the_table()
    return player


def acts(player, seat: str = "S") -> list[str]:
    """Returns this seat's accepted actions from the export."""
    return [row["action"] for row in player.export() if row["seat"] == seat and row["accepted"] == "1"]


def test_whole_session_is_playable_by_keyboard_alone(seat_group):
    (player,) = seat_group(1, players=2, pack="special", check=True)
    player.arrive()
    keyboard = player.page.keyboard

    player.expect_page("Instructions")
    player.expect_live()
    for _step in range(player.steps_left() + 1):
        player.tab_to(".otree-btn-next")
        keyboard.press("Enter")
    player.expect_page("Check")
    player.answer_check_by_keyboard()

    player.expect_at_the_table()
    done = []
    turned = iter(["rotate NW", "keep", "tab to SE", "rotate NE", "rotate SW", "tab to keep"])
    chosen = 0
    while player.page.locator("#result").is_hidden():
        play_one(player, done, turned, by_tab=chosen in (1, 2))
        chosen += 1
        wait_until_playable(player)
    player.next_by_key()
    player.expect_page("Debriefing")
    player.tab_to(".otree-btn-next")
    keyboard.press("Enter")
    player.expect_page("Results")

    assert acts(player) == done
    assert chosen == 16
    assert next(turned, None) is None, "every way to turn a cross, and to keep, has been tried"


PLAYABLE = """() => {
    const telling = document.querySelector(".cross[data-selected]");
    if (telling) document.querySelector("[data-place=slot-left]").click();
    const presented = !telling && document.querySelector("#board .hand-cards[data-turn]");
    return presented || !document.getElementById("keep").hidden || !document.getElementById("result").hidden;
}"""


def wait_until_playable(player) -> None:
    """Waits until a card may be chosen, a cross may be turned, or the game is over."""
    player.wait_until(PLAYABLE)


def play_one(player, done: list[str], turned, by_tab: bool) -> None:
    """Turns a cross if allowed, then chooses the first card; ``done`` collects the actions."""
    keyboard = player.page.keyboard
    if player.page.locator("#keep").is_visible():
        way = next(turned, "keep")
        if way.startswith("tab to "):
            where = "#keep" if way == "tab to keep" else f".cross[data-cell={way[7:]}]"
            player.tab_to(where)
            keyboard.press("Enter")
        else:
            keyboard.press(player.key_of(way))
        done.append({"tab to SE": "rotate SE", "tab to keep": "keep"}.get(way, way))
        expect(player.page.locator("#keep")).to_be_hidden()
        wait_until_playable(player)
    card = player.hand()[0]
    if by_tab:
        player.tab_to(f".hand-cards .place:has([data-card='{card}'])")
        keyboard.press("Enter")
    else:
        player.page.keyboard.press(player.key_of(f"play {card}"))
    done.append(f"play {card}")
    expect(player.at(card)).to_have_count(0)


def test_other_keys_and_held_keys_play_nothing(seat_group):
    player = against_a_robot(seat_group)
    for key in ("8", "0", "x", "k", "Escape", "Enter", "Space", "Control+1", "Alt+2"):
        player.page.keyboard.press(key)
    third = player.page.locator("[data-place=hand-3] .card").get_attribute("data-card")
    player.page.keyboard.down("3")
    expect(player.at(third)).to_have_count(0)
    wait_until_playable(player)
    player.page.keyboard.down("3")  # as if held down
    player.page.keyboard.up("3")
    wait_until_playable(player)
    assert acts(player) == [f"play {third}"]


def double_tap(player, spot) -> None:
    player.pointer.tap(spot)
    player.pointer.tap(spot)


@pytest.mark.long("a finger does the same", only="mouse")
@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_a_double_tap_chooses_once_and_turns_once(seat_group, at):
    people = seat_group(2, at={**at, **MOVING}, change_choice=True)
    for player in people:
        player.come()
    game = seat_group.game(*people, change_choice=True)
    while not game.state.rotator:
        for seat in game.state.pair:
            action = game.any_action(seat)
            game.at(seat).expect_may(action)
            double_tap(game.at(seat), game.at(seat).grip(action[5:]))
            game.apply(seat, action)
        game.expect_everywhere()
    player = game.at(game.state.rotator)
    player.expect_may("keep")
    double_tap(player, player.middle(player.cross("NW")))
    game.apply(player.seat, "rotate NW")
    game.expect_everywhere()
    for player in people:
        expect(player.page.locator("#refusal")).to_be_empty()


@pytest.mark.long("a finger does the same", only="mouse")
@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_cards_are_tapped_dragged_and_errors_explained(seat_group, at):
    people = seat_group(2, at={**at, **MOVING})
    for player in people:
        player.come()
    game = seat_group.game(*people)
    player = game.at("S")
    card = next(card for card in game.state.hand("S") if column(card) == "left")
    player.pointer.drag(player.grip(card), player.middle(player.slot("right")))
    player.expect_note("This card selects the left column. Put it there.")
    player.expect_table(game.state)
    player.pointer.tap(player.middle(player.cross("NW")))
    player.expect_note("Only the player who has just collected the lower card can turn a cross.")
    player.pointer.tap(player.middle(player.slot("left")))
    player.expect_note("one of your cards to choose it, or drag it here.")
    player.pointer.drag(player.grip(card), player.middle(player.page.locator(".powered-by-otree")))
    player.expect_table(game.state)
    player.expect_at_rest()
    game.act("S", f"play {card}", "tap")
    player.expect_table(game.state)
    player.pointer.tap(player.grip(player.hand()[0]))
    player.expect_refusal(REFUSED)
    player.expect_table(game.state)
    game.act("W", way="drag")
    for way in ("drag", "tap"):
        game.play_turn(way)
        game.expect_everywhere()
    assert any(turn.rotator for turn in game.state.turns)
    rows = [row for player in people for row in player.export()]
    assert [row["reason"] for row in rows if row["accepted"] == "0"] == [REFUSED]


def test_choice_can_change_until_both_have_chosen(seat_group):
    people = seat_group(2, change_choice=True)
    for player in people:
        player.come()
    game = seat_group.game(*people, change_choice=True)
    for seat, other in (("S", "W"), ("W", "S")):
        for way in ("press", "tap", "drag"):
            game.act(seat, way=way)
            game.expect_everywhere()
            game.at(seat).expect_status(
                "You have chosen. You may still choose another card. Waiting for the other player …"
            )
            game.at(other).expect_status("The other player has chosen. Your turn: choose a card.")
        game.act(other, way="tap")
        game.expect_everywhere()
        if game.state.rotator:
            game.act(game.state.rotator, "keep", "tap")
            game.expect_everywhere()


def test_places_have_labels_for_screen_readers(seat_group):
    """Hand, crosses and last turn are labelled; face-down cards are not named."""
    people = seat_group(2)
    for player in people:
        player.come()
    game = seat_group.game(*people)
    own, other = game.at("S"), game.at("W")
    card = game.state.hand("S")[0]
    points = game_points(card)
    expect(own.at(card)).to_have_accessible_name(f"Card 1: {points}, {column(card)} column")
    north_south, east_west = game.state.crosses[1]
    expect(own.cross("NW")).to_have_accessible_name(
        f"Far left. You: {game_points(north_south)}. Other player: {game_points(east_west)}"
    )
    expect(other.cross("NW")).to_have_accessible_name(
        f"Near left. You: {game_points(east_west)}. Other player: {game_points(north_south)}"
    )
    played = {seat: game.any_card(seat)[5:] for seat in game.state.pair}
    number = other.key_of(f"play {played['W']}")
    for seat in played:
        game.act(seat, f"play {played[seat]}")
    game.expect_everywhere()
    texts = {seat: f"{game_points(card)}, {column(card)} column" for seat, card in played.items()}
    other.expect_heard(f"Turn 1 played. You: {texts['W']}. Other player: {texts['S']}.")
    assert game.state.rotator == "S"
    before = {*game.state.hand("W")}
    game.act("S", "rotate NW")
    north_south, east_west = game.state.crosses[1]
    (drawn,) = {*game.state.hand("W")} - before
    other.expect_heard(
        "The other player turned this cross: Near left. "
        f"Near left. You: {game_points(east_west)}. Other player: {game_points(north_south)}.",
        f"You drew card {number}: {game_points(drawn)}, {column(drawn)} column.",
    )


def game_points(card: str) -> str:
    """Returns the points of a card of the standard pack, in spoken form."""
    points = {"A": 1, "J": 10, "Q": 10, "K": 10}.get(card[:-1]) or int(card[:-1])
    return f"{'minus' if card[-1] in 'HD' else 'plus'} {points}"
