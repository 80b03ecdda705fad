"""Tests the pages before the first hand: the coached practice board and the comprehension check."""

import json
import re

import pytest
from access import expect_accessible
from player import DESK, PHONE
from playwright.sync_api import expect

LANDSCAPE = {**PHONE, "viewport": {"width": 844, "height": 390}}


def obey(player) -> None:
    """Does what the coach asks for."""
    said = player.page.locator("#coach").inner_text()
    place = re.search(r"hoose the card (?:at|in) (\w+)", said)[1]
    keeper = player.page.locator("[data-turn]").get_attribute("data-place")
    player.drag(
        {"Left": "C", "Target": "T"}[place], keeper
    )  # dragged, because a quick click might count as part of a double click


STEPS = {
    "exchange": "The goal card was there.",
    "number": "only if the numbers are equal",
    "colour": "Solved!",
    "refused": "Refused: the colours differ",
}


@pytest.mark.parametrize("drag_keepers", ["TRUE", "FALSE"])
def test_coach_leads_through_every_step(seat_participant, drag_keepers):
    player = seat_participant(DragCkNk=drag_keepers, tutorial="required").arrive()
    player.expect_page("Instructions")
    player.expect_live()
    assert player.words_before_the_first_action() <= 25
    for step, praise in STEPS.items():
        player.expect_step(step, locked=True)
        player.page.locator(".otree-btn-next").click(force=True)
        player.expect_step(step, locked=True)
        if step == "refused":
            player.expect_state(0, "Ck")  # dealt again
        obey(player)
        player.expect_coach(praise)
        player.expect_step(step, locked=False)
        player.next()
    player.expect_step("pay", locked=False)
    player.page.locator("#back").click()
    player.expect_step("refused", locked=False)
    player.expect_coach("New hand:")
    player.skip_steps()
    player.expect_title("Hand 1 of 2")
    rows = player.export("custom_export_tutorial")
    assert [(row["step"], row["tries"], row["refused"]) for row in rows] == [
        *((step, "1", "1" if step == "refused" else "0") for step in STEPS),
        ("pay", "0", "0"),
    ]
    assert all(float(row["seconds"]) > 0 for row in rows)


DEMOS = (
    "ttt_demo",
    "ttt_pair_demo",
    "matrix_robot",
    "triangle_learning",
    "solitario_briscola",
    "challenge_hard",
)


@pytest.mark.parametrize("config", DEMOS)
def test_instructions_of_each_game_are_short(server, browsers, config):
    """There are at most 220 words in all steps, and 15 in a sentence."""
    context = browsers.program.new_context(**DESK)
    page = context.new_page()
    page.goto(server.create_session(config, 2 if "pair" in config else 1, tutorial="free").start_urls[0])
    coach, number = page.locator("#coach"), page.locator("#step")
    expect(coach).to_contain_text(".")
    steps = int(number.inner_text().split()[-1])
    said = []
    for step in range(1, steps + 1):
        expect(number).to_have_text(f"Step {step} of {steps}")
        said.append(coach.inner_text())
        if step < steps:
            page.locator(".otree-btn-next").click()
    assert sum(len(text.split()) for text in said) <= 220
    sentences = [sentence for text in said for sentence in re.split(r"(?<=[.:·]) ", text)]
    assert [sentence for sentence in sentences if len(sentence.split()) > 15] == []
    context.close()


@pytest.mark.parametrize("at", [DESK, PHONE, LANDSCAPE], ids=["desk", "phone", "landscape phone"])
def test_early_next_points_at_the_missing_task(seat_participant, at):
    player = seat_participant(at, tutorial="required").arrive()
    player.expect_live()
    player.expect_step("exchange", locked=True)
    coach = player.page.locator("#coach")
    next_button = player.page.locator(".otree-btn-next")
    player.pointer.tap(player.middle(next_button))
    player.expect_coach("Please finish this step first. ")
    expect(coach).to_be_focused()
    expect(coach).to_be_in_viewport(ratio=1)
    expect(player.page.locator("#spotlight")).to_be_in_viewport(ratio=1)
    player.press("c")
    player.expect_coach(STEPS["exchange"])
    expect(coach).not_to_contain_text("finish this step first")
    player.next()
    player.expect_step("number", locked=True)
    expect(coach).not_to_contain_text("finish this step first")


def test_leaving_the_coached_line_starts_over(seat_participant):
    player = seat_participant(tutorial="required").arrive()
    player.expect_live()
    player.press("c")
    player.expect_coach("Now it is the number keeper’s turn")
    player.next()
    player.expect_step("number", locked=True)
    player.press("p")
    player.expect_coach("You made a different move: press “Start over”")
    player.page.reload()
    player.expect_live()
    player.expect_step("number", locked=True)
    player.expect_moves(2)
    player.page.locator("#again").click()
    player.expect_moves(0)
    player.expect_coach("First choose this card: Left.")
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    expect(player.at("T")).to_have_attribute("data-refused", "")
    player.press("c")
    expect(player.at("T")).not_to_have_attribute("data-refused", "")
    player.press("t")
    player.expect_step("number", locked=False)
    row = player.export("custom_export_tutorial")[1]
    assert (row["step"], row["tries"], row["refused"]) == ("number", "4", "1")


def test_free_tutorial_steps_can_be_skipped(seat_participant):
    player = seat_participant().arrive()
    player.expect_live()
    player.expect_step("exchange", locked=False)
    player.skip_steps()
    player.expect_title("Hand 1 of 2")
    assert [row["step"] for row in player.export("custom_export_tutorial")] == ["pay"]


def test_hidden_cards_add_a_step_about_looking(seat_participant):
    player = seat_participant(ViewCkNk="FALSE", tutorial="required").arrive()
    player.expect_live()
    player.press("c")
    player.next()
    player.expect_step("look", locked=True)
    player.expect_coach("It is the number keeper’s turn: click its card to look at it.")
    player.tap("Nk")
    player.expect_step("look", locked=False)


def test_practice_board_restarts_when_moves_run_out(seat_participant):
    player = seat_participant(MaxRounds="2").arrive()  # the practice board still has twenty moves
    player.expect_live()
    player.press(*"p" * 20)
    player.expect_coach("You have used all moves: press “Start over”.")
    player.page.locator("#again").click()
    player.expect_live()
    player.expect_state(0, "Ck")


def test_opening_rules_or_earnings_is_recorded(seat_participant):
    player = seat_participant(earnings_so_far=True, purse=True, payoff_base=100).to_the_hand()
    purse = player.page.locator(".purse")
    expect(purse).to_have_text("Earned €0.00")
    rules = player.page.get_by_role("dialog", name="Rules")
    player.page.get_by_role("button", name="Rules").click()
    expect(rules.get_by_role("heading", name="The number keeper")).to_be_visible()
    player.page.keyboard.press("c")  # the dialog covers the board
    expect_accessible(player.page, "the rules at hand")
    player.page.keyboard.press("Escape")
    expect(rules).to_be_hidden()
    player.expect_moves(0)
    player.press("c", "t", "t")
    expect(purse).to_have_text("Earned €0.48")  # counted when the hand ends
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    expect(purse).to_have_text("Earned €0.48")
    player.page.get_by_role("button", name="Earnings so far").click()
    dialog = player.page.get_by_role("dialog", name="Earnings so far")
    expect(dialog).to_contain_text("You have earned €0.48 so far.")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    assert ("rules", "") in player.actions(1)
    assert player.actions(2) == [("earnings", "")]


def test_drawers_show_only_configured_information(seat_participant):
    player = seat_participant(rules_at_hand=False, earnings_so_far=True, pay_hands="one").to_the_hand()
    expect(player.page.get_by_role("button", name="Rules")).to_have_count(0)
    player.page.get_by_role("button", name="Earnings so far").click()
    dialog = player.page.get_by_role("dialog", name="Earnings so far")
    expect(dialog).to_contain_text(
        "One hand is drawn at random. Only that hand is paid. At the end you learn which one."
    )


def test_wrong_answers_are_explained_and_recorded(seat_participant):
    player = seat_participant(check=True).arrive()
    player.expect_live()
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(nk_into_target="yes", when_solved="up")
    wrong = player.page.locator(".check-explanation")
    expect(wrong).to_have_text(
        [
            re.compile("^This is not right. It is the number keeper’s turn. .* These are a 3 and a 2.$"),
            re.compile("^This is not right. When is a hand solved. A hand is solved only when the goal"),
        ]
    )
    expect(player.page.locator(".otree-form-errors")).to_contain_text("Some answers are not right.")
    expect(player.page.locator("input[name=ck_into_target][value=yes]")).to_be_checked()
    expect(player.page.get_by_role("img", name="Correct")).to_have_count(2)
    asked_now = "The goal card is 2♥. The colour keeper has it now. Is the hand solved?"
    expect(player.page.locator("legend").last).to_have_text(asked_now)
    player.answer_check()
    player.expect_title("Hand 1 of 2")

    (row,) = player.export("custom_export_participants")
    assert row["check_attempts"] == "2"
    first, second = (json.loads(attempt)[1] for attempt in row["check_answers"].split(" "))
    assert first == {**second, "nk_into_target": "yes", "when_solved": "up"}
    assert (second["nk_into_target"], second["when_solved"]) == ("yes", "not_yet")
    assert row["instructions_done_utc"] < row["check_done_utc"]


def test_unanswered_question_blocks_the_check(seat_participant):
    player = seat_participant(check=True).arrive()
    player.expect_live()
    player.skip_steps()
    player.expect_page("Check")
    player.page.locator("input[name=ck_into_target][value=yes]").check()
    player.page.get_by_role("button", name="Check my answers").click()
    assert player.page.evaluate("document.querySelector('input[name=nk_into_target]:invalid') !== null")
    player.answer_check()
    player.expect_title("Hand 1 of 2")
