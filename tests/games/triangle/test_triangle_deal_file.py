"""Tests deal files: their contents, refusals with positions, and the shipped files (ruling 0)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import BadFile
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import parse_deal, read_deal_file
from cardlab.games.triangle.oracle import find_best_play
from deals.triangle import generate

FOLDER = Path(generate.__file__).parent
GRADES = range(1, 10)
SHIPPED = {
    "standard.txt": [(0, 0)] * 8,
    "learning.txt": [(0, 0)] * 3,
    "doubled.txt": [(grade, 0) for grade in GRADES],
    "mixed_in.txt": [(0, grade) for grade in GRADES],
    "both.txt": [(grade, 9 - grade) for grade in range(1, 9)],
}
KINDS = [{}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 4, "mixed_in": 3}]

DEAL = rules.deal("one", {"doubled": 2, "mixed_in": 2})
PLACES, SPARES, DECK = DEAL.split(" | ")
PLAIN = rules.deal("plain", {})


def refused(text):
    with pytest.raises(BadFile) as caught:
        read_deal_file(text, "mine.txt")
    assert caught.value.file == "mine.txt"
    return caught.value.line, caught.value.column, caught.value.message


def changed(places=PLACES, spares=SPARES, deck=DECK):
    return f"{places} | {spares} | {deck}"


def with_card(cards, number, card):
    """Returns a section with another card in one place, and the column in which that begins."""
    there = cards.split()
    there[number] = card
    return " ".join(there), len(" ".join([*there[:number], ""])) + 1


@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=4), st.text("abc"), st.sampled_from(["\n", "\r\n"])
)
def test_deals_keep_the_order_of_the_file(kinds, seed, end):
    deals = [rules.deal(f"{seed} {number}", kind) for number, kind in enumerate(kinds)]
    lines = ["// a comment", ""]
    for deal in deals:
        lines += [f"\t{deal.replace(' | ', '|')} ", "# another; not a deal", "   "]
    assert read_deal_file("\ufeff" + end.join(lines), "mine.txt") == tuple(deals)


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_letters_may_be_large_or_small(options):
    deal = rules.deal("small", options)
    assert read_deal_file(deal.lower(), "mine.txt") == (deal,)


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing\n  \n; nothing\n"])
def test_a_file_without_deals_is_refused(text):
    said = "This file has no deals. Write one deal per line: places, spares and deck."
    assert refused(text) == (1, 1, said)


@pytest.mark.parametrize("number", [0, 9, 26])
@pytest.mark.parametrize("card", ["X", "HP", "HH", "HBC", "HBCS", "1", "-"])
def test_an_invalid_place_is_reported_with_position(card, number):
    places, column = with_card(PLACES, number, card)
    line, found, message = refused(f"// two deals\n{DEAL}\n\n{changed(places)}\n")
    assert (line, found) == (4, column)
    assert message == (
        f"'{card}' is not a valid place. Write one Single of H P F B R G C S T, or two of different kinds "
        "(fill, colour, shape)."
    )


@pytest.mark.parametrize("card", ["HB", "HBC", "-", "X"])
def test_a_spare_is_one_single(card):
    spares, column = with_card(SPARES, 2, card)
    column += len(PLACES) + 3
    assert refused(changed(spares=spares)) == (1, column, f"'{card}' cannot be in the spares.")


@pytest.mark.parametrize("card", ["HB", "CBH", "-", "10S"])
def test_the_deck_has_singles_and_completes(card):
    deck, column = with_card(DECK, 20, card)
    column += len(PLACES) + len(SPARES) + 6
    assert refused(changed(deck=deck)) == (1, column, f"'{card}' cannot be in the deck.")


def test_a_long_wrong_card_is_quoted_briefly():
    _line, column, message = refused(DEAL.replace("|", "|" + "x" * 5000, 1))
    assert column == DEAL.index("|") + 2
    assert len(message) < 100


def test_a_duplicate_complete_is_reported_at_its_second():
    completes = [card for card in DECK.split() if len(card) == 3]
    deck = f" {DECK} ".replace(f" {completes[20]} ", f" {completes[0]} ").strip()
    column = len(PLACES) + len(SPARES) + 6 + f" {deck} ".rindex(f" {completes[0]} ") + 1
    said = f"The deal must hold {completes[0]} once, not 2 times."
    assert refused(changed(deck=deck)) == (1, column, said)


def test_a_surplus_single_is_reported_with_position():
    """The position is in the deck, the last section, because the first four are in places or spares."""
    said = "The deal must hold H 4 times, not 5 times."
    assert refused(f"{PLAIN} H") == (1, len(PLAIN) + 2, said)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (PLAIN[:-4], len(PLAIN) - 3, f"The deal must hold {PLAIN[-3:]} once, not 0 times."),
        (changed(spares=SPARES[2:]), len(PLACES) + 3 + len(SPARES) - 2 + 1, "The deal must hold "),
        (changed(PLACES[:-2]), len(PLACES) - 1, "A deal has 27 places, not 26."),
        (changed(f"{PLACES} H"), len(PLACES) + 2, "A deal has 27 places, not 28."),
        (
            f"{DEAL} |",
            len(DEAL) + 1,
            "A deal has 3 sections separated by ' | ' (places 1–27, spares, deck), ",
        ),
        (f"{PLACES} | {SPARES}", len(f"{PLACES} | {SPARES}") + 1, "A deal has 3 sections"),
        ("HBC", 4, "A deal has 3 sections"),
        ("|", 2, "A deal has 3 sections"),
    ],
)
def test_a_wrong_deal_size_is_rejected_with_position(text, column, message):
    line, found, said = refused(text)
    assert (line, found) == (1, column)
    assert said.startswith(message)


@given(st.text("HPFBRGCST |-\t/;#\n\rxé\u2028", max_size=80))
def test_any_other_text_is_rejected_with_position(text):
    number, column, _message = refused(text)
    line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[number - 1]
    assert 1 <= column <= len(line) + 1


# The shipped files


def shipped(name):
    return read_deal_file((FOLDER / name).read_text(encoding="utf-8"), name)


def test_all_deal_files_are_known(monkeypatch):
    monkeypatch.setattr(generate, "_learning", lambda: [])  # only names are tested; kind deals are slow
    assert set(generate.files()) == set(SHIPPED)
    assert {path.name for path in FOLDER.glob("*.txt")} >= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_have_the_promised_deals(name):
    deals = [parse_deal(deal) for deal in shipped(name)]
    assert [(deal.doubled, deal.mixed_in) for deal in deals] == SHIPPED[name]
    assert f"| `{name}` | {len(deals)} |" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_no_deal_appears_twice():
    deals = [deal for name in SHIPPED for deal in shipped(name)]
    assert len(set(deals)) == len(deals)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_deal_allows_18_points(name):
    for deal in shipped(name):
        best = find_best_play(rules.start(deal, {}))
        assert (best.score, best.proved) == (18, True)
