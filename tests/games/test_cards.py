"""Tests the spelling of cards."""

from itertools import combinations

import pytest

from cardlab.games.cards import TTT_PACK, colour, colour_word, pretty, rank, suit


@pytest.mark.parametrize(
    ("card", "its_rank", "its_suit", "its_colour", "in_a_sentence"),
    [
        ("2H", "2", "H", "red", "2♥"),
        ("4C", "4", "C", "black", "4♣"),
        ("10S", "10", "S", "black", "10♠"),
        ("AD", "A", "D", "red", "A♦"),
    ],
)
def test_card_is_rank_then_suit(card, its_rank, its_suit, its_colour, in_a_sentence):
    assert (rank(card), suit(card)) == (its_rank, its_suit)
    assert colour(card) == its_colour
    assert colour_word(card) == its_colour
    assert pretty(card) == in_a_sentence


def test_ttt_pack_has_six_known_cards():
    assert len(TTT_PACK) == 6
    assert {(rank(card), suit(card)) for card in TTT_PACK} == {(r, s) for r in "234" for s in "HC"}


def test_two_cards_share_colour_or_number_never_both():
    alike = [(a, b, colour(a) == colour(b), rank(a) == rank(b)) for a, b in combinations(TTT_PACK, 2)]
    assert sum(same_colour for _, _, same_colour, _ in alike) == 6
    assert sum(same_number for _, _, _, same_number in alike) == 3
    assert not any(same_colour and same_number for _, _, same_colour, same_number in alike)
