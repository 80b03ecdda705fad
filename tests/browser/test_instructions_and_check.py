"""Before the first hand: the board to try with its coach, and the comprehension check."""

import json
import re

import pytest
from playwright.sync_api import expect


def obey(player) -> None:
    """Do what the coach says, to the letter."""
    said = player.page.locator("#coach").inner_text()
    place = re.search(r"hoose the card (?:at|in) (\w+)", said)[1]
    keeper = player.page.locator("[data-turn]").get_attribute("data-place")
    player.drag(place.replace("Target", "T"), keeper)  # a click so soon might be the second of a double click


@pytest.mark.parametrize("drag_keepers", ["TRUE", "FALSE"])
def test_the_coach_leads_through_a_refusal_and_three_moves(sit, drag_keepers):
    player = sit(DragCkNk=drag_keepers).arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.expect_coach("First try something that is not allowed")
    for words in (
        "Refused, as it should be",
        "Lucky",
        "4♥ is in Target now",
        "Solved: the goal card is in Target",
    ):
        obey(player)
        player.expect_coach(words)
    expect(player.page.locator("#board")).to_have_attribute("aria-disabled", "true")
    player.page.locator("#again").click()
    player.expect_live()
    player.expect_state(0, "Ck")
    player.expect_coach("First try something that is not allowed")


def test_off_the_coachs_way_play_is_free_and_goes_on_after_a_reload(sit):
    player = sit().arrive()
    player.expect_live()
    player.press("p")
    player.expect_coach("Nk is to move. Play on as you like")
    player.page.reload()
    player.expect_live()
    player.expect_state(1, "Nk")
    player.page.locator("#again").click()
    player.expect_state(0, "Ck")
    player.next()
    player.expect_title("Hand 1 of 2")


def test_face_down_the_coach_begins_with_a_look(sit):
    player = sit(ViewCkNk="FALSE").arrive()
    player.expect_live()
    player.expect_coach("It lies face down: click it to look at it.")
    player.tap("Ck")
    player.expect_coach("First try something that is not allowed")


def test_all_moves_used_up_the_board_can_begin_again(sit):
    player = sit(MaxRounds="2").arrive()  # the board to try has twenty all the same
    player.expect_live()
    player.press(*"p" * 20)
    player.expect_coach("All moves are used up, so this hand is not solved. Start over to try again.")
    player.page.locator("#again").click()
    player.expect_live()
    player.expect_state(0, "Ck")


def test_wrong_answers_are_explained_and_every_attempt_is_kept(sit):
    player = sit(check=True).arrive()
    player.expect_live()
    player.next()
    player.expect_page("Check")
    player.answer_check(nk_into_target="yes", when_solved="up")
    wrong = player.page.locator(".check-why")
    expect(wrong).to_have_text(
        [
            re.compile("^Not right. It is Nk’s turn. .* these are a 3 and a 2.$"),
            re.compile("^Not right. When is a hand solved. A hand is solved when the goal card"),
        ]
    )
    expect(player.page.locator(".otree-form-errors")).to_contain_text("Not everything is right yet.")
    expect(player.page.locator("input[name=ck_into_target][value=yes]")).to_be_checked()
    expect(player.page.get_by_role("img", name="Right")).to_have_count(2)
    asked_now = "The goal card is 2♥. It lies at Ck now. Is the hand solved?"
    expect(player.page.locator("legend").last).to_have_text(asked_now)
    player.answer_check()
    player.expect_title("Hand 1 of 2")

    (row,) = player.export("custom_export_participants")
    assert row["check_attempts"] == "2"
    first, second = (json.loads(attempt)[1] for attempt in row["check_answers"].split(" "))
    assert first == {**second, "nk_into_target": "yes", "when_solved": "up"}
    assert (second["nk_into_target"], second["when_solved"]) == ("yes", "not_yet")
    assert row["instructions_done_utc"] < row["check_done_utc"]


def test_an_unanswered_question_holds_up_the_check(sit):
    player = sit(check=True).arrive()
    player.expect_live()
    player.next()
    player.expect_page("Check")
    player.page.locator("input[name=ck_into_target][value=yes]").check()
    player.page.get_by_role("button", name="Check my answers").click()
    assert player.page.evaluate("document.querySelector('input[name=nk_into_target]:invalid') !== null")
    player.answer_check()
    player.expect_title("Hand 1 of 2")
