"""Compares the bitwise search with a plain search by the readable rules, and tests its budget."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.challenge.deal import draw_deal, parse_deal
from cardlab.games.challenge.evaluation import evaluate, stretch, weights
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.position import (
    CAMBRIDGE,
    DEFAULT_FORM,
    PICK_UP,
    Form,
    Position,
    apply,
    legal_moves,
    played,
    start,
)
from cardlab.games.challenge.search import _HALF, DRAWN, WON, Search, best_move, forced_win, worths

FORMS = [DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]


def place(position: Position):
    """Returns what the search distinguishes: no top card where any card may be played."""
    return position.hands, () if position.to_lead else position.table[-1:], position.mover


def minimax(position: Position, left: int, seen: set, twice: set) -> int:
    """Returns the value for the mover, by the readable rules alone."""
    if left == 0:
        return evaluate(position)
    if left > 1 and place(position) in twice:
        return DRAWN
    values = []
    for move in legal_moves(position):
        after = apply(position, move)
        if after.winner is not None:
            value = WON + left - 1
        elif not after.table and after.key in seen:
            value = DRAWN
        else:
            value = minimax(after, left - 1, seen, twice)
            value = value if after.mover == position.mover else -value
        values.append(value)
    return max(values)


def reached(seed, size, form, actions, trumps=("S", "H")):
    """Returns the positions of a random game up to one that is not over."""
    chance = random.Random(seed)
    game = [start(draw_deal(str(seed), size, seed % 2, trumps), trumps, form)]
    for _action in range(actions):
        after = apply(game[-1], random_move(game[-1], chance))
        if after.winner is not None:
            break
        game.append(after)
    return game


def seen_in(game):
    return {position.key for position in game if not position.table}


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.integers(1, 5),
    st.sampled_from(FORMS),
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([("S", "H"), ("D", "S")]),
)
def test_the_search_has_the_values_of_plain_minimax(seed, size, form, actions, depth, trumps):
    *earlier, position = reached(seed, size, form, actions, trumps)
    seen, places = seen_in([*earlier, position]), [place(one) for one in [*earlier, position]]
    twice = {one for one in places if places.count(one) > 1}
    values = Search(position, earlier).worths(depth, 10**9)
    for move, value in values.items():
        after = apply(position, move)
        if after.winner is not None:
            assert value == WON + depth
        elif not after.table and after.key in seen:
            assert value == DRAWN
        else:
            sign = 1 if after.mover == position.mover else -1
            assert value == sign * minimax(after, depth, seen, twice)
    best = best_move(position, depth=depth, nodes=10**9, earlier=earlier)
    if abs(best.value) < WON:
        assert best.value == max(values.values()) == values[best.move]
        assert best.depth == depth
    else:
        assert (max(values.values()) >= WON) == (best.value >= WON)
    played(position, best.line)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 20), st.sampled_from(["pick", "high"]))
def test_optimizations_change_no_value_and_save_nodes(seed, actions, plain):
    *earlier, position = reached(seed, 6, DEFAULT_FORM, actions)
    clever, simple = Search(position, earlier), Search(position, earlier, plain)
    assert clever.run(4, 10**9, 0).value == simple.run(4, 10**9, 0).value


def test_searches_are_reproducible_and_keep_their_budget():
    position = start(draw_deal("golden", 8, 0))
    result = best_move(position, depth=4, seed="one")
    assert result == best_move(position, depth=4, seed="one")
    assert (result.depth, result.whole, result.proved) == (4, True, None)
    assert (result.move, result.value, result.nodes) == ("9C", 33, 3902)
    for nodes in (0, 1, 50, 1000, 5000):
        small = best_move(position, depth=12, nodes=nodes)
        assert small.move in legal_moves(position)
        assert small.nodes <= nodes + 40  # the last loop is counted when it ends
        assert not small.whole


def test_the_search_avoids_repetition_while_ahead():
    deal = start(parse_deal("AS KS AC | AH KH KC | participant"))
    game = [deal, *(played(deal, line) for line in (["KC"], ["KC", PICK_UP]))]
    repeated = Search(game[1], [game[0], game[2]]).worths(2, 10**6)
    assert repeated[PICK_UP] == DRAWN
    assert Search(game[1], [game[0]]).worths(2, 10**6)[PICK_UP] != DRAWN


def test_a_forced_win_is_proved_within_its_budget():
    won = start(parse_deal("AS AC KD | 7H 8D 9D | computer"))
    assert forced_win(won)
    assert best_move(won, depth=8).proved is True
    lost = start(parse_deal("7H 8D | AS AH | computer"))
    assert not forced_win(lost)
    assert not forced_win(start(draw_deal("golden", 8, 0)), nodes=3000)


def test_the_best_move_has_the_highest_value():
    position = start(draw_deal("golden", 8, 0))
    found = worths(position, depth=4)
    assert set(found) == set(legal_moves(position))
    assert max(found.values()) == best_move(position, depth=4).value
    assert worths(position, nodes=1) == worths(position, depth=0)


def test_greedy_plays_low_cards_before_trumps():
    here = played(start(parse_deal("AS 9S QC 9D 10D | AH JH 10C KD 8D | participant")), ["8D"])
    assert greedy_move(here) == "9D"
    assert greedy_move(apply(here, "9D")) == "KD"
    assert greedy_move(played(here, ["9S"])) == "JH"
    assert greedy_move(played(here, ["AS", "AH"])) == "9S"
    assert greedy_move(played(here, ["9S", "JH", "AS", "AH"])) == PICK_UP


@pytest.mark.parametrize(
    ("curve", "length", "expected"),
    [
        ((0, 10, 20), 5, [0, 5, 10, 15, 20]),
        ((0, 10, 20), 3, [0, 10, 20]),
        ((0, 9), 1, [9]),
        ((5,), 2, [5, 5]),
    ],
)
def test_a_curve_is_stretched_between_its_ends(curve, length, expected):
    assert stretch(curve, length) == expected


def test_packed_sums_of_phases_do_not_overflow():
    for size in range(1, 14):
        for worths_ in weights(size, ("S", "H")).card:
            assert sum(map(abs, worths_)) < _HALF


def test_the_search_beats_random_and_greedy_play():
    chance = random.Random(1)
    for other in (greedy_move, lambda position: random_move(position, chance)):
        position, earlier = start(draw_deal("play", 8, 0)), []
        while position.winner is None and len(earlier) < 400:
            earlier.append(position)
            mine = position.mover == 0
            position = apply(
                position, best_move(position, depth=4, earlier=earlier[:-1]).move if mine else other(position)
            )
        assert position.winner == 0
