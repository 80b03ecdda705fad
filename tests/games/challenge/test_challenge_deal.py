"""Tests that deals are symmetric, have one spelling, and are refused with a position (rulings 0, 19)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge.deal import Deal, draw_deal, format_deal, parse_deal
from cardlab.games.challenge.packs import RANKS, SUITS, pack
from cardlab.games.deal_file import BadDeal

SEEDS = st.integers(0, 2**32).map(str)
TRUMPS = st.permutations(SUITS).map(lambda suits: (suits[0], suits[1]))


def exchanged(hand, trumps, secondary):
    """Returns the hand with the players' trumps exchanged, and likewise the other two suits."""
    fourth = next(suit for suit in SUITS if suit not in (*trumps, secondary))
    other = dict([trumps, trumps[::-1], (secondary, fourth), (fourth, secondary)])
    return {card[:-1] + other[card[-1]] for card in hand}


@given(SEEDS, st.integers(1, 13), st.sampled_from([0, 1]), TRUMPS)
def test_a_drawn_deal_is_symmetric(seed, size, dealer, trumps):
    deal = draw_deal(seed, size, dealer, trumps)
    secondary = next(suit for suit in SUITS if suit not in trumps)
    assert exchanged(deal.computer, trumps, secondary) == set(deal.participant)
    assert sorted(deal.computer + deal.participant) == sorted(pack(size))
    assert deal.leads == 1 - dealer
    assert parse_deal(format_deal(deal)) == deal


def test_a_seed_determines_the_deal():
    assert format_deal(draw_deal("one", 3, 0)) == format_deal(draw_deal("one", 3, 0))
    assert format_deal(draw_deal("one", 3, 0)) == "AS KS QS AC KC QD | AH KH QH QC AD KD | participant"
    counts = {sum(card[-1] == "S" for card in draw_deal(str(seed), 8, 0).computer) for seed in range(300)}
    assert counts >= {2, 3, 4, 5, 6}  # depends on half of the pack, so it varies


def test_a_pack_has_the_highest_cards():
    assert pack(2) == ("AS", "KS", "AH", "KH", "AC", "KC", "AD", "KD")
    assert [card[:-1] for card in pack(8)[:8]] == ["A", "K", "Q", "J", "10", "9", "8", "7"]
    assert len(pack(13)) == 4 * len(RANKS)


def test_any_two_hands_are_a_deal():
    assert parse_deal("10S AS|2H|Computer") == Deal(("AS", "10S"), ("2H",), 0)
    assert parse_deal("- | AH KD | participant") == Deal((), ("AH", "KD"), 1)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("AS | AH", 7),
        ("AS | AH | computer | more", 18),
        ("AS 1H | AH | computer", 3),
        ("AS | KS AS | computer", 8),
        ("AS |  | computer", 4),
        ("AS | AH | nobody", 10),
        ("AS | AH |", 9),
        ("- | AH | computer", 9),
        ("AS - | AH | computer", 3),
    ],
)
def test_an_invalid_deal_is_rejected_with_position(text, at):
    with pytest.raises(BadDeal) as refused:
        parse_deal(text)
    assert refused.value.at == at
