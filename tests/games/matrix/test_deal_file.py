"""Tests deal files: their contents, refusals with positions, and the shipped files (ruling 0)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import BadFile
from cardlab.games.matrix import rules
from cardlab.games.matrix.deal_file import read
from cardlab.games.matrix.packs import COURTS, PACKS
from cardlab.games.matrix.two_by_two import classify, game_from_cells, label
from deals.matrix import generate

FOLDER = Path(generate.__file__).parent
SHIPPED = {
    "two_players.txt": {"players": 2, "pack": "standard"},
    "two_players_special.txt": {"players": 2, "pack": "special"},
    "four_players.txt": {"players": 4, "pack": "standard"},
    "named_games.txt": {"players": 2, "pack": "standard"},
}
KINDS = [{"players": players, "pack": pack} for players in (2, 4) for pack in PACKS]

DEAL = rules.deal("one", {})
LINE = len(DEAL)


def refused(text, **options):
    with pytest.raises(BadFile) as caught:
        read(text, "mine.txt", options)
    assert caught.value.file == "mine.txt"
    return caught.value.line, caught.value.column, caught.value.message


def card_at(number):
    """Returns a card of ``DEAL``, and the column in which it begins."""
    card = [token for token in DEAL.split() if token != "|"][number]
    return card, f" {DEAL} ".index(f" {card} ") + 1


@given(
    st.sampled_from(KINDS), st.lists(st.text("abc", max_size=5), max_size=4), st.sampled_from(["\n", "\r\n"])
)
def test_deals_keep_the_order_of_the_file(options, seeds, end):
    deals = [rules.deal(seed, options) for seed in ["first", *seeds]]
    lines = ["// a comment", ""]
    for deal in deals:
        lines += [f"\t{deal.replace(' | ', '|')} ", "# another; not a deal", "   "]
    assert read("\ufeff" + end.join(lines), "mine.txt", options) == tuple(deals)


@given(st.sampled_from(KINDS))
def test_letters_may_be_large_or_small(options):
    deal = rules.deal("small", options)
    assert read(deal.lower(), "mine.txt", options) == (deal,)


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing\n  \n; nothing\n"])
def test_file_without_deals_is_refused(text):
    line, column, message = refused(text)
    assert (line, column) == (1, 1)
    assert message.startswith("This file has no deals")


@pytest.mark.parametrize("number", [0, 9, 20, 51])
def test_wrong_card_is_reported_with_its_position(number):
    card, column = card_at(number)
    wrong = f" {DEAL} ".replace(f" {card} ", " 1Z ").strip()
    text = f"// two deals\n{DEAL}\n\n{wrong}\n"
    assert refused(text) == (4, column, "The standard pack has no card '1Z'.")


def test_long_wrong_card_is_quoted_briefly():
    _line, column, message = refused(DEAL.replace("|", "|" + "x" * 5000, 1))
    assert column == DEAL.index("|") + 2
    assert len(message) < 100


@pytest.mark.parametrize("number", [1, 15, 51])
def test_duplicate_card_is_reported_at_its_second_position(number):
    first, _column = card_at(0)
    card, column = card_at(number)
    text = f" {DEAL} ".replace(f" {card} ", f" {first} ").strip()
    assert refused(text) == (1, column, f"The deal contains {first} 2 times. Each card may appear only once.")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (DEAL.rsplit(" ", 1)[0], len(DEAL.rsplit(" ", 1)[0]) + 1),  # a card is missing at the end
        (DEAL.split(" ", 1)[1], DEAL.index("|") - len(DEAL.split()[0]) - 1),  # at the end of the first hand
        (DEAL.replace(" |", "", 1), card_at(7)[1] - 2),  # the eighth card of what should be the first hand
        (f"{DEAL} |", LINE + 3),  # one section too many
        (f"{DEAL} | ", LINE + 3),
        ("AS", 3),
        ("|", 1),
    ],
)
def test_wrong_section_size_is_refused_with_its_position(text, column):
    line, found, message = refused(text)
    assert (line, found) == (1, column)
    assert message.startswith("A deal for 2 players has 7 sections")


def test_deal_of_another_pack_or_size_is_refused():
    special, four = ((FOLDER / f"{name}.txt").read_text() for name in ("two_players_special", "four_players"))
    line, column, message = refused(special)
    assert (line, column) == (2, 1)
    assert message.startswith("The standard pack has no card '")
    line, column, message = refused(four)
    assert (line, message[:30]) == (2, "A deal for 2 players has 7 sec")
    third_hand = four.splitlines()[1].split("|")[:3]
    assert column == len("|".join(third_hand[:2])) + 1 + third_hand[2].index(third_hand[2].split()[2]) + 1


@given(st.text("ASKH10 |\t/;#\n\r+-LRé\u2028", max_size=60))
def test_invalid_text_is_refused_with_a_position(text):
    number, column, _message = refused(text)
    line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[number - 1]
    assert 1 <= column <= len(line) + 1


# The shipped files


def test_shipped_files_have_the_known_names():
    assert set(generate.files()) == set(SHIPPED)
    assert all((FOLDER / name).exists() for name in SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_file_loads_with_distinct_deals(name):
    deals = read((FOLDER / name).read_text(encoding="utf-8"), name, SHIPPED[name])
    assert len(deals) == len(set(deals)) == 8
    for deal in deals:
        assert rules.start(deal, SHIPPED[name]).seats == tuple("SWNE"[: SHIPPED[name]["players"]])


@pytest.mark.parametrize("court", COURTS)
def test_named_games_open_with_the_announced_game(court):
    comments, names = (FOLDER / "named_games.txt").read_text(encoding="utf-8").splitlines()[1:], []
    deals = read("\n".join(comments), "named_games.txt", {})
    for deal in deals:
        game = game_from_cells(rules.payoffs(rules.start(deal, {"court": court})))
        names.append(f"// {label(classify(game))}")
    assert names == comments[::2]
    assert names[0] == "// prisoner's dilemma"
