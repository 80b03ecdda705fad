"""Tests that the decks used to look for leaks differ beneath the revealed card."""

import pytest
from harnesses import GAMES

from cardlab.games.triangle.deal import parse_deal

HARNESS = GAMES["triangle"].harness
SEEN = HARNESS.SEEN


@pytest.mark.parametrize("hidden", HARNESS.HIDDEN.values(), ids=HARNESS.HIDDEN)
def test_the_decks_part_beneath_the_revealed_card(hidden):
    """Otherwise the comparison would show nothing: each place of the deck beneath has another card."""
    one, other = (parse_deal(deals.splitlines()[0]) for deals in hidden.deals)
    assert (one.places, one.spares, one.deck[:SEEN]) == (other.places, other.spares, other.deck[:SEEN])
    differing = sum(this != that for this, that in zip(one.deck[SEEN:], other.deck[SEEN:]))
    assert differing >= len(one.deck) - SEEN - 1
