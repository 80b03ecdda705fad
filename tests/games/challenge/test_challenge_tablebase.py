"""Compares the tablebases with the rules: each score follows from the scores after the moves."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.challenge import retrograde, tablebase
from cardlab.games.challenge.deal import TRUMPS, draw_deal
from cardlab.games.challenge.packs import bits
from cardlab.games.challenge.position import (
    CAMBRIDGE,
    DEFAULT_FORM,
    Form,
    Position,
    apply,
    legal_moves,
    start,
)
from cardlab.games.challenge.search import WON, Search, best_move
from cardlab.games.challenge.tablebase import exact_scores, score
from cardlab.games.compiled import integers

FORMS = [DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]


def counts(size, form):
    rounds = [int(number) for number in tablebase.tablebase(size, form)][1:-1]
    return sum(n > 0 for n in rounds), sum(n < 0 for n in rounds), sum(n == 0 for n in rounds), max(rounds)


def test_won_lost_and_drawn_positions_are_counted():
    assert [counts(size, DEFAULT_FORM) for size in (1, 2, 3)] == [
        (12, 2, 0, 3),
        (178, 76, 0, 9),
        (2646, 1448, 0, 19),
    ]
    assert counts(4, DEFAULT_FORM) == (39247, 26287, 0, 36)
    assert counts(5, DEFAULT_FORM) == (603195, 445379, 0, 68)
    assert counts(5, Form("opponent", "lead")) == (577198, 471372, 4, 60)
    assert [counts(size, CAMBRIDGE) for size in (1, 2)] == [(7, 4, 3, 2), (112, 86, 56, 13)]
    assert counts(5, CAMBRIDGE) == (277759, 241371, 529444, 94)


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
def test_tablebases_agree_with_plain_retrograde_analysis(form):
    after, winner = plainly_solved(2, form)
    assert len(after) > 1000
    for key, (position, _following) in after.items():
        found = score(position)
        assert (position.mover if found > 0 else 1 - position.mover if found < 0 else None) == winner.get(key)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 30))
def test_the_best_move_keeps_the_score(seed, actions):
    chance = random.Random(seed)
    position = start(draw_deal(str(seed), 3, seed % 2))
    for _action in range(actions):
        after = apply(position, chance.choice(legal_moves(position)))
        if after.winner is not None:
            break
        position = after
    here, scores = score(position), exact_scores(position)
    if position.table:
        assert max(scores.values()) == here
    elif 0 < here < 999:  # the round that begins here ends with a pick-up
        assert max(scores.values()) == here + 1


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_search_proofs_agree_with_the_tablebase(seed):
    position = start(draw_deal(str(seed), 3, 0))
    result = Search(position).run(14, 20_000, 0, exact=False)
    if result.proved is not None:
        assert (score(position) > 0) == result.proved
    assert result.proved is not False  # the leader wins every deal of this size


def test_the_leader_wins_every_small_deal():
    for size in (1, 2, 3):
        assert all(score(start(draw_deal(str(seed), size, 0))) > 0 for seed in range(60))


def test_the_search_looks_small_packs_up():
    for seed in range(10):
        position = start(draw_deal(str(seed), 5, seed % 2))
        scores = exact_scores(position)
        found = best_move(position, depth=4)
        assert scores[found.move] == max(scores.values())
        assert found.value == max(scores.values()) + WON
        assert (found.depth, found.nodes, found.proved) == (4, 0, True)
        assert Search(position).run(4, 10**6, 0, exact=False).nodes > 0
        assert best_move(position, depth=3).nodes > 0


@pytest.mark.parametrize("form", FORMS[1:])
def test_both_solvers_find_the_same_rounds(form):
    size, number = 3, 1
    searched, found = integers(1 << 4 * size), integers(1 << 4 * size)
    picker, better = int(form == CAMBRIDGE), tablebase._better(size)
    while retrograde.solve_round(number, found, size, picker, 1, better, searched):
        number += 1
    assert list(searched) == list(tablebase.solve(size, form))


def test_small_tablebase_files_equal_their_computation():
    for size, form in ((4, DEFAULT_FORM), (5, Form("opponent", "lead")), (5, CAMBRIDGE)):
        rounds = tablebase.tablebase(size, form)
        cards = random.Random(1).sample(range(1, (1 << 4 * size) - 1), 200)
        here = bits(size, TRUMPS)
        for one in cards:
            hand = frozenset(card for card in here.cards if one >> here.number[card] & 1)
            position = Position((hand, frozenset(here.cards) - hand), form=form)
            best = max(exact_scores(position).values())
            expected = 1 if best == 1000 else 1001 - best if best > 0 else -1001 - best if best else 0
            assert rounds[one] == expected


def test_position_outside_the_tablebases_is_refused():
    assert exact_scores(start(draw_deal("one", 6, 0))) is None
    with pytest.raises(ValueError, match="No tablebase has this position"):
        score(start(draw_deal("one", 6, 0)))
    with pytest.raises(ValueError, match="No tablebase has this position"):
        tablebase.best_moves(start(draw_deal("one", 6, 0)))
