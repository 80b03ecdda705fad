"""Compares the solver with the rules: each score follows from the scores after the moves."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.position import CAMBRIDGE, DEFAULT_FORM, Form, apply, legal_moves, start
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.solver import Solved, solved

FORMS = [DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]


def counts(size, form):
    rounds = solved(size, form).rounds[1:-1]
    return sum(n > 0 for n in rounds), sum(n < 0 for n in rounds), sum(n == 0 for n in rounds), max(rounds)


def test_won_lost_and_drawn_positions_are_counted():
    assert [counts(size, DEFAULT_FORM) for size in (1, 2, 3)] == [
        (12, 2, 0, 3),
        (178, 76, 0, 9),
        (2646, 1448, 0, 19),
    ]
    assert [counts(size, CAMBRIDGE) for size in (1, 2)] == [(7, 4, 3, 2), (112, 86, 56, 13)]


def plainly_solved(size, form):
    """Returns the winner of each position by retrograde analysis with the plain rules."""
    first = [start(draw_deal(str(seed), size, seed % 2), form=form) for seed in range(40)]
    after, open_ = {}, list(first)
    while open_:
        position = open_.pop()
        if position.key not in after:
            following = [apply(position, move) for move in legal_moves(position)]
            after[position.key] = (position, following)
            open_ += [one for one in following if one.winner is None]
    winner = {}
    news = True
    while news:
        news = False
        for key, (position, following) in after.items():
            if key in winner:
                continue
            ends = {one.winner if one.winner is not None else winner.get(one.key) for one in following}
            if position.mover in ends:
                winner[key], news = position.mover, True
            elif ends == {1 - position.mover}:
                winner[key], news = 1 - position.mover, True
    return after, winner


@pytest.mark.parametrize("form", FORMS)
def test_the_solver_agrees_with_plain_retrograde_analysis(form):
    after, winner = plainly_solved(2, form)
    table = solved(2, form)
    assert len(after) > 1000
    for key, (position, _following) in after.items():
        score = table.score(position)
        assert (position.mover if score > 0 else 1 - position.mover if score < 0 else None) == winner.get(key)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 30))
def test_the_best_move_keeps_the_solvers_score(seed, actions):
    table, chance = solved(3), random.Random(seed)
    position = start(draw_deal(str(seed), 3, seed % 2))
    for _action in range(actions):
        after = apply(position, chance.choice(legal_moves(position)))
        if after.winner is not None:
            break
        position = after
    score, scores = table.score(position), table.scores(position)
    if position.table:
        assert max(scores.values()) == score
    elif 0 < score < 999:  # the round that begins here ends with a pick-up
        assert max(scores.values()) == score + 1


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_search_proofs_agree_with_the_solver(seed):
    position = start(draw_deal(str(seed), 3, 0))
    result = best_move(position, depth=14, nodes=20_000)
    if result.proved is not None:
        assert (solved(3).score(position) > 0) == result.proved
    assert result.proved is not False  # the leader wins every deal of this size


def test_the_leader_wins_every_small_deal():
    for size in (1, 2, 3):
        assert all(solved(size).score(start(draw_deal(str(seed), size, 0))) > 0 for seed in range(60))


def test_position_outside_the_table_is_refused():
    with pytest.raises(ValueError, match="up to size 4"):
        Solved(5)
    with pytest.raises(ValueError, match="size 2"):
        solved(2).score(start(draw_deal("one", 3, 0)))
