"""Tests routes: the published facts about 422 and 442, and the routes of played hands."""

from collections import Counter
from itertools import permutations, product

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.routes import route, route_moves
from cardlab.games.ttt.solver import least_moves, shortest

CARDS = ("2H", "3H", "4H", "2C", "3C", "4C")
LAYOUTS = list(permutations(CARDS))
COMPETING = [layout for layout in LAYOUTS if layout[3] == "4C"]


def test_route_422_is_shorter_in_72_of_120():
    lengths = [route_moves(layout, "2H", "ck") for layout in COMPETING]
    assert len(lengths) == 120
    assert Counter(min(moves, key=moves.get) for moves in lengths) == {"422": 72, "442": 48}
    assert not any(moves["422"] == moves["442"] for moves in lengths)


def test_route_422_is_even_and_442_odd():
    for layout in COMPETING:
        moves = route_moves(layout, "2H", "ck")
        assert (moves["422"] % 2, moves["442"] % 2) == (0, 1)


@pytest.mark.parametrize("first", ["ck", "nk"])
def test_shorter_route_is_optimal_and_the_solvers(first):
    for layout in COMPETING:
        moves = route_moves(layout, "2H", first)
        assert min(moves.values()) == least_moves(layout, "2H", first)
        taken = route(board.format_deal(layout, "2H", first), shortest(layout, "2H", first))
        assert taken == min(moves, key=moves.get)


def test_route_lengths_equal_shortest_plays_by_the_route():
    deal = "3H 2H 2C 4C 4H 3C | 2H | ck"
    states = [rules.start(deal, {})]
    lengths = {}
    while len(lengths) < 2:
        states = [
            rules.apply(state, "solo", move)
            for state in states
            for move in rules.legal_actions(state, "solo")
        ]
        for state in states:
            if state.solved:
                lengths.setdefault(route(deal, state.sequence), state.moves)
    assert lengths == route_moves(board.parse_deal(deal)[0], "2H", "ck")


def test_other_layouts_have_no_route_lengths():
    nothing = {"422": None, "442": None}
    for layout, goal, first in product(LAYOUTS, CARDS, ("ck", "nk")):
        if goal != "2H" or layout[3] != "4C":
            assert route_moves(layout, goal, first) == nothing


@pytest.mark.parametrize(
    ("deal", "sequence", "passed"),
    [
        ("3H 2C 2H 4C 4H 3C | 2H | ck", "TUPT", "422"),
        ("3H 2H 2C 4C 4H 3C | 2H | ck", "UUTT", "422"),
        ("2H 3C 3H 4C 2C 4H | 2H | ck", "CTT", "442"),
        ("3H 3C 2H 2C 4C 4H | 2H | ck", "PUPT", "22"),
        ("3H 2C 2H 4C 4H 3C | 2H | ck", "", "4"),
        ("3H 2C 2H 4C 4H 3C | 2H | ck", "UUPP", "4"),
        ("3H 2C 2H 4C 4H 3C | 2H | ck", "TP", "42"),
        ("3H 2C 2H 4C 4H 3C | 2H | ck", "TPTPTUPT", "42422"),
    ],
)
def test_played_hand_has_its_route(deal, sequence, passed):
    assert route(deal, sequence) == passed


@pytest.mark.parametrize("sequence", ["TT", "TUPTP", "X"])
def test_illegal_moves_have_no_route(sequence):
    with pytest.raises(IllegalAction):
        route("3H 2C 2H 4C 4H 3C | 2H | ck", sequence)


def test_hand_of_over_twenty_moves_has_a_route():
    assert route("3H 2C 2H 4C 4H 3C | 2H | ck", "P" * 30) == "4"
