"""Tests the pages before the first game: the coached practice game, the check and the wait page."""

import json
import re

import pytest
from player import DESK, PHONE
from playwright.sync_api import expect

START = "any of your seven cards"


def finish_presentation(player, turn: int) -> None:
    """Skips the presentation of the previous turn and waits for its end."""
    player.page.wait_for_function(
        """turn => {
            const telling = document.querySelector(".cross[data-selected]");
            if (telling) document.querySelector("[data-place=slot-left]").click();
            return !telling && document.querySelector("#last")?.textContent.includes(`(${turn})`);
        }""",
        arg=turn,
    )


def choose(player, number: int) -> str:
    card = player.hand()[number]
    player.tap(f"play {card}")
    return card


@pytest.mark.long("a finger does the same", only="mouse")
@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_coach_leads_through_the_practice_game(seat_group, at):
    (player,) = seat_group(1, at=at, players=2, tutorial="required")
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.expect_coach(START)
    assert player.words_before_the_first_action() <= 25
    turn = 0
    for step in ("choose", "column", "collect", "turn"):
        player.expect_step(step, locked=True)
        while not done(player):
            if player.page.locator("#keep").is_visible():
                turn_a_cross(player)
                continue
            turn += 1
            choose(player, turn % len(player.hand()))
            finish_presentation(player, turn)
            own = player.page.locator("#last tr").nth(2).locator("td").all_inner_texts()
            if step == "choose":
                player.expect_coach(f"You collected {own[0]}, the robot {own[1]}.")
        if player.page.locator("#keep").is_visible():
            player.page.keyboard.press("k")  # cards can be played only after this
        player.next()
    player.expect_step("pay", locked=False)
    player.page.locator("#again").click()
    expect(player.page.locator("#turn")).to_have_text("1 of 22")
    assert len(player.hand()) == 7
    player.skip_steps()
    player.expect_at_the_table()


def done(player) -> bool:
    return player.page.locator(".otree-btn-next[aria-disabled=false]").count() > 0


def turn_a_cross(player) -> None:
    player.expect_coach("You collected the lower card: choose a cross to turn")
    cross = player.page.locator(".cross[data-place=near-left]")
    cell = cross.get_attribute("data-cell")
    north_south, east_west = (cross.locator(part).get_attribute("data-card") for part in (".own", ".across"))
    player.tap(f"rotate {cell}")
    expect(cross.locator(".own")).to_have_attribute("data-card", east_west)
    expect(cross.locator(".across")).to_have_attribute("data-card", north_south)


def test_four_player_tutorial_omits_turning(seat_group):
    (player,) = seat_group(1, players=4)
    player.arrive()
    player.expect_live()
    assert player.page.evaluate("window.js_vars.steps") == ["choose", "column", "collect", "pay"]
    choose(player, 0)
    expect(player.page.locator("#turn")).to_have_text("3 of 22")
    player.expect_coach("The next steps explain this result.")


def test_practice_game_survives_reload_until_its_end(seat_group):
    (player,) = seat_group(1, players=2, pack="special")
    player.arrive()
    player.expect_live()
    choose(player, 0)
    finish_presentation(player, 1)
    before = player.shown()
    player.page.reload()
    player.expect_live()
    expect(player.page.locator("#turn")).to_contain_text("of 16")
    assert player.shown() == before
    while player.page.locator("#board:not(.inert)").count():
        for key in "k1234567":  # whichever key works now
            player.page.keyboard.press(key)
    player.page.locator("#again").click()
    player.expect_live()
    player.expect_coach(START)


def test_wrong_answers_are_explained_and_recorded(seat_group):
    (player,) = seat_group(1, players=2, check=True)
    player.arrive()
    player.expect_live()
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(who_collects="higher", red_card="8")
    expect(player.page.locator(".check-explanation")).to_have_text(
        [
            re.compile("You collect the card that you see upright. The other player collects the card"),
            re.compile("Your score is the sum of the cards you collected. Red cards are subtracted."),
        ]
    )
    expect(player.page.locator("legend").nth(1)).to_contain_text("In the selected cross you see +9 across")
    player.answer_check()
    player.expect_at_the_table()
    (row,) = player.export("custom_export_participants")
    first, second = (json.loads(attempt)[1] for attempt in row["check_answers"].split(" "))
    assert first == {**second, "who_collects": "higher", "red_card": "8"}
    assert (second["who_collects"], second["red_card"]) == ("two", "plus5")


def test_first_arrival_waits_for_the_others(seat_group):
    one, other = seat_group(2)
    one.come()
    one.expect_page("Gather")
    expect(one.page.locator("body")).to_contain_text("Your game begins automatically")
    other.come()
    for player in (one, other):
        player.expect_at_the_table()
    game = seat_group.game(one, other)
    game.expect_everywhere()
