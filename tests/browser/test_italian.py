"""Every game in Italian, on a server of that language: it has room for its words, and no English is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from layout import expect_no_fault
from matrix_player import MatrixPlayer, with_deal_files
from player import DESK, Player
from playwright.sync_api import expect
from server_fixture import LabServer
from test_matrix_layout import play_to_the_last_turn
from triangle_player import TrianglePlayer, file_of, with_triangles
from ttt_player import SHOW_FILE, TargetPlayer, with_show_file

from laboratory.languages import catalogues, translations

WIDE, NARROW = [(1280, 720)], [(320, 640)]
ITALIAN = translations(catalogues()["it"].read_text("utf-8"), "messages.po")

TEXTS = """() => {
    const texts = [...document.querySelectorAll("[aria-label], [title], [alt], [placeholder]")].flatMap(
        one => ["aria-label", "title", "alt", "placeholder"].map(name => one.getAttribute(name)));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement.closest("script, style")) texts.push(node.data);
    }
    return texts.map(text => (text ?? "").replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""


def form(sentence: str) -> str:
    """The regular expression of a sentence whatever fills its braces."""
    return ".+".join(map(re.escape, re.split(r"\{\w+\}", sentence)))


def letters(sentence: str) -> int:
    return len(re.findall(r"[a-z]", re.sub(r"\{\w+\}", "", sentence), re.I))


# Sentences that are others in Italian; where there is next to nothing but braces no text can be told.
OTHERS = [said for said, told in ITALIAN.items() if said != told and letters(said) > 3]
ENGLISH = re.compile("|".join(map(form, OTHERS)))


@pytest.fixture(scope="module")
def italian(tmp_path_factory) -> Iterator[LabServer]:
    folder = tmp_path_factory.mktemp("italian") / "card_lab"
    with LabServer(folder, environment={"CARD_LAB_LANGUAGE": "it"}) as running:
        yield with_triangles(with_deal_files(with_show_file(running)))


def expect_italian(player: Player, name: str, may_scroll: bool = False) -> None:
    """The page is Italian as a whole, and in order at the widest and the narrowest window."""
    page = player.page
    expect(page.locator("html")).to_have_attribute("lang", "it")
    assert [text for text in page.evaluate(TEXTS) if ENGLISH.fullmatch(text)] == []
    expect_no_fault(player, f"it-{name}", WIDE, NARROW, may_scroll)
    page.set_viewport_size(DESK["viewport"])


def test_target_the_two_by_keyboard(sit, italian):
    hidden = {"ViewCkNk": "FALSE", "practice_hands": 1, "practice_file": SHOW_FILE, "check": True}
    player: TargetPlayer = sit(server=italian, time_limit_seconds=3599, **hidden).arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.page.keyboard.press("t")
    player.expect_refusal("I colori sono diversi")
    expect_italian(player, "instructions", may_scroll=True)
    player.tab_to(".otree-btn-next")
    player.page.keyboard.press("Enter")
    player.expect_page("Check")
    player.answer_check(ck_into_target="no", who_is_next="ck")
    expect(player.page.locator(".check-why")).to_have_count(2)
    expect_italian(player, "check", may_scroll=True)
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.page.keyboard.press("t")
    player.expect_refusal("I colori sono diversi: 3♥ è rosso e 4♣ è nero.")
    expect_italian(player, "hand")
    player.press("c", "t", "t")
    player.expect_result("Riuscita in 3 mosse · Punteggio 850")
    expect_italian(player, "hand-over")
    player.page.keyboard.press("Enter")
    player.expect_page("Pause")
    expect_italian(player, "pause")
    player.next()
    for keys in ("ctt", "tupt"):
        player.expect_page("Hand")
        player.expect_live()
        player.press(*keys)
        player.page.keyboard.press("Enter")
    player.expect_page("Results")
    earnings, _rows = player.results()
    earnings = [amount.replace("\N{NO-BREAK SPACE}", " ") for amount in earnings]
    assert earnings == ["1650", "0,83 €", "5,00 €", "5,83 €"]
    expect_italian(player, "results", may_scroll=True)
    reasons = {row["reason"].partition(":")[0] for row in player.export() if row["accepted"] == "0"}
    assert reasons == {"Colours differ"}  # the record is the same in every language
    (row,) = player.export("custom_export_participants")
    assert (row["payoff"], row["earnings"]) == ("1650.0", "5.83")


def test_the_matrix_card_game(gather, italian):
    table = {"check": True, "pack": "special", "turn_limit_seconds": 3599, "change_choice": True}
    (player,) = gather(1, server=italian, players=2, **table)
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.tap(f"play {player.hand()[0]}")
    expect(player.page.locator("#last")).to_contain_text("Ultimo turno (1)")
    player.expect_at_rest()
    expect_italian(player, "matrix-instructions", may_scroll=True)
    player.next()
    player.expect_page("Check")
    player.answer_check(left_right="cross", who_collects="higher")
    expect(player.page.locator(".check-why")).to_have_count(2)
    expect_italian(player, "matrix-check", may_scroll=True)
    player.answer_check()
    player.expect_at_the_table()
    until_a_cross_may_be_turned(player)
    expect_italian(player, "matrix-may-turn")
    play_to_the_last_turn(player)
    player.press(f"play {player.hand()[0]}")
    expect(player.page.locator("#result-text")).to_contain_text("Partita finita · Il tuo punteggio: ")
    player.expect_at_rest()
    expect_italian(player, "matrix-over")
    player.next()
    player.expect_page("Debriefing")
    expect_italian(player, "matrix-debriefing", may_scroll=True)
    player.next()
    player.expect_page("Results")
    expect_italian(player, "matrix-results", may_scroll=True)


def until_a_cross_may_be_turned(player: MatrixPlayer) -> None:
    for turn in range(1, 12):
        player.tap(f"play {player.hand()[0]}")
        expect(player.page.locator("#last")).to_contain_text(f"Ultimo turno ({turn})")
        player.expect_at_rest()
        if player.page.locator("#keep").is_visible():
            return
    raise AssertionError("no cross may be turned")


def test_who_waits_for_others(gather, italian):
    one, _other = gather(2, server=italian)
    one.come()
    one.expect_page("Gather")
    expect_italian(one, "gather")


def test_triangle_solitaire(sit, browsers, italian):
    sit.player_class = TrianglePlayer
    fields = {"hands": 1, "show_left": True, "doubled": 4, "mixed_in": 5, "deal_file": file_of("both")}
    session = italian.create_session("triangle_standard", **fields)
    player = sit.tab(browsers.context(DESK), italian, session).is_dealt(
        "both", doubled=4, mixed_in=5, show_left=True, highlight=True
    )
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    expect_italian(player, "triangle-instructions", may_scroll=True)
    player.next()
    player.expect_page("Check")
    expect_italian(player, "triangle-check", may_scroll=True)
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.expect_board()
    player.drag("card", player.wrong_place())
    player.expect_refusal("Qui ci sono già due Singole")
    player.expect_at_rest()
    expect_italian(player, "triangle-hand")
    player.play_at_once()
    expect_italian(player, "triangle-over")
    player.next()
    player.expect_page("Results")
    expect_italian(player, "triangle-results", may_scroll=True)


def test_the_pages_around_a_session(browsers, italian):
    page = browsers.context(DESK).new_page()
    page.goto(f"{italian.url}/room/typed")
    page.get_by_label("Etichetta partecipante:").fill("nessuno")
    page.get_by_role("button", name="Inizia").click()
    expect(page.get_by_role("alert")).to_contain_text("Qui non c’è nessun posto con questa etichetta.")
    assert [text for text in page.evaluate(TEXTS) if ENGLISH.fullmatch(text)] == []
    page.close()
