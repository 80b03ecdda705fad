"""Tests the assignment of seats in the matrix card game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.matrix import seating
from cardlab.games.matrix.board import SEATS


@given(st.integers(1, 4), st.sampled_from([2, 4]), st.integers(1, 20), st.booleans())
def test_participants_get_seats_and_robots_fill_the_rest(members, players, game, rotate):
    members = min(members, players)
    own, robots = seating.seats(members, players, game, rotate)
    assert len(own) == members
    assert sorted(own + robots) == sorted(SEATS[:players])
    around = [SEATS[:players].index(seat) for seat in own + robots]
    assert all((after - before) % players == 1 for before, after in zip(around, around[1:]))


@pytest.mark.parametrize("players", [2, 4])
def test_dealer_moves_on_clockwise(players):
    dealers = [
        seating.seats(players, players, game, rotate=True)[0].index("S") for game in range(1, players + 2)
    ]
    assert dealers == [*range(players), 0]
    assert {seating.seats(players, players, game, rotate=False)[0] for game in range(1, 9)} == {
        SEATS[:players]
    }
