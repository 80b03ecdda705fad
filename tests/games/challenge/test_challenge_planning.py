"""Tests planning depth: the likelihood, and the recovery of simulated players' known depths."""

from functools import cache
from math import exp, inf, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import planning
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.position import apply, legal_moves, start
from cardlab.games.challenge.search import worths

WORTHS = st.integers(-planning.CERTAIN, planning.CERTAIN)


@st.composite
def some_choices(draw_deal):
    """Choices with worths at three depths."""
    choices = []
    for _choice in range(draw_deal(st.integers(1, 6))):
        moves = draw_deal(st.integers(2, 5))
        at = st.lists(WORTHS, min_size=moves, max_size=moves).map(tuple)
        choices.append(Choice(draw_deal(st.tuples(at, at, at)), draw_deal(st.integers(0, moves - 1))))
    return choices


def plainly(choices, depth, noise):
    """Computes the log-likelihood directly from the model."""
    whole = 0.0
    for one in choices:
        most = max(one.worths[depth])
        weights = [exp((worth - most) / noise) for worth in one.worths[depth]]
        whole += log(max(weights[one.chosen] / sum(weights), 5e-324))
    return whole


@given(some_choices())
def test_the_fit_is_the_best_on_a_grid(choices):
    fit = planning.fit_depth(choices)
    grid = [10 ** (exponent / 8) for exponent in range(0, 33)]  # noise 1 to 10,000
    best = [max(plainly(choices, depth, noise) for noise in grid) for depth in range(3)]
    by_chance = -sum(log(len(one.worths[0])) for one in choices)
    for depth in range(3):
        assert fit.profile[depth] >= max(best[depth], by_chance) - 1e-3
    assert fit.depth == max(range(3), key=fit.profile.__getitem__)
    near = [depth for depth in range(3) if max(fit.profile) - fit.profile[depth] <= 1.92]
    assert (fit.low, fit.high) == (min(near), max(near))
    assert fit.gain == pytest.approx((max(fit.profile) - by_chance) / len(choices))
    assert fit.gain >= 0
    if fit.noise != inf and fit.noise >= 1:
        assert plainly(choices, fit.depth, fit.noise) == pytest.approx(fit.profile[fit.depth], abs=1e-6)


def test_low_valued_choices_fit_random_play():
    choices = [Choice(((0, 10), (0, 20)), 0)] * 5
    fit = planning.fit_depth(choices)
    assert (fit.noise, fit.depth, fit.low, fit.high) == (inf, 0, 0, 1)
    assert fit.gain == pytest.approx(0)
    assert planning.fit_depth([]) is None


def test_noise_estimate_equals_the_analytic_value():
    """At three to one for the better move, the noise is their difference divided by log 3."""
    worths_at = ((0, 30),)
    fit = planning.fit_depth([Choice(worths_at, 1)] * 3 + [Choice(worths_at, 0)])
    assert fit.noise == pytest.approx(30 / log(3), rel=1e-4)


def position(seed=5, size=3, moves=6):
    """Returns a position somewhere in a game, and those before it."""
    chance, now, earlier = Random(seed), start(draw_deal(f"{seed}", size, 0)), []
    while len(earlier) < moves:
        earlier.append(now)
        now = apply(now, chance.choice(legal_moves(now)))
    return now, earlier


def test_values_by_depth_agree_with_the_search():
    now, earlier = position()
    for depth, found in zip(planning.DEPTHS, planning.worths_by_depth(now, earlier), strict=True):
        assert found == planning.bounded(worths(now, depth=depth, nodes=10**6, earlier=earlier))


def test_last_finished_depth_replaces_an_unfinished_one():
    now, earlier = position(size=6)
    values = list(planning.worths_by_depth(now, earlier, nodes=2_000))
    whole = [
        planning.bounded(worths(now, depth=depth, nodes=10**7, earlier=earlier)) for depth in planning.DEPTHS
    ]
    reached = whole.index(values[-1])
    assert 0 < reached < planning.DEPTHS[-1]
    assert values == [whole[min(depth, reached)] for depth in planning.DEPTHS]


@pytest.mark.parametrize(("count", "most"), [(0, 3), (2, 3), (3, 3), (10, 3), (100, 7)])
def test_a_sample_is_spread_evenly(count, most):
    sample = planning.spread(range(count), most)
    assert sample == sorted(set(sample))
    assert len(sample) == min(count, most)
    gaps = {later - sooner for sooner, later in zip(sample, sample[1:])}
    assert not gaps or max(gaps) - min(gaps) <= 1


# Recovery


@cache
def chosen(depth, player, games=9, size=3, noise=planning.NOISE):
    """Returns the choices of a simulated player in some games against the greedy one."""
    moves = []
    for game in range(games):
        chance = Random(f"{depth}, {player}, {game}")
        now, earlier = start(draw_deal(f"{player}, {game}", size, game % 2)), []
        while now.winner is None and len(earlier) < 40:
            if now.mover == 0:
                move = greedy_move(now)
            else:
                move = planning.softmax_move(now, earlier, depth, chance, noise)
                if len(legal_moves(now)) > 1:
                    moves.append(planning.choice(now, earlier, move, range(6), 3_000))
            earlier.append(now)
            now = apply(now, move)
    return moves


def test_reference_players_choose_in_the_same_positions():
    choices = chosen(2, 0)
    assert all(len(one.references) == len(planning.REFERENCES) for one in choices)
    now, earlier = position()
    one = planning.choice(now, earlier, legal_moves(now)[0], range(3), 3_000)
    assert sorted(legal_moves(now))[one.references[0]] == greedy_move(now)
    again = planning.choice(now, iter(earlier), legal_moves(now)[0], range(3), 3_000)
    assert again == one  # the draw depends on the position
    greedy = planning.reference_choices("greedy", choices)
    assert [other.chosen for other in greedy] == [other.references[0] for other in choices]
    assert [other.worths for other in greedy] == [other.worths for other in choices]
    at_random = planning.fit_depth(planning.reference_choices("random", choices))
    assert at_random.gain < planning.fit_depth(choices).gain


@pytest.mark.parametrize("depth", [0, 2, 4])
def test_fit_recovers_simulated_players_depth(depth):
    for player in range(3):
        fit = planning.fit_depth(chosen(depth, player))
        assert (fit.depth, fit.low <= depth <= fit.high) == (depth, True)
        assert planning.NOISE / 4 < fit.noise < 4 * planning.NOISE
        assert fit.gain > 0.3


def test_random_play_has_no_predictive_gain():
    fit = planning.fit_depth(chosen(0, 0, noise=1e9))
    assert fit.gain < 0.1
    assert fit.high - fit.low >= 3
