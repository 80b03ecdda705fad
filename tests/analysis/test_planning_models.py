"""Tests the models of planning in Challenge: likelihoods, weights, and the recovery of simulated players."""

from functools import cache
from math import exp, log
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlab.analysis.choice_models import checks
from cardlab.analysis.games.challenge import planning_checks, planning_models
from cardlab.analysis.games.challenge.planning_models import MODELS, make_data
from cardlab.games.challenge import planning
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.heuristics import FEATURES, HEURISTICS, heuristic_move
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.position import apply, legal_moves, start
from cardlab.games.challenge.variants import SUBSETS, VARIANTS, Variant

BY_NAME = {model.name: model for model in MODELS}
WORTHS = st.integers(-planning.CERTAIN, planning.CERTAIN)


def make_choice(scores, chosen, ranks=None, limited=()):
    """Returns a choice with these values at each depth, and equal ranks unless they are given."""
    count = len(scores[0])
    equal = tuple((0,) * count for _heuristic in HEURISTICS)
    features = tuple((0,) * len(FEATURES) for _ in range(count))
    return Choice(tuple(scores), chosen, ranks or equal, features, tuple(limited))


@st.composite
def some_choices(draw):
    """Draws choices with values at two depths."""
    choices = []
    for _choice in range(draw(st.integers(1, 6))):
        count = draw(st.integers(2, 5))
        at = st.lists(WORTHS, min_size=count, max_size=count).map(tuple)
        choices.append(make_choice(draw(st.tuples(at, at)), draw(st.integers(0, count - 1))))
    return choices


def plainly(values, chosen, noise, lapse):
    """Computes the probability of a choice directly from the model."""
    powers = [exp((value - max(values)) / noise) for value in values]
    return (1 - lapse) * powers[chosen] / sum(powers) + lapse / len(values)


@given(some_choices())
@example(  # the maximum is at a lapse near 0.9, and another one at random choice
    [make_choice([(2, 0, 0, 0)] * 2, 0), make_choice([(0, 1)] * 2, 0), make_choice([(0, 2)] * 2, 0)]
)
@settings(max_examples=15, deadline=None)
def test_the_fit_is_the_best_on_a_grid(choices):
    data = make_data(choices)
    for depth in range(2):
        found = planning_models.estimate(BY_NAME["search_1" if depth else "static"], data)
        likelihoods = [
            sum(log(max(plainly(one.scores[depth], one.chosen, noise, lapse), 1e-300)) for one in choices)
            for noise in np.geomspace(0.2, 1_000, 15)
            for lapse in (0.001, 0.03, 0.2, 0.5, 0.99)
        ]
        assert found.log_likelihood >= max(likelihoods) - 0.01
        noise, lapse = found.values["noise"], found.values["lapse"]
        known = sum(log(plainly(one.scores[depth], one.chosen, noise, lapse)) for one in choices)
        assert found.log_likelihood == pytest.approx(known, abs=1e-6)


def test_noise_estimate_equals_the_analytic_value():
    """At three to one for the better move, the noise is their difference divided by log 3."""
    choices = [make_choice([(0, 30)], 1)] * 3 + [make_choice([(0, 30)], 0)]
    found = planning_models.estimate(BY_NAME["static"], make_data(choices))
    assert found.log_likelihood == pytest.approx(3 * log(0.75) + log(0.25), abs=1e-4)
    assert exp(30 / found.values["noise"]) >= 3 - 1e-2  # a lapse may replace some of the noise


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_probabilities_of_legal_moves_add_to_one(model):
    scores = [(0, 5, 9), (3, 3, 3)] + [(1, 2, 3)] * 7
    three = make_choice(scores, 0, ((0, 1, 2), (1, 0, 2), (2, 1, 0)), [scores] * len(VARIANTS))
    two = make_choice([(0, 4)] * 9, 1, None, [[(0, 4)] * 9] * len(VARIANTS))
    data = make_data([three, two])
    chances = model.chances([part.starts[0] for part in model.parameters], data)
    assert chances.sum(1) == pytest.approx([1, 1])
    assert chances[1, 2] == 0
    assert (chances[data.legal] > 0).all()


def test_drop_out_mixes_searches_of_all_subsets():
    """The probability of a subset is that of dropping exactly its features."""
    scores = [[(number, 5), (0, number)] for number in range(len(VARIANTS))]
    data = make_data([make_choice([(0, 0), (0, 0)], 1, None, scores)])
    for name, depth, threshold in (("static_drop_out", 0, 0), ("search_1_drop_out", 1, 0)):
        expected = 0.0
        for variant, values in zip(VARIANTS, scores, strict=True):
            if variant.threshold == threshold:
                share = 0.3 ** len(variant.dropped) * 0.7 ** (4 - len(variant.dropped))
                expected += share * plainly(values[depth], 1, 8, 0.1)
        assert BY_NAME[name].chances([8, 0.1, 0.3], data)[0, 1] == pytest.approx(expected)
    pruned = make_choice([(0, 0)] * 3, 1, None, [[(0, variant.threshold)] * 3 for variant in VARIANTS])
    chances = BY_NAME["search_2_pruned_40"].chances([8, 0.1, 0.3], make_data([pruned]))
    assert chances[0, 1] == pytest.approx(plainly((0, 40), 1, 8, 0.1))


def test_mixture_without_shares_equals_one_heuristic():
    data = make_data([make_choice([(0, 0)], 0, ((0, 1), (1, 0), (1, 0)))])
    shares = [12.0 if name == "greedy" else -12.0 for name in HEURISTICS]
    mixed = BY_NAME["mixture"].chances([0.5, *shares], data)
    assert mixed == pytest.approx(BY_NAME["greedy"].chances([0.5, 0.0], data), abs=1e-4)


def test_search_and_no_search_have_equal_priors():
    nothing = {model.name: planning_models.Estimate({}, 0.0) for model in MODELS}
    weights = planning_models.weigh(nothing, 100, lambda likelihood, _parameters, _choices: -2 * likelihood)
    assert sum(weights[model.name] for model in MODELS if model.searches) == pytest.approx(0.5)
    assert sum(weights.values()) == pytest.approx(1)
    better = {**nothing, "search_2": planning_models.Estimate({}, 2.0)}
    again = planning_models.weigh(better, 100, lambda likelihood, _parameters, _choices: -2 * likelihood)
    assert again["search_2"] / again["search_3"] == pytest.approx(exp(2))


def test_few_choices_have_no_verdict():
    assert planning_models.fit([]) is None
    few = planning_models.fit([make_choice([(0, 9), (0, 9)], 1)] * (planning_models.FEWEST - 1))
    assert few.verdict == planning_models.TOO_FEW
    assert few.search_weight < planning_models.EVIDENCE
    assert checks.aicc(-1.0, 8, 9) is None
    assert sum(planning_models.fit([make_choice([(0, 9)], 1)] * 5).weights.values()) == pytest.approx(1)


# Predictive checks


def test_simulated_choices_follow_the_probabilities():
    chances = np.array([[0.7, 0.2, 0.1, 0.0], [0.0, 0.5, 0.5, 0.0]])
    drawn = planning_checks.draw_choices(chances, 20_000, 1)
    shares = [np.bincount(column, minlength=4) / len(drawn) for column in drawn.T]
    assert np.array(shares) == pytest.approx(chances, abs=0.015)


def test_statistics_are_means_over_choices():
    moves = tuple((int(number == 1), 0, int(number == 2), 0, 0, 0) for number in range(3))
    one = make_choice([(5, 5, 0), (0, 7, 4)], 1)._replace(features=moves)
    data = make_data([one, one._replace(chosen=2)])
    checked = planning_checks.check_predictions("random", planning_models.Estimate({}, 0.0), data)
    observed = {name: check.observed for name, check in checked.items()}
    assert observed == {"best_share": 0.5, "loss": 1.5, "pick_up_share": 0.5, "trump_share": 0.5}
    assert checked["loss"].simulated == pytest.approx((7 + 0 + 3) / 3, abs=0.3)


def test_checks_reject_only_the_wrong_model():
    """A model of random moves picks up more often than greedy players."""
    data = make_data(chosen("greedy", 0))
    right, wrong = (
        planning_checks.check_predictions(name, planning_models.estimate(BY_NAME[name], data), data)
        for name in ("greedy", "random")
    )
    assert min(check.p for check in right.values()) > 0.05
    assert wrong["pick_up_share"].p < 0.02


# Recovery


def softmax(depth):
    return lambda now, earlier, chance: planning.softmax_move(now, earlier, depth, chance)


PLAYERS = {
    "random": lambda now, _earlier, chance: random_move(now, chance),
    "always_greedy": lambda now, _earlier, _chance: greedy_move(now),
    **{
        name: lambda now, earlier, chance, name=name: heuristic_move(name, now, earlier, chance)
        for name in HEURISTICS
    },
    **{f"softmax_{depth}": softmax(depth) for depth in (0, 2, 4)},
}


def overlooking(now, earlier, chance):
    """Draws a move of a player who drops each feature at 3 of 10 choices."""
    dropped = frozenset(feature for feature in sorted(SUBSETS[-1]) if chance.random() < 0.3)
    return planning.softmax_move(now, earlier, 2, chance, 2, Variant(dropped))


PLAYERS["overlooking"] = overlooking


@cache
def chosen(player, number, games=9, size=3, variants=()):
    """Returns the choices of a simulated player in some games against the greedy player."""
    moves = []
    for game in range(games):
        chance = Random(f"{player}, {number}, {game}")
        now, earlier = start(draw_deal(f"{number}, {game}", size, game % 2)), []
        while now.winner is None and len(earlier) < 40:
            if now.mover == 0:
                move = greedy_move(now)
            else:
                move = PLAYERS[player](now, earlier, chance)
                if len(legal_moves(now)) > 1:
                    moves.append(planning.choice(now, earlier, move, range(6), 3_000, variants))
            earlier.append(now)
            now = apply(now, move)
    return moves


@pytest.mark.parametrize("player", ["random", "always_greedy", *HEURISTICS, "softmax_0"])
def test_players_without_search_are_not_called_deep(player):
    for number in range(3):
        assert planning_models.fit(chosen(player, number)).verdict == planning_models.NO_EVIDENCE


@pytest.mark.parametrize("depth", [2, 4])
def test_fit_recovers_simulated_players_depth(depth):
    for number in range(3):
        fit = planning_models.fit(chosen(f"softmax_{depth}", number))
        assert fit.verdict == planning_models.SEARCH
        assert (fit.depth, fit.low <= depth <= fit.high) == (depth, True)
        assert planning.NOISE / 4 < fit.at_depth.values["noise"] < 4 * planning.NOISE
        assert fit.at_depth.values["lapse"] < 0.2
        assert fit.gain > 0.3


def test_fit_recovers_a_players_drop_out():
    fit = planning_models.fit(chosen("overlooking", 1, 6, 5, VARIANTS))
    assert (fit.verdict, fit.depth) == (planning_models.SEARCH, 2)
    assert fit.at_depth.values["drop_out"] == pytest.approx(0.3, abs=0.15)
    assert fit.weights["search_2_drop_out"] > 20 * fit.weights["search_2"]
