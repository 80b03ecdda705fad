"""Compares best play under partial information with a second search, known means and properties."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from best_play import moves_of_best_play
from hypothesis import given
from hypothesis import strategies as st
from value_iteration import by_value_iteration, unsolved

from cardlab.games.ttt import belief as beliefs
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.belief import (
    Belief,
    after_deal,
    after_looking,
    after_move,
    after_moves,
    best_move,
    expected_moves,
    value,
)
from cardlab.games.ttt.routes import ROUTES
from cardlab.games.ttt.solver import least_moves

CARDS = ("2H", "3H", "4H", "2C", "3C", "4C")
VIEWS = ("all", "mix", "none")
KEEPERS = ("ck", "nk")


@pytest.mark.parametrize("view_card", VIEWS)
def test_expected_moves_agree_with_value_iteration(view_card):
    reference = by_value_iteration("2H", view_card)  # the other goals differ in name only, see below
    assert len(reference) == 1200
    for (layout, first), moves in reference.items():
        assert expected_moves(layout, "2H", first, view_card) == moves


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("route", ROUTES.values())
def test_expected_route_moves_agree_with_value_iteration(route, view_card):
    reference = by_value_iteration("2H", view_card, route)
    assert len(reference) == 240
    for (layout, first), moves in reference.items():
        assert value(after_deal(layout, first, view_card), "2H", frozenset(pairwise(route))) == moves
        assert moves >= expected_moves(layout, "2H", first, view_card)


@pytest.mark.parametrize(
    ("view_card", "first", "mean"),
    [
        ("all", "ck", Fraction(583, 150)),  # 3.887, with C and N alone face down
        ("all", "nk", Fraction(601, 150)),  # 4.007
        ("mix", "ck", Fraction(119, 30)),
        ("mix", "nk", Fraction(613, 150)),
        ("none", "ck", Fraction(121, 30)),
        ("none", "nk", Fraction(623, 150)),
    ],
)
@pytest.mark.parametrize("goal", ["2H", "4C"])
def test_mean_over_unsolved_layouts_has_the_known_value(goal, view_card, first, mean):
    expected = [expected_moves(layout, goal, first, view_card) for layout in unsolved(goal)]
    assert sum(expected) / 600 == mean
    if (goal, view_card) == ("2H", "all"):
        assert f"{float(mean):.3f}" == {"ck": "3.887", "nk": "4.007"}[first]


@pytest.mark.parametrize("first", KEEPERS)
def test_mean_with_known_cards_equals_the_solvers(first):
    known = [value(Belief(layout, first, "all"), "2H") for layout in unsolved("2H")]
    assert known == [least_moves(layout, "2H", first) for layout in unsolved("2H")]
    assert f"{float(sum(known) / 600):.2f}" == {"ck": "3.48", "nk": "3.60"}[first]


# ---------------------------------------------------------------- properties


def alike(goal, first, view_card):
    """Groups the unsolved layouts by what is visible when they are dealt."""
    groups = defaultdict(list)
    for layout in unsolved(goal):
        groups[after_deal(layout, first, view_card)].append(layout)
    return groups


@pytest.mark.parametrize("first", KEEPERS)
@pytest.mark.parametrize("goal", ["2H", "4H"])
def test_more_information_never_costs_moves(goal, first):
    for group in alike(goal, first, "none").values():
        means = [
            Fraction(sum(least_moves(one, goal, first) for one in group), len(group)),
            *(sum(expected_moves(one, goal, first, view) for one in group) / len(group) for view in VIEWS),
        ]
        assert means == sorted(means)
        for layout in group:
            assert expected_moves(layout, goal, first, "mix") <= expected_moves(layout, goal, first, "none")


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("first", KEEPERS)
def test_best_play_has_the_expected_mean_length(first, view_card):
    for goal in ("2H", "3C"):
        groups = alike(goal, first, view_card)
        assert {len(group) for group in groups.values()} == {2 if view_card == "all" else 6}
        for belief, group in groups.items():
            moves = [moves_of_best_play(layout, goal, first, view_card) for layout in group]
            assert Fraction(sum(moves), len(group)) == value(belief, goal)
            assert all(count >= least_moves(layout, goal, first) for count, layout in zip(moves, group))


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("goal", CARDS)
def test_renamed_cards_do_not_change_the_solution(goal, view_card):
    """Swapping the colours, or two numbers, changes no rule: 2H may be renamed to any goal."""
    colours = {"H": goal[1], "C": "C" if goal[1] == "H" else "H"}
    numbers = {"2": goal[0], goal[0]: "2"}
    for layout in Random(goal).sample(unsolved("2H"), 40):
        renamed = tuple(numbers.get(card[0], card[0]) + colours[card[1]] for card in layout)
        for first in KEEPERS:
            here, there = ("2H", first, view_card), (goal, first, view_card)
            assert expected_moves(layout, *here) == expected_moves(renamed, *there)


def test_solved_layout_needs_no_move():
    layout = ("3H", "2C", "4H", "2H", "4C", "3C")
    for view_card in VIEWS:
        assert expected_moves(layout, "2H", "nk", view_card) == 0
        assert moves_of_best_play(layout, "2H", "nk", view_card) == 0


# ---------------------------------------------------------------- knowledge

DEAL = ("3H", "2C", "2H", "4C", "4H", "3C")  # C Ck UP T N Nk


@pytest.mark.parametrize(
    ("view_card", "sequence", "known"),
    [
        ("all", "", "? 2C 2H 4C ? 3C"),
        ("mix", "", "? 2C 2H 4C ? ?"),
        ("none", "", "? 2C 2H 4C ? ?"),
        ("none", "P", "? 2C 2H 4C ? 3C"),
        ("none", "PC", "3C 2C 2H 4C ? ?"),  # nk has taken up a card that only nk could see
        ("none", "PCP", "3C 2C 2H 4C 4H 3H"),  # now seen, so the last card is known
        ("all", "C", "2C 3H 2H 4C 4H 3C"),
        ("mix", "C", "2C 3H 2H 4C 4H 3C"),  # the exchange turns mix to all
        ("none", "C", "2C ? 2H 4C ? 3C"),
        ("mix", "PP", "? 2C 2H 4C ? 3C"),
        ("none", "TU", "? 4C 3C 2C ? 2H"),
    ],
)
def test_moves_reveal_the_expected_cards(view_card, sequence, known):
    belief = after_moves(DEAL, "ck", view_card, sequence)
    assert " ".join(card or "?" for card in belief.layout) == known
    assert belief.turn == KEEPERS[len(sequence) % 2]


@given(st.permutations(CARDS), st.sampled_from(KEEPERS), st.sampled_from(VIEWS), st.data())
def test_knowledge_is_correct_complete_and_never_lost(cards, first, view_card, data):
    goal = data.draw(st.sampled_from([card for card in cards if card != cards[3]]))
    state = rules.start(board.format_deal(tuple(cards), goal, first), {"ViewCard": view_card})
    unknown = 6
    for _ in range(8):
        belief = after_moves(tuple(cards), first, view_card, state.sequence)
        assert all(known in (None, card) for known, card in zip(belief.layout, state.layout))
        assert all(belief.layout[board.KEEPER_PLACE[keeper]] for keeper in board.may_see(state, board.SEAT))
        assert belief.layout[2]
        assert belief.layout[3]
        assert belief.layout.count(None) <= unknown
        unknown = belief.layout.count(None)
        if rules.is_over(state):
            break
        assert value(belief, goal) > 0
        assert best_move(belief, goal) in rules.legal_actions(state, board.SEAT)
        move = data.draw(st.sampled_from(rules.legal_actions(state, board.SEAT)))
        state = rules.apply(state, board.SEAT, move)


def test_hidden_card_is_not_read():
    after = after_move(after_deal(DEAL, "ck", "none"), "P")
    assert after_looking(after, (None, None, "2H", "4C", None, "3C")) == after_moves(DEAL, "ck", "none", "P")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("layout", "goal", "first", "view_card", "complaint"),
    [
        (("3H", "2C", "2H", "4C", "4H"), "2H", "ck", "all", "layout"),
        (DEAL, "5H", "ck", "all", "goal"),
        (DEAL, "2H", "CK", "all", "first mover"),
        (DEAL, "2H", "ck", "some", "ViewCard"),
    ],
)
def test_invalid_hand_is_refused_with_a_sentence(layout, goal, first, view_card, complaint):
    with pytest.raises(ValueError, match=complaint):
        expected_moves(layout, goal, first, view_card)


@pytest.mark.parametrize("sequence", ["PT", "X"])
def test_illegal_moves_are_refused(sequence):
    with pytest.raises(ValueError, match="cannot be played"):
        after_moves(DEAL, "ck", "all", sequence)


def test_finished_or_unsolvable_hand_has_no_best_move():
    with pytest.raises(ValueError, match="already"):
        best_move(after_deal(DEAL, "ck", "all"), "4C")
    with pytest.raises(ValueError, match="no way"):
        best_move(after_deal(DEAL, "ck", "none"), "2H", frozenset({("4C", "2C")}))


@pytest.mark.parametrize("view_card", beliefs._ALL_VIEWS)
def test_expected_moves_are_exact_integer_fractions(view_card):
    """Every mean over the outcomes of a move is exact, whatever is visible."""
    values = beliefs._values("2H", view_card, None)
    for steps in beliefs._levels(view_card):
        for after in (after for moves in steps.values() for after in moves.values()):
            if all(one in values for one in after):
                assert sum(values[one] for one in after) % len(after) == 0


@pytest.mark.parametrize("view_card", VIEWS)
def test_moves_lost_equals_the_sum_of_costs(view_card):
    chance, goal = Random(7), "2H"
    for layout in chance.sample(unsolved(goal), 20):
        known, lost, sequence = after_deal(layout, "ck", view_card), Fraction(0), ""
        for move in chance.choices("UCNP", k=8):
            after = beliefs._outcomes(known)[move]
            lost += 1 + sum(value(one, goal) for one in after) / Fraction(len(after)) - value(known, goal)
            sequence += move
            known = after_moves(layout, "ck", view_card, sequence)
        assert beliefs.moves_lost(layout, goal, "ck", view_card, sequence) == lost
