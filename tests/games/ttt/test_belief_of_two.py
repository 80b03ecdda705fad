"""Tests the knowledge of two players of Target the Two, its value, and robots that use only this."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from value_iteration import BOTH, LAYOUTS, by_value_iteration

from cardlab.games.ttt import belief, board, robots, rules
from cardlab.games.ttt.strategies import STRATEGIES

GOAL = "2H"
VIEWS = st.sampled_from(belief.VIEWS)
HABIT = {"search": 0.0, "422": 0.0, "442": 1.0}


@cache
def options(view_card, face_up=True):
    return {"players": 2, "ViewCard": view_card, "ViewCkNk": face_up, "habit": HABIT, "robots": {}}


def start(layout, first, **settings):
    return rules.start(board.format_deal(layout, GOAL, first), settings)


def looked(state, seat):
    """Returns the state after all looks that the seat may make."""
    while looks := rules.view(state, seat)["may_look"]:
        state = rules.apply(state, seat, f"look {looks[0]}")
    return state


def seen(state, seat):
    """Returns the cards that a view shows."""
    return tuple(rules.view(looked(state, seat), seat)["cards"].values())


def after(layout, first, moves, settings):
    state = start(layout, first, **settings)
    for move in moves:
        state = rules.apply(state, board.on_turn(state), move)
    return state


@st.composite
def hands(draw, most=7):
    """Draws a layout, the first mover, and legal moves that do not end the hand."""
    layout = draw(st.sampled_from([one for one in LAYOUTS if one[board.TARGET] != GOAL]))
    first, moves = draw(st.sampled_from(board.KEEPERS)), ""
    state = start(layout, first, players=2)
    for _move in range(draw(st.integers(0, most))):
        seat = board.on_turn(state)
        there = [(move, rules.apply(state, seat, move)) for move in rules.legal_actions(state, seat)]
        move, state = draw(st.sampled_from([(move, then) for move, then in there if not then.solved]))
        moves += move
    return layout, first, moves


def alike(layout, first, moves, seat, settings):
    """Returns the layouts that a seat cannot distinguish from this one by all its views so far."""
    states = {}
    for other in LAYOUTS:
        if other[board.TARGET] != GOAL:
            states[other] = start(other, first, **settings)
    real = start(layout, first, **settings)
    for move in ["", *moves]:
        if move:
            real = rules.apply(real, board.on_turn(real), move)
            states = {
                dealt: rules.apply(state, board.on_turn(state), move)
                for dealt, state in states.items()
                if move in rules.legal_actions(state, board.on_turn(state))
            }
        shown = seen(real, seat)
        states = {dealt: state for dealt, state in states.items() if seen(state, seat) == shown}
    return states


# A card that only the partner could have looked at stays unknown.
LOOKED_TOO_LATE = (("2H", "3H", "4H", "2C", "3C", "4C"), "nk", "UC"), (LAYOUTS[7], "nk", "C")


@pytest.mark.parametrize("face_up", [True, False])
@given(hands(), VIEWS, st.sampled_from(board.KEEPERS))
@example(LOOKED_TOO_LATE[0], "mix", "nk")
@example(LOOKED_TOO_LATE[1], "all", "ck")
def test_seat_knows_only_what_its_views_showed(face_up, hand, view_card, seat):
    layout, first, moves = hand
    settings = options(view_card, face_up)
    state = after(layout, first, moves, settings)
    if not face_up and board.on_turn(state) != seat:
        return
    states = alike(layout, first, moves, seat, settings)
    known = belief.belief_of(state, seat).layout
    unknown = known.count(None)
    assert all(all(card in (None, own) for card, own in zip(known, one.layout)) for one in states.values())
    assert len(states) == len({one.layout for one in states.values()})
    assert len(states) == [1, 1, 2, 6, 24][unknown]


@given(hands(), VIEWS, st.just("informed"), st.booleans())
@example((("2H", "4C", "3H", "3C", "4H", "2C"), "nk", "C"), "all", "informed", False)
@example((("2H", "4H", "3H", "4C", "3C", "2C"), "nk", "PC"), "none", "routinizing", True)
@example((("2H", "4H", "3H", "4C", "3C", "2C"), "ck", "U"), "none", "always_442", True)
def test_hidden_cards_do_not_change_a_robots_play(hand, view_card, robot, face_up):
    layout, first, moves = hand
    settings = options(view_card, face_up)
    seat = board.on_turn(after(layout, first, moves, settings))
    states = alike(layout, first, moves, seat, settings).values()
    assert len({robots.action(state, seat, robot, "7") for state in states}) == 1
    assert len({robots.action(looked(state, seat), seat, robot, "7") for state in states}) == 1


def test_unknown_robot_is_refused():
    with pytest.raises(ValueError, match="There is no robot called clever; there are informed, always_422"):
        robots.action(start(LAYOUTS[0], "ck", players=2), "ck", "clever", "7")


# The value of knowledge.


@pytest.mark.long("others see more, or less", only=("all-True", "none-False"))
@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize("view_card", belief.VIEWS)
def test_common_moves_agree_with_value_iteration(view_card, face_up):
    """Compares all 1,200 hands, for one player who sees only the cards that both seats see."""
    common = belief.common_view(options(view_card, face_up))
    reference = by_value_iteration(GOAL, view_card, seat=BOTH, face_up=face_up)
    assert len(reference) == 1200
    assert {hand: belief.expected_moves(hand[0], GOAL, hand[1], common) for hand in reference} == reference


@pytest.mark.parametrize("seat", board.KEEPERS)
@pytest.mark.parametrize("view_card", belief.VIEWS)
def test_moves_of_a_seat_agree_with_value_iteration(view_card, seat):
    reference = by_value_iteration(GOAL, view_card, seat=seat)
    view = belief.view_of(view_card, seat)
    assert {hand: belief.expected_moves(hand[0], GOAL, hand[1], view) for hand in reference} == reference


def test_unknown_card_enters_target_if_each_may():
    """With 2H and 3H unknown and 4H in Target, Ck may bring either there, and 2H is the goal."""
    known = belief.Belief((None, None, "2C", "4H", "3C", "4C"), "ck", "common")
    assert belief.best_move(known, GOAL) == "T"
    assert not belief._is_legal(known._replace(layout=(None, None, "2H", "4H", "3C", "4C")), "T")


@cache
def worth(view_card, first):
    """Returns the expected moves by layout for a player with this view."""
    solvable = [one for one in LAYOUTS if one[board.TARGET] != GOAL]
    return {one: belief.expected_moves(one, GOAL, first, view_card) for one in solvable}


def means(view_card, first, known_by):
    """Returns the mean expected moves over layouts that look alike to another player."""
    moves_by_deal = {}
    for layout, expected in worth(view_card, first).items():
        moves_by_deal.setdefault(belief.after_deal(layout, first, known_by), []).append(expected)
    return {known: Fraction(sum(of_one), len(of_one)) for known, of_one in moves_by_deal.items()}


@pytest.mark.parametrize("first", board.KEEPERS)
@pytest.mark.parametrize("view_card", belief.VIEWS)
def test_more_knowledge_never_needs_more_moves_on_average(view_card, first):
    """Compares joint knowledge, one player's knowledge, and common knowledge."""
    union, common = belief.UNION, belief.common_view(options(view_card))
    for seat in board.KEEPERS:
        own = belief.view_of(view_card, seat)
        for more, less in ((union, own), (own, common), (union, common)):
            fewer, as_it_is = means(more, first, less), means(less, first, less)
            assert all(fewer[known] <= as_it_is[known] for known in as_it_is)


@given(hands(), VIEWS, st.sampled_from(board.KEEPERS))
@example((("2H", "4H", "4C", "3H", "2C", "3C"), "ck", "T"), "mix", "nk")
def test_partners_losses_add_up_to_the_total(hand, view_card, seat):
    """Own choices never gain; the partner's may, by a T with a card that the player does not know."""
    layout, first, moves = hand
    known = layout, GOAL, first, belief.view_of(view_card, seat), moves
    own, others = (belief.moves_lost(*known, keeper=keeper) for keeper in (seat, board.other(seat)))
    assert own + others == belief.moves_lost(*known)
    assert own >= 0
    state = after(layout, first, moves, options(view_card))
    if board.on_turn(state) == seat:
        move = belief.best_move(belief.belief_of(state, seat), GOAL)
        assert belief.moves_lost(*known[:-1], moves + move, keeper=seat) == own


# Strategies.


@pytest.mark.parametrize("face_up", [True, False])
@given(hands(0), VIEWS, st.tuples(*[st.sampled_from(sorted(STRATEGIES))] * 2), st.integers(0, 99))
def test_hand_ends_under_any_two_strategies(face_up, hand, view_card, names, seed):
    layout, first, _moves = hand
    players = dict(zip(board.KEEPERS, (STRATEGIES[name].new_policy(Random(seed)) for name in names)))
    for _hand in range(2):  # the learner remembers the first hand
        state = start(layout, first, **options(view_card, face_up), MaxRounds=9)
        for _action in range(9 * 3):  # two looks and a move
            if rules.is_over(state):
                break
            seat = board.on_turn(state)
            state = rules.apply(state, seat, players[seat](state, seat))
        assert rules.is_over(state)
        first = board.other(first)
