"""Tests every game in Italian: the words fit, and no English is left.

CARD_LAB_TEST_LANGUAGE=de checks another language.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from challenge_player import ChallengePlayer
from layout import expect_board_in_view, expect_no_fault
from matrix_player import MatrixPlayer, with_deal_files
from player import DESK, PHONE, Player
from playwright.sync_api import Page, expect
from server_fixture import LabServer
from test_matrix_layout import play_to_the_last_turn
from triangle_player import TrianglePlayer, file_of, with_triangles
from ttt_player import SHOW_FILE, TargetPlayer, with_show_file
from untranslated import english_pattern

from cardlab.operations.languages import PLURAL, catalogues, translations

WIDE, NARROW = [(1280, 720)], [(320, 640), (390, 844), (844, 390)]
LANGUAGE = os.environ.get("CARD_LAB_TEST_LANGUAGE", "it")
WORDS = translations(catalogues()[LANGUAGE].read_text("utf-8"), "messages.po")

TEXTS = """() => {
    const texts = [...document.querySelectorAll("[aria-label], [title], [alt], [placeholder]")].flatMap(
        one => ["aria-label", "title", "alt", "placeholder"].map(name => one.getAttribute(name)));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement.closest("script, style")) texts.push(node.data);
    }
    return texts.map(text => (text ?? "").replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""


def translated_text(sentence: str, **values: object) -> str:
    """Returns the translated sentence."""
    return WORDS[sentence].split(PLURAL)[-1].format(**values)


ENGLISH = english_pattern(WORDS)

SOLVED = "Solved in 1 move · Score {score}\0Solved in {count} moves · Score {score}"
DIFFER = (
    "The colours differ: {own} is {own_colour} and {target} is {target_colour}. "
    "The colour keeper may exchange with Target only if both cards have the same colour."
)


@pytest.fixture(scope="module")
def translated_server(tmp_path_factory) -> Iterator[LabServer]:
    folder = tmp_path_factory.mktemp("translated") / "card_lab"
    with LabServer(folder, environment={"CARD_LAB_LANGUAGE": LANGUAGE}) as running:
        yield with_triangles(with_deal_files(with_show_file(running)))


def expect_no_english(page: Page) -> None:
    assert [text for text in page.evaluate(TEXTS) if ENGLISH.fullmatch(text)] == []


def expect_translated(player: Player, name: str, may_scroll: bool = False) -> None:
    """Checks that the page is completely translated, with a correct layout in wide and narrow windows."""
    page = player.page
    expect(page.locator("html")).to_have_attribute("lang", LANGUAGE)
    expect_no_english(page)
    expect_no_fault(player, f"{LANGUAGE}-{name}", WIDE, NARROW, may_scroll)
    page.set_viewport_size(DESK["viewport"])


def read_the_instructions(player: Player, name: str) -> None:
    """Goes from the first step to the next page without doing what the steps ask for."""
    expect_translated(player, name, may_scroll=True)
    for step in player.page.evaluate("window.js_vars.steps")[1:]:
        player.next()
        player.expect_step(step)
        expect_no_english(player.page)
    player.to_the_last_step()
    expect_translated(player, f"{name}-pay", may_scroll=True)
    player.next()


def test_target_the_two_is_translated(seat_participant, translated_server):
    hidden = {"ViewCkNk": "FALSE", "practice_hands": 1, "practice_file": SHOW_FILE, "check": True}
    player: TargetPlayer = seat_participant(
        server=translated_server, time_limit_seconds=3599, **hidden
    ).arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.page.keyboard.press("t")
    player.expect_refusal(WORDS[DIFFER].partition(":")[0])
    read_the_instructions(player, "instructions")
    player.expect_page("Check")
    player.answer_check(ck_into_target="no", who_is_next="ck")
    expect(player.page.locator(".check-explanation")).to_have_count(2)
    expect_translated(player, "check", may_scroll=True)
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.page.keyboard.press("t")
    cards = {
        "own": "3♥",
        "own_colour": translated_text("red"),
        "target": "4♣",
        "target_colour": translated_text("black"),
    }
    player.expect_refusal(translated_text(DIFFER, **cards))
    expect_translated(player, "hand")
    player.press("c", "t", "t")
    player.expect_result(translated_text(SOLVED, count=3, score=850))
    expect_translated(player, "hand-over")
    player.next_by_key()
    player.expect_page("Pause")
    expect_translated(player, "pause")
    player.next()
    for keys in ("ctt", "tupt"):
        player.expect_page("Hand")
        player.expect_live()
        player.press(*keys)
        player.next()
    player.expect_page("Results")
    earnings, _rows = player.results()
    earnings = [amount.replace("\N{NO-BREAK SPACE}", " ") for amount in earnings]
    assert earnings == ["1650", "0,83 €", "5,00 €", "5,83 €"]
    expect_translated(player, "results", may_scroll=True)
    reasons = {row["reason"].partition(":")[0] for row in player.export() if row["accepted"] == "0"}
    assert reasons == {"The colours differ"}  # the record is the same in every language
    (row,) = player.export("custom_export_participants")
    assert (row["payoff"], row["earnings_total"]) == ("1650.0", "5.83")


@pytest.mark.long("other games are played in translation")
def test_matrix_game_is_translated(seat_group, translated_server):
    table = {"check": True, "pack": "special", "turn_limit_seconds": 3599, "change_choice": True}
    (player,) = seat_group(1, server=translated_server, players=2, **table)
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.tap(f"play {player.hand()[0]}")
    expect(player.page.locator("#last")).to_contain_text(translated_text("Last turn ({turn})", turn=1))
    player.expect_at_rest()
    read_the_instructions(player, "matrix-instructions")
    player.expect_page("Check")
    player.answer_check(left_right="cross", who_collects="higher")
    expect(player.page.locator(".check-explanation")).to_have_count(2)
    expect_translated(player, "matrix-check", may_scroll=True)
    player.answer_check()
    player.expect_at_the_table()
    until_a_cross_may_be_turned(player)
    expect_translated(player, "matrix-may-turn")
    play_to_the_last_turn(player)
    player.press(f"play {player.hand()[0]}")
    expect(player.page.locator("#result-text")).to_contain_text(
        translated_text("Game over · Your score: {score}", score="")
    )
    player.expect_at_rest()
    expect_translated(player, "matrix-over")
    player.next()
    player.expect_page("Debriefing")
    expect_translated(player, "matrix-debriefing", may_scroll=True)
    for summary in player.page.locator("summary").all():
        if summary.is_visible():
            summary.press("Enter")
    expect_translated(player, "matrix-debriefing-all", may_scroll=True)
    player.next()
    player.expect_page("Results")
    expect_translated(player, "matrix-results", may_scroll=True)


def until_a_cross_may_be_turned(player: MatrixPlayer) -> None:
    for turn in range(1, 12):
        player.tap(f"play {player.hand()[0]}")
        expect(player.page.locator("#last")).to_contain_text(translated_text("Last turn ({turn})", turn=turn))
        player.expect_at_rest()
        if player.page.locator("#keep").is_visible():
            return
    raise AssertionError("no cross may be turned")


def test_waiting_page_is_translated(seat_group, translated_server):
    one, _other = seat_group(2, server=translated_server)
    one.come()
    one.expect_page("Gather")
    expect_translated(one, "gather")


@pytest.mark.long("other games are played in translation")
def test_triangle_solitaire_is_translated(seat_participant, browsers, translated_server):
    seat_participant.player_class = TrianglePlayer
    fields = {"hands": 1, "show_left": True, "doubled": 4, "mixed_in": 5, "deal_file": file_of("both")}
    session = translated_server.create_session("triangle_standard", **fields)
    player = seat_participant.tab(browsers.context(PHONE), translated_server, session).is_dealt(
        "both", doubled=4, mixed_in=5, show_left=True, highlight=True
    )
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    read_the_instructions(player, "triangle-instructions")
    player.expect_page("Check")
    expect_translated(player, "triangle-check", may_scroll=True)
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.expect_board()
    player.drag("card", player.wrong_place())
    player.expect_refusal(
        translated_text("There are already two feature cards there. A third is not allowed.")
    )
    player.expect_at_rest()
    expect_translated(player, "triangle-hand")
    player.play_at_once(left=9)  # a score of two digits
    player.page.set_viewport_size({"width": 667, "height": 375})
    expect_board_in_view(player, f"{LANGUAGE}-triangle-low")
    player.play_at_once()
    expect_translated(player, "triangle-over")
    player.next()
    player.expect_page("Results")
    expect_translated(player, "triangle-results", may_scroll=True)


@pytest.mark.long("other games are played in translation")
def test_challenge_is_translated(seat_participant, browsers, translated_server):
    seat_participant.player_class = ChallengePlayer
    fields = {"games": 1, "hints": True, "analysing": True, "depth": 0, "tutorial": "free"}
    session = translated_server.create_session("challenge_hard", **fields)
    player = seat_participant.tab(browsers.context(DESK), translated_server, session).arrive()
    player.expect_page("Instructions")
    player.expect_live()
    read_the_instructions(player, "challenge-instructions")
    player.expect_page("Check")
    expect_translated(player, "challenge-check", may_scroll=True)
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.do(player.greedy())
    player.page.locator("#consult").click()
    expect(player.page.locator("#advice")).not_to_be_empty()
    expect_translated(player, "challenge-hand", may_scroll=True)
    player.type("!r")
    player.page.locator("#leave-now").click()
    ending = translated_text("You lose: you resigned.")
    expect(player.page.locator("#result-text")).to_contain_text(ending)
    player.next()
    player.expect_page("Analyse")
    player.expect_live()
    expect_translated(player, "challenge-analysis", may_scroll=True)
    player.next()
    player.expect_page("Results")
    expect_translated(player, "challenge-results", may_scroll=True)


def test_pages_around_a_session_are_translated(browsers, translated_server):
    page = browsers.context(DESK).new_page()
    page.goto(f"{translated_server.url}/room/typed")
    page.locator("input[name=participant_label]").fill("nobody")
    page.locator(".btn-primary:visible").click()
    expect(page.get_by_role("alert")).to_contain_text(
        translated_text("There is no seat with this label. Please check the label, or ask for help.")
    )
    expect_no_english(page)
    page.close()
