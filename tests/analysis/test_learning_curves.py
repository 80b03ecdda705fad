"""Tests learning curves: the likelihood, recovery of parameters and forms, and flat series."""

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import differential_evolution
from scipy.stats import multivariate_normal

from cardlab.analysis.learning_curves import MIN_HANDS, SHAPES, best_curve, fit_curves

HANDS = np.arange(1, 41)


def draw_errors(rng, correlation, deviation=0.3):
    """Returns the stationary AR(1) errors of the logarithms of 40 times."""
    lags = np.abs(HANDS[:, None] - HANDS)
    return rng.multivariate_normal(np.zeros(40), deviation**2 * correlation**lags)


def count_forms(times, correlation, series=24):
    """Returns how often each form is the best account of the times with lognormal errors."""
    rng = np.random.default_rng(5)
    return Counter(
        best_curve(fit_curves(HANDS, times * np.exp(draw_errors(rng, correlation)))).form
        for _ in range(series)
    )


@pytest.mark.parametrize(
    ("form", "shape"), [("power", HANDS**-0.4), ("exponential", np.exp(0.4 - 0.4 * HANDS))]
)
def test_nearly_noiseless_curve_is_recovered(form, shape):
    times = 0.8 + 2 * shape
    curve = best_curve(fit_curves(HANDS, times * np.exp(draw_errors(np.random.default_rng(1), 0, 1e-3))))
    assert curve.form == form
    assert (curve.asymptote, curve.gain, curve.rate) == pytest.approx((0.8, 2, 0.4), rel=0.03)
    assert curve.predict(HANDS) == pytest.approx(times, rel=5e-3)
    assert curve.log_sd == pytest.approx(1e-3, rel=0.4)


@pytest.mark.parametrize(("gain", "correlation", "seed"), [(4, 0.6, 2), (0, 0, 1)])
@pytest.mark.parametrize("form", ["constant", *SHAPES])
def test_aicc_is_that_of_the_normal_density(form, gain, correlation, seed):
    """A correlation of exactly 0 is no parameter."""
    logs = np.log(1 + gain * HANDS**-0.5) + draw_errors(np.random.default_rng(seed), correlation)
    curve = next(one for one in fit_curves(HANDS, np.exp(logs)) if one.form == form)
    lags = np.abs(HANDS[:, None] - HANDS)
    density = multivariate_normal(np.log(curve.predict(HANDS)), curve.log_sd**2 * curve.correlation**lags)
    k = (2 if form == "constant" else 4) + (correlation > 0)
    assert curve.aicc == pytest.approx(-2 * density.logpdf(logs) + 2 * k + 2 * k * (k + 1) / (40 - k - 1))
    assert (curve.correlation > 0.2) if correlation else (curve.correlation == 0)


@pytest.mark.parametrize("form", SHAPES)
def test_global_optimizer_finds_no_better_fit(form):
    logs = np.log(1 + 4 * SHAPES[form](HANDS.astype(float), 0.3)) + draw_errors(np.random.default_rng(3), 0.4)
    lags = np.abs(HANDS[:, None] - HANDS)

    def deviance(point):
        asymptote, gain, log_rate, correlation, deviation = point
        means = np.log(asymptote + gain * SHAPES[form](HANDS.astype(float), np.exp(log_rate)))
        return -2 * multivariate_normal.logpdf(logs, means, deviation**2 * correlation**lags)

    bounds = [(1e-3, 9), (1e-3, 20), (np.log(0.01), np.log(5)), (0, 0.9), (0.05, 1)]
    theirs = differential_evolution(deviance, bounds, seed=1, maxiter=40, popsize=5, polish=False).fun
    own = next(one for one in fit_curves(HANDS, np.exp(logs)) if one.form == form)
    assert own.aicc <= theirs + 10 + 60 / 34 + 1e-3


@pytest.mark.parametrize("correlation", [0, 0.5])
def test_flat_series_are_seldom_called_learning(correlation):
    assert count_forms(np.full(40, 5.0), correlation)["constant"] >= 22


def test_power_law_wins_despite_lognormal_noise():
    assert count_forms(10 * HANDS**-0.5, 0)["power"] >= 18  # 78 % with known curves and noise


def test_exponential_wins_despite_lognormal_noise():
    assert count_forms(1 + 9 * np.exp(-0.1 * (HANDS - 1.0)), 0)["exponential"] >= 19


def test_slowdown_has_no_negative_gain():
    constant, *others = fit_curves(HANDS, HANDS * 1.0)
    assert all(not curve.gain < 0 and curve.asymptote >= 0 for curve in others)
    assert best_curve([constant, *others]) == constant


def test_learning_needs_a_clear_advantage():
    constant, power, exponential = fit_curves(HANDS, np.exp(draw_errors(np.random.default_rng(4), 0)))
    for curve, margin in ((power, 3), (exponential, 4.2)):
        for advantage, is_better in ((margin - 0.1, False), (margin + 0.1, True)):
            best = best_curve([constant, curve._replace(aicc=constant.aicc - advantage)])
            assert best.form == (curve.form if is_better else "constant")


def test_extreme_times_keep_parameters_within_their_limits():
    at_once = [100.0] + [1.0] * 20 + [1.01] * 19
    falling, wandering = HANDS**-3.0, np.exp(np.random.default_rng(1).normal(size=40).cumsum())
    for times in (at_once, falling, wandering):
        constant, *others = fit_curves(HANDS, times)
        assert 0 <= constant.correlation <= 0.95
        for curve in others:
            assert 0 <= curve.correlation <= 0.95
            assert 0.01 <= curve.rate < 5 + 1e-9
            assert curve.asymptote > 0
            assert curve.gain >= 0


def test_order_of_hands_does_not_matter():
    times = np.exp(draw_errors(np.random.default_rng(4), 0.5))
    assert fit_curves(HANDS[::-1], times[::-1]) == fit_curves(HANDS, times)


def test_too_few_or_equal_values_give_no_fit():
    assert fit_curves(HANDS[: MIN_HANDS - 1], HANDS[: MIN_HANDS - 1] * 1.0) == []
    assert fit_curves(HANDS, np.ones(40)) == []
    assert len(fit_curves(HANDS, np.where(HANDS > 8, np.nan, 1 / HANDS))) == 3
    assert fit_curves(HANDS, np.where(HANDS > 7, 0, 1 / HANDS)) == []
