"""Tests that the two deals of the leak tests differ in everything that is hidden."""

import pytest
from harnesses import GAMES

from cardlab.games.matrix import rules

HARNESS = GAMES["matrix"].harness
TURNS, SAFE = HARNESS.TURNS, HARNESS.SAFE


@pytest.mark.parametrize("hidden", HARNESS.HIDDEN.values(), ids=HARNESS.HIDDEN)
def test_both_deals_differ_only_in_hidden_cards(hidden):
    options = {"players": hidden.participants, "pack": hidden.fields.get("pack", "standard")}
    one, two = (rules.start(deals.splitlines()[0], options) for deals in hidden.deals)
    assert rules.view(one, hidden.seat) == rules.view(two, hidden.seat)
    for seat in set(one.seats) - {hidden.seat}:
        assert not set(one.hand(seat)[SAFE:]) & set(two.hand(seat)[SAFE:])
    assert all(a != b for a, b in zip(one.stock[2 * TURNS :], two.stock[2 * TURNS :]))
