"""Tests that the two decks of the leak tests differ beneath the revealed card."""

import pytest
from harnesses import GAMES

from cardlab.games.triangle.deal import parse_deal

HARNESS = GAMES["triangle"].harness
SEEN = HARNESS.SEEN


@pytest.mark.parametrize("hidden", HARNESS.HIDDEN.values(), ids=HARNESS.HIDDEN)
def test_the_decks_part_beneath_the_revealed_card(hidden):
    """Each later place of the deck has another card; otherwise the comparison would prove nothing."""
    one, other = (parse_deal(deals.splitlines()[0]) for deals in hidden.deals)
    assert (one.places, one.spares, one.deck[:SEEN]) == (other.places, other.spares, other.deck[:SEEN])
    differing = sum(this != that for this, that in zip(one.deck[SEEN:], other.deck[SEEN:]))
    assert differing >= len(one.deck) - SEEN - 1
