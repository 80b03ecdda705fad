"""Tests learning curves: recovery of parameters, scipy's optimizer, and the choice of the form."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from cardlab.analysis.learning_curves import MIN_HANDS, SHAPES, best_curve, fit_curves

HANDS = np.arange(1, 33)


@pytest.mark.parametrize("form", SHAPES)
def test_noiseless_curve_is_recovered(form):
    values = 0.8 + 2 * SHAPES[form](HANDS.astype(float), 0.4)
    curve = best_curve(fit_curves(HANDS, values))
    assert curve.form == form
    assert (curve.asymptote, curve.gain, curve.rate) == pytest.approx((0.8, 2, 0.4), abs=1e-3)
    assert curve.predict(HANDS) == pytest.approx(values, abs=1e-3)


@pytest.mark.parametrize("form", SHAPES)
def test_fit_has_the_smallest_residual(form):
    rng = np.random.default_rng(2)
    values = 1 + 1.5 * SHAPES[form](HANDS.astype(float), 0.3) + rng.normal(0, 0.1, 32)
    own = next(curve for curve in fit_curves(HANDS, values) if curve.form == form)
    theirs, _covariance = curve_fit(
        lambda n, a, b, c: a + b * SHAPES[form](n, c), HANDS.astype(float), values, (1, 1, 0.2), bounds=(0, 9)
    )
    rss = ((values - theirs[0] - theirs[1] * SHAPES[form](HANDS.astype(float), theirs[2])) ** 2).sum()
    assert own.rss <= rss * (1 + 1e-6)
    assert own.aic == pytest.approx(32 * np.log(own.rss / 32) + 8)


def test_constant_fits_best_without_learning():
    values = np.random.default_rng(6).normal(2, 0.3, 32)
    constant, *others = fit_curves(HANDS, values)
    assert best_curve([constant, *others]) == constant
    assert constant.asymptote == pytest.approx(values.mean())
    assert all(curve.rss <= constant.rss + 1e-9 for curve in others)
    assert [*constant.predict([1, 2])] == [constant.asymptote] * 2


def test_slowdown_has_no_negative_gain():
    assert all(not curve.gain < 0 and curve.asymptote >= 0 for curve in fit_curves(HANDS, HANDS * 1.0))


def test_too_few_or_equal_values_give_no_fit():
    assert fit_curves(HANDS[: MIN_HANDS - 1], HANDS[: MIN_HANDS - 1] * 1.0) == []
    assert fit_curves(HANDS, np.ones(32)) == []
    assert len(fit_curves(HANDS, np.where(HANDS > 9, np.nan, 1 / HANDS))) == 3
