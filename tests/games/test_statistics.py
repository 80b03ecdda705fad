"""Compares small statistics with hand-computed examples and with numpy and scipy."""

from math import isclose, log2

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from cardlab.games.performance import cached_for_rows
from cardlab.games.statistics import (
    change_between_halves,
    entropy,
    mean,
    number,
    numbers,
    power_law,
    ratio,
    residual_variance,
    share,
)

values = st.lists(st.floats(-1e6, 1e6), max_size=12)
values_of_points = st.integers(-5, 5)
things = st.lists(st.sampled_from(["422", "442", "4", ""]), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("cells", "found"),
    [({}, None), ({"moves": ""}, None), ({"moves": None}, None), ({"moves": 0}, 0), ({"moves": 2.5}, 2.5)],
)
def test_cell_without_a_number_is_none(cells, found):
    assert number(cells, "moves") == found


def test_empty_cells_of_a_column_are_left_out():
    rows = [{"moves": 4}, {}, {"moves": ""}, {"moves": 0}, {"moves": None}, {"moves": 6.5}]
    assert numbers(rows, "moves") == [4, 0, 6.5]


def test_empty_series_have_no_statistics():
    assert [found([]) for found in (mean, share, entropy, power_law, change_between_halves)] == [None] * 5


@given(values.filter(bool))
def test_mean_equals_numpys(found):
    assert mean(found) == pytest.approx(np.mean(found), abs=1e-6)


def test_share_counts_true_values():
    assert share([True, False, 1, 0, "422", ""]) == 0.5
    assert share(truth for truth in (False,)) == 0


@pytest.mark.parametrize(
    ("part", "whole", "found"), [(3, 4, 0.75), (0, 4, 0), (3, 0, None), (None, 4, None), (3, None, None)]
)
def test_ratio_to_zero_or_nothing_is_none(part, whole, found):
    assert ratio(part, whole) == found


@pytest.mark.parametrize(
    ("listed", "bits"),
    [("a", 0), ("aaaa", 0), ("ab", 1), ("abcd", 2), ("aaab", 2 - 0.75 * log2(3)), ("aabc", 1.5)],
)
def test_entropy_of_known_lists_is_exact(listed, bits):
    assert entropy(listed) == pytest.approx(bits)


@given(things)
def test_entropy_equals_scipys_and_stays_in_range(found):
    _kinds, counts = np.unique(found, return_counts=True)
    bits = entropy(found)
    assert bits == pytest.approx(scipy.stats.entropy(counts, base=2))
    assert 0 <= bits <= log2(len(counts)) + 1e-9


@given(things, st.randoms(use_true_random=False))
def test_entropy_ignores_order(found, chance):
    mixed = chance.sample(found, len(found))
    assert isclose(entropy(found), entropy(mixed), abs_tol=1e-12)


@given(
    st.floats(0.01, 100),
    st.floats(-3, 3),
    st.lists(st.integers(1, 64), min_size=3, max_size=20).filter(lambda places: len(set(places)) > 1),
)
def test_points_on_a_power_law_have_its_exponent(a, b, places):
    assert power_law([(x, a * x**b) for x in places]) == pytest.approx(b, abs=1e-6)


@given(st.lists(st.tuples(st.integers(1, 64), st.floats(0.01, 1e4)), min_size=3, max_size=30))
def test_exponent_equals_numpys_log_log_slope(points):
    assume(len({x for x, _y in points}) > 1)
    slope, _intercept = np.polyfit(*np.log(np.array(points, dtype=float)).T, 1)
    assert power_law(points) == pytest.approx(slope, abs=1e-6)


def test_points_without_a_logarithm_are_left_out():
    law = [(1, 8.0), (2, 4.0), (4, 2.0)]
    assert power_law([(3, 0.0), *law, (0, 5.0), (5, -1.0)]) == pytest.approx(-1)
    assert power_law([(3, 0.0), *law[:2]]) is None


def test_constant_x_has_no_slope():
    assert power_law([(2, 1.0), (2, 5.0), (2, 3.0)]) is None


@pytest.mark.parametrize(
    ("series", "found"),
    [([5], None), ([5, 3], -2), ([1, 100, 3], 2), ([1, 3, 4, 8], 4), ([1, 3, 100, 4, 8], 4)],
)
def test_change_compares_halves_without_the_middle(series, found):
    assert change_between_halves(series) == found


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20))
def test_reversed_series_has_the_opposite_change(series):
    assert change_between_halves(series) == pytest.approx(-change_between_halves(series[::-1]))


def test_cache_belongs_to_the_very_same_rows():
    computed = []

    @cached_for_rows
    def longest(rows, least):
        computed.append(len(rows))
        return max(least, len(rows))

    rows = [{}]
    assert [longest(rows, 0), longest(rows, 0), longest(rows, 5), longest([{}], 5)] == [1, 1, 5, 5]
    assert computed == [1, 1, 1]
    rows.append({})
    assert (longest(rows, 0), longest(rows, 0), computed) == (2, 2, [1, 1, 1, 2])


@given(st.lists(st.tuples(values_of_points, values_of_points, values_of_points), min_size=1, max_size=9))
def test_residual_variance_is_that_of_least_squares(points):
    design = np.array([[1.0, x, z] for _y, x, z in points])
    y = np.array([y for y, _x, _z in points])
    rank = np.linalg.matrix_rank(design)
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    expected = left @ left / (len(y) - rank) if len(y) > rank else None
    assert residual_variance(*zip(*points)) == (expected and pytest.approx(expected, abs=1e-8))
