"""Compares the solver with known counts, with the rules, and with a second search."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from cardlab.games.ttt import board, rules
from cardlab.games.ttt.solver import least_moves, shortest

CARDS = ("2H", "3H", "4H", "2C", "3C", "4C")
LAYOUTS = list(permutations(CARDS))
CASES = [(layout, goal, first) for layout in LAYOUTS for goal in CARDS for first in ("ck", "nk")]
SAMPLE = Random("a sample of the cases").sample(CASES, 150)


@pytest.mark.parametrize("goal", CARDS)
@pytest.mark.parametrize(
    ("first", "counts"),
    [
        ("ck", {0: 120, 1: 48, 2: 36, 3: 192, 4: 228, 5: 96}),
        ("nk", {0: 120, 1: 24, 2: 60, 3: 120, 4: 324, 5: 72}),
    ],
)
def test_layouts_have_the_known_distribution_of_lengths(goal, first, counts):
    assert Counter(least_moves(layout, goal, first) for layout in LAYOUTS) == counts


def test_shortest_sequences_reach_the_goal_in_least_moves():
    for layout, goal, first in CASES:
        sequence = shortest(layout, goal, first)
        assert len(sequence) == least_moves(layout, goal, first)
        state = rules.start(board.format_deal(layout, goal, first), {})
        for move in sequence:
            assert not state.solved
            state = rules.apply(state, "solo", move)
        assert state.solved


def forward(layout, goal, first):
    """Returns all shortest solutions, by trying every sequence of moves, shorter ones first."""
    states = [rules.start(board.format_deal(layout, goal, first), {})]
    while not any(state.solved for state in states):
        states = [
            rules.apply(state, "solo", move)
            for state in states
            for move in rules.legal_actions(state, "solo")
        ]
    return [state.sequence for state in states if state.solved]


def by_moves(sequence):
    return ["UCNTP".index(move) for move in sequence]


def test_solver_agrees_with_forward_search():
    for layout, goal, first in SAMPLE:
        solutions = forward(layout, goal, first)
        assert least_moves(layout, goal, first) == len(solutions[0])
        assert shortest(layout, goal, first) == min(solutions, key=by_moves)


@pytest.mark.parametrize(
    ("deal", "sequence"),
    [
        ("2H 3C 3H 4C 2C 4H | 2H | ck", "CTT"),
        ("3H 3C 2H 2C 4C 4H | 2H | nk", "UUT"),
        ("3H 2C 4H 2H 4C 3C | 2H | ck", ""),
    ],
)
def test_known_hands_have_their_shortest_sequences(deal, sequence):
    assert shortest(*board.parse_deal(deal)) == sequence


def test_printed_plays_of_the_source_are_shortest():
    for layout, played in [
        ("3H 2C 2H 4C 4H 3C", "TUPT"),
        ("3C 2C 4H 4C 2H 3H", "TNPT"),
        ("3H 3C 2H 2C 4C 4H", "PUPT"),
        ("3H 2H 2C 4C 4H 3C", "UUTT"),
    ]:
        assert least_moves(tuple(layout.split()), "2H", "ck") == len(played)


@pytest.mark.parametrize(
    ("layout", "goal", "first", "complaint"),
    [
        (("3H", "2C", "2H", "4C", "4H"), "2H", "ck", "layout"),
        (("3H", "2C", "2H", "4C", "4H", "4H"), "2H", "ck", "layout"),
        (("3H", "2C", "2H", "4C", "4H", "3C"), "5H", "ck", "goal"),
        (("3H", "2C", "2H", "4C", "4H", "3C"), "2H", "CK", "first mover"),
    ],
)
def test_invalid_hand_is_refused_with_a_sentence(layout, goal, first, complaint):
    for question in (least_moves, shortest):
        with pytest.raises(ValueError, match=complaint):
            question(layout, goal, first)


def sequences(state, depth):
    """Counts the sequences of legal moves of exactly this length; a solved hand has no more."""
    if depth == 0:
        return 1
    return sum(
        sequences(rules.apply(state, "solo", move), depth - 1) for move in rules.legal_actions(state, "solo")
    )


@pytest.mark.parametrize(
    ("deal", "counts"),
    [
        ("3H 2C 2H 4C 4H 3C | 2H | ck", [5, 20, 88, 370, 1626]),
        ("2H 3C 3H 4C 2C 4H | 2H | ck", [5, 24, 110, 475, 2130]),
        ("3H 4H 2C 4C 2H 3C | 4H | nk", [4, 16, 64, 280, 1174]),
    ],
)
def test_sequence_counts_to_depth_5_are_known(deal, counts):
    """A change in any rule of the moves changes these numbers."""
    state = rules.start(deal, {})
    assert [sequences(state, depth) for depth in range(1, 6)] == counts
