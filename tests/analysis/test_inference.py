"""Compares intervals and tests with published values, other libraries, properties and simulations."""

from itertools import combinations, product
from math import comb, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.api import OLS
from statsmodels.duration.survfunc import CumIncidenceRight

from cardlab.analysis.inference import difference_test, time_to_event
from cardlab.analysis.inference.bayes_factors import SCALE, bayes_factor
from cardlab.analysis.inference.clusters import ClusteredSample, expanded_tail, find_clusters
from cardlab.analysis.inference.comparisons import (
    benjamini_hochberg,
    compare_conditions,
    hedges_g,
    holm,
    rank_biserial,
)
from cardlab.analysis.inference.difference_test import PAIRED, PERMUTATION, WELCH, create_test, difference_p
from cardlab.analysis.inference.intervals import (
    BOOTSTRAP,
    BOUNDS,
    NEWCOMBE,
    NONE,
    STUDENT,
    WILSON,
    WILSON_EFFECTIVE,
    WILSON_OF_CLUSTERS,
    estimate_interval,
    rank_correlation,
    wilson_interval,
)

shares = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 9)), min_size=1, max_size=24)
numbers = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=24)

SHARE = (0, 1)  # bounds of a share


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval_equals_newcombes_published_limits(successes, n, low, high):
    found = wilson_interval(successes, n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.estimate == successes / n


@given(st.integers(1, 400), st.data())
def test_wilson_interval_equals_scipys(n, data):
    successes = data.draw(st.integers(0, n))
    theirs = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson_interval(successes, n)[1:3] == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_empty_sample_has_no_interval():
    for interval in (wilson_interval(0, 0), estimate_interval([], []), estimate_interval([nan], ["a"])):
        assert isnan(interval.estimate)
        assert isnan(interval.low)
        assert (interval.n, interval.clusters, interval.method) == (0, 0, NONE)


@settings(max_examples=60, deadline=None)
@given(shares)
def test_share_interval_stays_possible_and_has_width(rows):
    found = estimate_interval(*zip(*rows), SHARE)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.high - found.low > 0.005


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_mean_interval_stays_possible_or_is_missing(rows):
    interval = estimate_interval(*zip(*rows), within=(0, 6))
    if interval.method == NONE:
        assert isnan(interval.low)
        assert isnan(interval.high)
    else:
        assert 0 <= interval.low < interval.high <= 6
        assert interval.low <= interval.estimate <= interval.high


@settings(max_examples=30, deadline=None)
@given(numbers, st.randoms(use_true_random=False))
def test_row_order_and_cluster_names_do_not_matter(rows, random):
    again = random.sample(rows, len(rows))
    values, clusters = zip(*again)
    renamed = estimate_interval(values, [f"person {cluster}" for cluster in clusters])
    assert renamed == pytest.approx(estimate_interval(*zip(*rows)), nan_ok=True)


@pytest.mark.parametrize(
    ("values", "clusters", "within", "method"),
    [
        ([1, 0, 1], "abc", SHARE, WILSON),
        ([1, 0, 1] * 4, range(12), SHARE, WILSON),
        ([1, 0, 1], "aab", SHARE, WILSON_OF_CLUSTERS),
        ([1] * 14, "abcdefg" * 2, SHARE, WILSON_OF_CLUSTERS),
        ([1, 0] + [1] * 12, "abcdefg" * 2, SHARE, WILSON_EFFECTIVE),
        ([0.5, 0.1, 1], "abc", SHARE, WILSON_OF_CLUSTERS),
        ([5, 1, 2], "abc", BOUNDS, STUDENT),
        ([5, 1], "ab", BOUNDS, STUDENT),
        ([1, 0] + [1] * 10, "abcdef" * 2, SHARE, WILSON_EFFECTIVE),
        ([5, 1, 2] * 2, range(6), BOUNDS, BOOTSTRAP),
        ([5, 5, 5] * 2, range(6), BOUNDS, NONE),
        ([5, 1, 2], "aaa", BOUNDS, NONE),
    ],
)
def test_data_determine_the_interval_method(values, clusters, within, method):
    assert estimate_interval(values, [*clusters], within).method == method


def test_equal_means_agree_despite_rounding_errors():
    """In clusters of different sizes."""
    numbers = [1e6 + 0.1, 1e6 + 0.7, 1e6 + 0.4]
    assert ClusteredSample.create(numbers, [*"aab"]).is_constant
    assert not ClusteredSample.create([*numbers, 1e6], [*"aabb"]).is_constant


def test_single_value_has_no_deviation():
    assert ClusteredSample.create([1, 2], [*"ab"]).deviation == pytest.approx(np.sqrt(0.5))
    assert isnan(ClusteredSample.create([1], ["a"]).deviation)


def test_share_interval_solves_wilsons_equation():
    """Identical values within each of 8 people count as 7 independent values."""
    values, people = np.repeat([1, 0, 1, 1, 0, 1, 1, 1], 5), np.repeat(np.arange(8), 5)
    share, *bounds = estimate_interval(values, people, SHARE)[:3]
    for bound in bounds:
        assert (share - bound) ** 2 == pytest.approx(stats.t.ppf(0.975, 7) ** 2 / 7 * bound * (1 - bound))


def test_small_samples_use_a_truncated_student_interval():
    values = [0, 1, 5]
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert estimate_interval(values, [*"abc"])[1:3] == pytest.approx((low, high))
    assert low < 0
    assert estimate_interval(values, [*"abc"], within=(0, np.inf))[1:3] == pytest.approx((0, high))


def test_bootstrap_equals_scipys_with_wider_percentiles():
    values = np.random.default_rng(5).exponential(size=25)
    tail = stats.norm.cdf(-stats.t.ppf(0.975, 24) * np.sqrt(25 / 24))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=6000, method="percentile", confidence_level=1 - 2 * tail, rng=1
    ).confidence_interval
    ours = estimate_interval(values, np.arange(25))
    assert ours.method == BOOTSTRAP
    assert ours[1:3] == pytest.approx((theirs.low, theirs.high), abs=0.03)


@pytest.mark.parametrize(("people", "t"), [(6, 2.571), (10, 2.262), (20, 2.093), (1000, 1.962)])
def test_percentiles_of_small_samples_are_widened(people, t):
    """The expanded percentile interval of Hesterberg 2015 ("What teachers should know about the bootstrap"),
    with t at n − 1 degrees of freedom as printed in tables."""
    tail = stats.norm.cdf(-t * np.sqrt(people / (people - 1)))
    assert expanded_tail(people) == pytest.approx(tail, rel=0.005)


def test_small_sample_interval_is_close_to_students():
    """A normal quantile instead of t would make it a fifth too narrow."""
    values = stats.norm.ppf((np.arange(8) + 0.5) / 8)
    low, high = stats.t.interval(0.95, 7, np.mean(values), stats.sem(values))
    found = estimate_interval(values, np.arange(8))
    assert found.method == BOOTSTRAP
    assert (found.high - found.low) / (high - low) == pytest.approx(1, abs=0.08)


def test_repeated_values_add_no_certainty():
    values = np.random.default_rng(5).normal(size=12)
    once, again = (
        estimate_interval(np.repeat(values, times), np.repeat(np.arange(12), times)) for times in (1, 10)
    )
    assert again[:3] == pytest.approx(once[:3])
    assert (once.n, again.n, again.clusters) == (12, 120, 12)


def test_invalid_arguments_raise_errors():
    with pytest.raises(ValueError, match="outside the possible range"):
        estimate_interval([2], [1], SHARE)
    with pytest.raises(ValueError, match="must have one cluster"):
        estimate_interval([1, 2], [1])


def test_co_players_form_one_cluster_transitively():
    people = ["a", "b", "b", "c", "d", "e", "d"]
    hands = [1, 1, 2, 2, 3, 3, 4]
    assert [*find_clusters(people, hands)] == [0, 0, 0, 0, 1, 1, 1]
    assert [*find_clusters(["a", "b", "a"], [1, 2, 3])] == [0, 1, 0]
    assert len(find_clusters([], [])) == 0


def _coverage(make, truth, **options):
    """Returns the share of 400 samples whose interval contains the true value."""
    rng = np.random.default_rng(7)
    found = [estimate_interval(*make(rng), **options) for _sample in range(400)]
    return np.mean([one.low <= truth <= one.high for one in found])


def test_intervals_have_their_nominal_coverage():
    def uneven(rng):  # heterogeneous participants with 1 to 8 hands each
        clusters = np.repeat(np.arange(12), rng.integers(1, 9, 12))
        return rng.normal(size=12)[clusters] + rng.normal(size=len(clusters)), clusters

    def habits(rng):  # people with different shares, 8 hands each
        return rng.binomial(1, np.repeat(rng.beta(3, 1, 20), 8)), np.repeat(np.arange(20), 8)

    assert 0.91 <= _coverage(uneven, 0) <= 0.99
    assert 0.91 <= _coverage(habits, 0.75, within=SHARE) <= 0.99


# Comparisons


def test_rank_correlation_interval_covers_the_truth():
    """Spearman's correlation of normal variables is 6 / π times the arcsine of half of Pearson's."""
    chance, inside = np.random.default_rng(5), []
    truth = 6 / np.pi * np.arcsin(0.5 / 2)
    for _sample in range(1_000):
        pairs = chance.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=20).T
        found = rank_correlation(*pairs, range(20))
        inside.append(found.low <= truth <= found.high)
    assert found.estimate == pytest.approx(stats.spearmanr(*pairs).statistic)
    assert 0.92 < np.mean(inside) < 0.98


def test_rank_correlation_needs_different_values_and_clusters():
    assert isnan(rank_correlation([1, 2, 3], [4, 4, 4], range(3)).estimate)
    three = rank_correlation([1, 2, nan, 3], [4, 6, 5, 5], range(4))
    assert (three.estimate, three.n) == (pytest.approx(0.5), 3)
    assert isnan(three.low)
    pairs = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5]
    alone, of_two = rank_correlation(*pairs, range(6)), rank_correlation(*pairs, [0, 0, 1, 1, 2, 3])
    assert of_two.low < alone.low < alone.high < of_two.high
    assert alone[:3] == pytest.approx((0.942857, 0.38265, 0.99614), abs=1e-5)  # z = 1.7632 ± 1.3600
    perfect = rank_correlation([1, 2, 3, 4], [2, 4, 6, 8], range(4))
    assert (perfect.estimate, perfect.n) == (pytest.approx(1), 4)
    assert isnan(perfect.low)
    assert rank_correlation([1, 2], [5, 3], range(2)).estimate == pytest.approx(-1)
    assert isnan(rank_correlation([1], [5], range(1)).estimate)
    assert rank_correlation([], [], [])[3:] == (0, 0, NONE)


def test_share_difference_has_newcombes_interval():
    values = [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32  # Newcombe 1998, example (a)
    conditions, people = ["a"] * 70 + ["b"] * 80, [*range(150)]
    (comparison,) = compare_conditions(values, conditions, people, within=(0, 1))
    assert comparison.difference == pytest.approx(0.2)
    of_one, of_other = wilson_interval(56, 70), wilson_interval(48, 80)
    assert (of_one.low, of_other.high) == pytest.approx((0.6924, 0.7003), abs=1e-3)
    values, people = [1] * 10 + [0] * 20, [*range(30)]  # example (g): 10/10 and 0/20
    (comparison,) = compare_conditions(values, ["a"] * 10 + ["b"] * 20, people, within=(0, 1))
    assert comparison.method == NEWCOMBE
    assert (comparison.low, comparison.high) == pytest.approx((0.6791, 1), abs=5e-5)
    (equal,) = compare_conditions([1] * 30, ["a"] * 10 + ["b"] * 20, people, within=(0, 1))
    assert (equal.difference, equal.p, equal.method) == (0, 1, NEWCOMBE)
    of_one, of_other = wilson_interval(10, 10), wilson_interval(20, 20)
    assert (equal.low, equal.high) == pytest.approx((of_one.low - 1, 1 - of_other.low))


def test_few_constant_shares_reject_nothing():
    """Newcombe's interval would exclude 0, but no permutation of four values can reject."""
    (few,) = compare_conditions([1, 1, 0, 0], [*"aabb"], range(4), within=(0, 1))
    assert (few.low, few.high) == (0, 1)
    assert few.p == pytest.approx(1 / 3)
    (equal,) = compare_conditions([1, 1, 1, 1], [*"aabb"], range(4), within=(0, 1))
    assert (equal.p, equal.low < 0 < equal.high) == (1, True)
    (single,) = compare_conditions([1, 1, 1], [*"abb"], range(3), within=(0, 1))
    assert (isnan(single.p), single.low < 0 < single.high) == (True, True)
    (mean,) = compare_conditions([2, 2, 2, 2], [*"aabb"], range(4))
    assert (mean.p, mean.method, isnan(mean.low)) == (1, NONE, True)


def test_one_varying_side_is_enough_for_the_test():
    values, conditions = [1] * 8 + [1, 0, 0, 1, 0, 0, 1, 0], ["a"] * 8 + ["b"] * 8
    for within in (SHARE, BOUNDS):
        (comparison,) = compare_conditions(values, conditions, range(16), within=within)
        assert comparison.method == PERMUTATION
        assert comparison.low < comparison.difference == 0.625


def test_equivalence_needs_values_that_vary():
    (shares,) = compare_conditions([1] * 8, [*"aaaabbbb"], range(8), within=SHARE, equivalence=0.1)
    (other,) = compare_conditions([1] * 4 + [0] * 4, [*"aaaabbbb"], range(8), within=SHARE, equivalence=2)
    assert (shares.method, other.method) == (NEWCOMBE, NEWCOMBE)
    assert isnan(shares.p_equivalence)
    assert isnan(other.p_equivalence)


def test_only_persons_with_both_conditions_are_compared():
    persons = [1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 6]
    conditions = [*"aaaabbbbabc"]
    values = [1, 2, 3, 5, 2, 4, 4, 9, 100, 200, nan]
    (comparison,) = compare_conditions(values, conditions, persons, persons=persons)
    assert (comparison.first, comparison.second) == ("a", "b")
    assert (comparison.n_first, comparison.n_second, comparison.difference) == (4, 4, -2)
    values[-1] = 7
    (_same, both) = compare_conditions(values, conditions, persons, persons=persons)
    assert (both.first, both.second, both.n_first, both.n_second) == ("b", "c", 1, 1)


def test_mean_difference_interval_is_close_to_welchs():
    rng = np.random.default_rng(3)
    one, other = rng.normal(1, 1, 40), rng.normal(0, 2, 25)
    values, conditions = np.concatenate([one, other]), ["a"] * 40 + ["b"] * 25
    (comparison,) = compare_conditions(values, conditions, np.arange(65))
    welch = stats.ttest_ind(one, other, equal_var=False)
    theirs = welch.confidence_interval()
    assert comparison.method == PERMUTATION
    assert (comparison.low, comparison.high) == pytest.approx((theirs.low, theirs.high), abs=0.12)
    assert comparison.p == pytest.approx(welch.pvalue, abs=0.02)
    (few,) = compare_conditions(values[38:43], conditions[38:43], np.arange(5))
    welch = stats.ttest_ind(one[38:], other[:3], equal_var=False)
    assert few.method == WELCH
    assert (few.low, few.high) == pytest.approx([*welch.confidence_interval()])
    assert few.p == pytest.approx(welch.pvalue)


def test_interval_has_the_differences_that_are_not_rejected():
    rng = np.random.default_rng(12)
    values, first, people = rng.normal(size=24), np.arange(24) < 9, np.arange(24)
    test = create_test(values, first, people)
    for bound, outwards in zip(test.interval(), (-1, 1)):
        inside, outside = bound - outwards * 1e-3, bound + outwards * 1e-3
        assert difference_p(values - inside * first, first, people) >= 0.05
        assert difference_p(values - outside * first, first, people) < 0.05


def test_few_clusters_are_tested_by_welchs_t():
    """Five permute in ten ways, so that no permutation could reject."""
    values, first = np.array([3.0, 5, 1, 2, 4]), np.arange(5) < 2
    test = create_test(values, first, np.arange(5))
    assert test.method == WELCH
    for bound in test.interval():
        assert test.p(bound) == pytest.approx(0.05)
    theirs = [
        stats.ttest_ind(values[first] + shift, values[~first], equal_var=False, alternative=side).pvalue
        for shift, side in ((4, "greater"), (-4, "less"))
    ]
    assert test.equivalence_p(4) == pytest.approx(max(theirs))


@pytest.mark.parametrize("is_crossed", [False, True])
def test_standard_error_is_robust_to_clusters(is_crossed):
    """It equals that of a regression with clusters of different sizes, corrected for their number."""
    rng = np.random.default_rng(15)
    clusters = np.repeat(np.arange(16), rng.integers(1, 6, 16))
    first = rng.random(len(clusters)) < 0.4 if is_crossed else clusters % 2 == 0
    values = rng.normal(size=16)[clusters] + rng.normal(size=len(clusters)) + first
    test, size = create_test(values, first, clusters), 16 if is_crossed else 8
    fitted = OLS(values, np.column_stack([np.ones(len(first)), first])).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert test.difference == pytest.approx(fitted.params[1])
    assert test.standard_error == pytest.approx(fitted.bse[1] * np.sqrt(size / (size - 1)))


@pytest.mark.parametrize("sizes", [(2, 3), (4, 4), (5, 12), (25, 40)])
@pytest.mark.parametrize("is_crossed", [False, True])
def test_interval_and_p_never_contradict_each_other(sizes, is_crossed):
    rng = np.random.default_rng(sum(sizes))
    first = np.arange(sum(sizes)) < sizes[0]
    people = np.where(first, np.arange(sum(sizes)), np.arange(sum(sizes)) - sizes[0] * is_crossed)
    for kind in range(30):
        values = rng.exponential(size=len(first)) * np.where(first, 1, 3) + rng.normal() * first
        if kind % 3 == 0:
            values = np.round(values)  # with ties
        if kind % 5 == 0:
            values = (values > 1).astype(float)
        within = (0, 1) if kind % 5 == 0 else (-np.inf, np.inf)
        for one in compare_conditions(values, np.where(first, "a", "b"), people, 500, within):
            assert isnan(one.low) or (one.p <= 0.05) == (one.low > 0 or one.high < 0)


def test_p_at_the_level_excludes_0():
    """Eleven of 220 permutations are as extreme: p is exactly 0.05."""
    values = [1.4, 3.6, 1.8, 2.9, 0.7, 0.5, 0.0, 0.4, 1.2, 0.0, 0.5, 0.1]
    (one,) = compare_conditions(values, ["a"] * 3 + ["b"] * 9, range(12))
    assert (one.p, one.low > 0) == (0.05, True)


def test_equivalence_is_the_larger_of_two_tests():
    rng = np.random.default_rng(13)
    values, first = rng.normal(size=40), np.arange(40) < 20
    between = create_test(values, first, np.arange(40))
    theirs = [
        stats.ttest_ind(values[first] + shift, values[~first], equal_var=False, alternative=side).pvalue
        for shift, side in ((0.9, "greater"), (-0.9, "less"))
    ]
    assert between.equivalence_p(0.9) == pytest.approx(max(theirs), abs=0.02)
    within = create_test(values, first, np.arange(40) % 20)
    low, high = within.interval()
    assert within.equivalence_p(max(-low, high)) == pytest.approx(0.025)
    assert within.equivalence_p(2 * max(-low, high)) < 0.025


def test_three_conditions_are_compared_pairwise_with_adjusted_p():
    values = [1, 2, 3, 4, 2, 3, 4, 6, 7, 8, 9, 11]
    comparisons = compare_conditions(values, [*"aaaabbbbcccc"], range(12))
    assert [(one.first, one.second) for one in comparisons] == [*combinations("abc", 2)]
    assert comparisons[1].difference == -6.25
    assert (comparisons[0].n_first, comparisons[0].clusters_second) == (4, 4)
    assert [one.p_holm for one in comparisons] == pytest.approx(holm([one.p for one in comparisons]))


def test_one_condition_gives_no_comparison():
    assert compare_conditions([1, 2], ["a", "a"], [1, 2]) == []


def corrected(t, skewness):
    """Returns Hall's transformation in its form as a power."""
    return t if not skewness else 3 / skewness * ((1 + skewness * t / 3) ** 3 - 1) / 3 + skewness / 6


def third_cumulant(values):
    """Returns the estimated third cumulant of the mean; 0 for two values."""
    return stats.kstat(values, 3) / len(values) ** 2 if len(values) > 2 else 0


def corrected_welch(one, other):
    error = np.sqrt(np.var(one, ddof=1) / len(one) + np.var(other, ddof=1) / len(other))
    skewness = (third_cumulant(one) - third_cumulant(other)) / error**3
    return corrected((np.mean(one) - np.mean(other)) / error, skewness)


@pytest.mark.parametrize("sizes", [(4, 6), (3, 5), (2, 10)])
@pytest.mark.parametrize("is_constant", [False, True])
def test_exact_permutation_test_equals_scipys(sizes, is_constant):
    """Also if one side does not vary."""
    people = np.arange(sum(sizes))
    first = people < sizes[0]
    values = np.random.default_rng(4).exponential(size=len(people))
    if is_constant:
        values[first] = 2
    theirs = stats.permutation_test(
        (values[first], values[~first]),
        lambda one, other: abs(corrected_welch(one, other)),
        alternative="greater",
        vectorized=False,
    )
    assert create_test(values, first, people).method == PERMUTATION
    assert difference_p(values, first, people) == pytest.approx(theirs.pvalue)


def test_paired_t_is_corrected_for_skewness():
    rng = np.random.default_rng(4)
    differences, own = rng.exponential(size=9), 5 * rng.normal(size=9)
    test = create_test([*(own + differences), *own], np.arange(18) < 9, np.arange(18) % 9)
    error = stats.sem(differences)
    t = corrected(differences.mean() / error, stats.kstat(differences, 3) / 81 / error**3)
    assert test.p() == pytest.approx(2 * stats.t.sf(abs(t), 7))  # the skewness is estimated, too
    assert test.p() < stats.ttest_1samp(differences, 0).pvalue  # a long tail of differences lies above 0
    for bound in test.interval():
        assert test.p(bound) == pytest.approx(0.05)


def test_symmetric_differences_keep_the_paired_t():
    differences = np.array([-2.0, -1, 0, 1, 2]) + 1.5
    test = create_test([*differences, *np.zeros(5)], np.arange(10) < 5, np.arange(10) % 5)
    error = stats.sem(differences)
    assert test.p() == pytest.approx(2 * stats.t.sf(1.5 / error, 3))
    assert test.interval() == pytest.approx([*stats.t.interval(0.95, 3, 1.5, error)])


def test_two_differences_have_one_degree_of_freedom():
    test = create_test([5.0, 2, 1, 1], [True, True, False, False], [0, 1, 0, 1])
    theirs = stats.ttest_1samp([4, 1], 0)
    assert test.p() == pytest.approx(theirs.pvalue)
    assert test.interval() == pytest.approx([*theirs.confidence_interval()])


@pytest.mark.parametrize("draw", ["exponential", "normal"])
def test_four_differences_reject_few_true_nulls(draw):
    """With one degree of freedom more, 8.5 % would be rejected if differences are exponential."""
    samples = getattr(np.random.default_rng(7), draw)(size=(2000, 4)) - (draw == "exponential")
    first, person = np.arange(8) < 4, np.arange(8) % 4
    rejected = [
        create_test([*differences, *np.zeros(4)], first, person).p() < 0.05 for differences in samples
    ]
    assert 0.02 <= np.mean(rejected) <= 0.07


def test_cluster_t_equals_welchs_for_single_values():
    values = np.random.default_rng(6).normal(size=12)
    side = (np.arange(12) < 5).astype(float)
    found = difference_test.compare_between_clusters(values, np.ones(12), side[None])
    difference, variance, third = (float(moment[0]) for moment in found)
    welch = stats.ttest_ind(values[:5], values[5:], equal_var=False).statistic
    assert difference / np.sqrt(variance) == pytest.approx(welch)
    assert third == pytest.approx(stats.kstat(values[:5], 3) / 25 - stats.kstat(values[5:], 3) / 49)
    within = create_test(values, np.arange(12) < 6, np.arange(12) % 6)
    paired = stats.ttest_rel(values[:6], values[6:]).statistic
    assert within.difference / within.standard_error == pytest.approx(paired)


@pytest.mark.parametrize("pairs", [2, 3, 4])
def test_few_pairs_keep_the_corrected_paired_t(pairs):
    """The skewness of two differences is always 0."""
    differences = np.array([1.0, 2, 6, 30])[:pairs]
    first = np.arange(2 * pairs) < pairs
    test = create_test([*differences, *np.zeros(pairs)], first, np.arange(2 * pairs) % pairs)
    error = stats.sem(differences)
    t = corrected(differences.mean() / error, third_cumulant(differences) / error**3)
    assert test.t(0) == pytest.approx(t)
    assert test.p() == pytest.approx(2 * stats.t.sf(abs(t), max(1, pairs - 2)))


def moments_of_mean(sums, counts):
    """Returns the mean of clusters of different sizes, its variance and its third moment."""
    mean, n, size = sums.sum() / counts.sum(), counts.sum(), len(sums)
    deviations = sums - mean * counts
    variance = size / (size - 1) * (deviations**2).sum() / n**2
    third = 0 if size < 3 else size**2 / ((size - 1) * (size - 2)) * (deviations**3).sum() / n**3
    return mean, variance, third


def test_moments_count_clusters_by_their_size():
    rng = np.random.default_rng(10)
    counts = rng.integers(1, 6, 11).astype(float)
    sums, side = rng.exponential(size=11) * counts, np.arange(11) < 5
    found = difference_test.compare_between_clusters(sums, counts, side[None].astype(float))
    (mean, variance, third), (other_mean, other_variance, other_third) = (
        moments_of_mean(sums[own], counts[own]) for own in (side, ~side)
    )
    theirs = mean - other_mean, variance + other_variance, third - other_third
    assert [float(moment[0]) for moment in found] == pytest.approx(theirs)


def test_few_clusters_of_different_sizes_have_welchs_freedom():
    clusters = np.repeat(np.arange(5), [1, 4, 2, 3, 5])
    values, first = np.random.default_rng(10).normal(size=15), clusters < 2
    sums, counts = np.bincount(clusters, values), np.bincount(clusters)
    mean, variance, _third = moments_of_mean(sums[:2], counts[:2])
    other_mean, other_variance, _third = moments_of_mean(sums[2:], counts[2:])
    both = variance + other_variance
    freedom = both**2 / (variance**2 / (2 - 1) + other_variance**2 / (3 - 1))
    t = (mean - other_mean) / np.sqrt(both)
    test = create_test(values, first, clusters)
    assert test.method == WELCH
    assert test.p() == pytest.approx(2 * stats.t.sf(abs(t), freedom))


@pytest.mark.parametrize("is_crossed", [False, True])
def test_a_large_constant_changes_no_test(is_crossed):
    """Times may be Unix milliseconds."""
    values, first = np.random.default_rng(4).exponential(size=24).round(3), np.arange(24) < 12
    people = np.arange(24) % 12 if is_crossed else np.arange(24)
    test, shifted = (create_test(values + constant, first, people) for constant in (0, 2e9))
    assert shifted.p() == pytest.approx(test.p(), abs=1e-4)
    assert shifted.interval() == pytest.approx(test.interval(), abs=1e-3)


@pytest.mark.parametrize("is_crossed", [False, True])
@pytest.mark.parametrize("unit", [1000, 0.001])
def test_units_scale_the_interval_and_keep_p(unit, is_crossed):
    values, first = np.random.default_rng(1).exponential(size=24), np.arange(24) < 12
    people = np.arange(24) % 12 if is_crossed else np.arange(24)
    test, scaled = (create_test(values * scale, first, people) for scale in (1, unit))
    assert scaled.p() == pytest.approx(test.p())
    assert [bound / unit for bound in scaled.interval()] == pytest.approx(test.interval())
    assert scaled.equivalence_p(0.9 * unit) == pytest.approx(test.equivalence_p(0.9))
    assert scaled.bayes_factor() == pytest.approx(test.bayes_factor())


def test_tiny_difference_has_a_usual_interval():
    """Its bounds are a million times as far from it as 0."""
    values, first = np.random.default_rng(4).normal(size=24), np.arange(24) < 12
    values[first] -= values[first].mean() - values[~first].mean()
    for difference in (-1e-6, 0, 1e-6):
        test = create_test(values + difference * first, first, np.arange(24))
        assert test.interval() == pytest.approx(
            create_test(values, first, np.arange(24)).interval(), abs=1e-3
        )
        assert test.p() > 0.9


def test_too_few_draws_reject_nothing():
    people = np.arange(40)
    test = create_test(people / 40, people < 20, people, draws=10)
    assert test.p() == pytest.approx(1 / 11)
    assert test.interval() == (-np.inf, np.inf)


@pytest.mark.parametrize("is_crossed", [False, True])
def test_intervals_of_skewed_values_cover_the_truth(is_crossed):
    """Without the correction, 90 of 100 intervals of the paired t contain the truth, and 88 of Welch's t."""
    rng, covered = np.random.default_rng(3), 0
    for _study in range(300):
        if is_crossed:
            own = 3 * rng.normal(size=12)
            values, first = np.concatenate([own + rng.exponential(size=12) - 1, own]), np.arange(24) < 12
            test = create_test(values, first, np.arange(24) % 12)
        else:
            first = np.arange(50) < 10
            values = (rng.exponential(size=50) - 1) * np.where(first, 3, 1)
            test = create_test(values, first, np.arange(50), draws=500)
        covered += test.p() >= 0.05
    assert 0.92 <= covered / 300 <= 0.98


@pytest.mark.parametrize(
    ("t", "size", "freedom", "published"), [(3.5, 10, 38, 26.743), (3.5, 20, 19, 17.185)]
)
def test_bayes_factor_equals_published_values(t, size, freedom, published):
    """Values from the documentation of pingouin.bayesfactor_ttest, for two groups of 20 and for 20 pairs."""
    assert bayes_factor(t, size, freedom) == pytest.approx(published, abs=0.001)


@pytest.mark.parametrize(("t", "size", "freedom"), [(0, 2, 2), (1.2, 6, 10), (-2.7, 12, 30), (4.5, 40, 78)])
def test_bayes_factor_averages_over_the_prior(t, size, freedom):
    """The likelihood of a difference is the noncentral t, averaged over the Cauchy prior."""

    def density(angle):
        effect = SCALE * np.tan(angle)  # uniform angles give Cauchy effects
        return stats.nct.pdf(t, freedom, effect * np.sqrt(size)) / np.pi

    peak = float(np.arctan(t / np.sqrt(size) / SCALE))
    likelihood = integrate.quad(density, -np.pi / 2, np.pi / 2, points=[peak], limit=500)[0]
    assert bayes_factor(t, size, freedom) == pytest.approx(likelihood / stats.t.pdf(t, freedom), rel=1e-3)


@pytest.mark.parametrize(("t", "size", "freedom"), [(nan, 3, 4), (1, np.inf, 4), (1, 3, nan), (1, 3, 0)])
def test_bayes_factor_needs_finite_numbers_and_freedom(t, size, freedom):
    assert isnan(bayes_factor(t, size, freedom))
    assert bayes_factor(1, 3, 1) > 0
    assert bayes_factor(1, 3, 0.5) > 0


def test_comparisons_have_bayes_factors():
    values = np.random.default_rng(6).normal(size=12)
    sides, pairs = np.repeat(["a", "b"], 6), np.tile(np.arange(6), 2)
    (between,) = compare_conditions(values, sides, np.arange(12))
    welch = stats.ttest_ind(values[:6], values[6:], equal_var=False).statistic
    assert between.bayes_factor == pytest.approx(bayes_factor(welch, 3, 10))
    (within,) = compare_conditions(values, sides, pairs)
    paired = stats.ttest_rel(values[:6], values[6:]).statistic
    assert within.bayes_factor == pytest.approx(bayes_factor(paired, 6, 5))


def test_constant_and_single_cluster_sides_have_expected_p():
    people = np.arange(8)
    assert isnan(difference_p([9, 1, 2, 3, 4, 5, 6, 7], people < 1, people))
    assert isnan(difference_p(np.arange(8.0), people < 4, np.where(people < 4, 0, people)))
    assert difference_p([0.1] * 8, people < 4, people) == 1
    assert difference_p([1, 2, 3, 4] * 2, people < 4, people) == 1
    assert difference_p([0.1] * 4 + [0.2] * 4, people < 4, people) == pytest.approx(2 / comb(8, 4))
    constant = create_test([3] * 4 + [1] * 4, people < 4, people)
    assert constant.p(2) == 1
    assert isnan(constant.bayes_factor())
    assert 0 < difference_p([1, 1, 1, 1, 2, 5, 3, 9], people < 4, people) <= 0.1
    first, pairs = np.arange(6) < 3, np.arange(6) % 3
    assert difference_p([3, 3, 3, 1, 1, 1], first, pairs) == pytest.approx(2 / 2**3)
    assert isnan(create_test([3, 3, 3, 1, 1, 1], first, pairs).bayes_factor())
    assert difference_p([1, 2, 3, 1, 2, 3], first, pairs) == 1
    assert difference_p([5, 5, 5, 5], np.arange(4) < 2, np.arange(4)) == 1


@pytest.mark.parametrize(
    ("one", "other", "sizes"), [(4.2, 0.3, (3, 3)), (8.3, 6.4, (2, 3)), (1.2, 3, (2, 2))]
)
def test_rounding_errors_are_no_variance(one, other, sizes):
    people = np.arange(sum(sizes))
    first = people < sizes[0]
    extreme = 1 + (sizes[0] == sizes[1])  # of the permutations, these are as extreme as the data
    assert difference_p(np.where(first, one, other), first, people) == extreme / comb(sum(sizes), sizes[0])


def test_true_null_is_rejected_at_the_nominal_rate():
    """The smaller condition varies more. A permutation of the difference itself rejects 20 of 100 studies."""
    rng, people = np.random.default_rng(3), np.arange(50)
    rejected = [
        difference_p(rng.normal(size=50) * np.where(people < 10, 3, 1), people < 10, people, draws=500) < 0.05
        for _study in range(300)
    ]
    assert 0.02 <= np.mean(rejected) <= 0.09


def test_sampled_permutation_p_is_never_zero():
    values, first = np.concatenate([np.zeros(20), np.ones(20)]), np.arange(40) < 20
    assert difference_p(values, first, np.arange(40)) == pytest.approx(1 / 2001)
    assert difference_p(values, first, np.arange(40) // 5) == pytest.approx(2 / 70)  # 8 groups, 4 and 4
    assert isnan(difference_p(values, first | True, np.arange(40)))
    assert difference_p([0] * 4 + [1] * 4, np.arange(8) < 4, np.arange(8), draws=70) == pytest.approx(2 / 70)


def test_p_is_uniform_without_a_difference():
    rng = np.random.default_rng(9)
    groups_of_two = np.repeat(np.arange(16), 2)
    p_values = [
        difference_p(
            rng.normal(size=16)[groups_of_two] + rng.normal(size=32), groups_of_two < 8, groups_of_two
        )
        for _sample in range(300)
    ]
    assert np.mean(np.array(p_values) < 0.05) < 0.09
    assert 0.4 < np.mean(p_values) < 0.6


def test_conditions_within_clusters_are_compared_within_clusters():
    person = np.arange(12)
    values = np.concatenate([person * 10.0, person * 10.0 + 1 + person % 2])
    (comparison,) = compare_conditions(values, ["a"] * 12 + ["b"] * 12, np.tile(person, 2))
    assert comparison.method == PAIRED
    assert -2 <= comparison.low < comparison.difference == pytest.approx(-1.5)
    assert comparison.high <= -1  # although people differ widely
    assert comparison.p < 0.001


def test_effect_sizes_equal_textbook_values():
    one, other = [5, 6, 7, 9], [1, 2, 4, 6, 3]
    pooled = np.sqrt((np.var(one, ddof=1) * 3 + np.var(other, ddof=1) * 4) / 7)
    assert hedges_g(one, other) == pytest.approx((6.75 - 3.2) / pooled * (1 - 3 / 27))
    pairs = [np.sign(a - b) for a, b in product(one, other)]
    assert rank_biserial(one, other) == pytest.approx(np.mean(pairs))
    assert isnan(hedges_g([1, 1], [1, 1]))
    assert isnan(hedges_g([1, 1], [2, 2]))
    assert isnan(hedges_g([1], [2]))
    assert hedges_g([0.5], [0.1, 0.2]) == pytest.approx(0.35 / np.sqrt(0.005) * (1 - 3 / 3))
    assert hedges_g([0.5], [0.1, 0.2, 0.3]) == pytest.approx(0.3 / np.sqrt(0.02 / 2) * (1 - 3 / 7))
    assert isnan(rank_biserial([], [1]))


def test_holm_adjustment_equals_his_example():
    assert holm([0.7, 0.6]) == [1, 1]
    assert holm([0.01, 0.04, 0.03, nan]) == pytest.approx([0.03, 0.06, 0.06, nan], nan_ok=True)


def test_false_discovery_adjustment_equals_a_textbook_example():
    assert benjamini_hochberg([0.01, 0.02, 0.03, nan, 0.5]) == pytest.approx(
        [0.04, 0.04, 0.04, nan, 0.5], nan_ok=True
    )
    assert isnan(benjamini_hochberg([nan])[0])


def test_equal_differences_have_no_interval():
    people = np.arange(6) % 3
    (comparison,) = compare_conditions([3, 4, 5, 1, 2, 3], [*"aaabbb"], people)
    assert (comparison.difference, comparison.method, comparison.p) == (2, NONE, 0.25)
    assert isnan(comparison.low)
    assert isnan(comparison.bayes_factor)


# Survival


def test_survival_equals_kaplan_meier_estimates():
    times, events = [3, 5, 5, 8, 8, 8, 10, 12], [1, 1, 0, 1, 1, 0, 0, 1]
    data = stats.CensoredData.right_censored(times, [not event for event in events])
    theirs = stats.ecdf(data).sf
    curve = time_to_event.estimate_survival(times, events, range(8))
    assert curve.survival == pytest.approx(theirs.evaluate(curve.time))
    assert [*curve.time] == [0, 3, 5, 8, 10, 12]
    assert [*curve.at_risk] == [8, 8, 7, 5, 2, 1]
    assert [*curve.events] == [0, 1, 1, 2, 0, 1]
    assert [*curve.censored] == [0, 0, 1, 1, 1, 0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(0, 8)), min_size=1, max_size=30))
def test_survival_bounds_are_possible_and_distinct(rows):
    curve = time_to_event.estimate_survival(*zip(*rows), draws=200)
    assert np.all((curve.low >= 0) & (curve.low <= curve.high) & (curve.high <= 1))
    assert np.all(np.diff(curve.survival) <= 0)
    assert np.all((curve.high - curve.low)[1:] > 0)


def test_identical_outcomes_still_have_uncertainty():
    times, people = [2, 4, 4, 6] * 10, np.repeat(np.arange(10), 4)
    found = time_to_event.estimate_survival(times, [True] * 40, people)
    assert found.survival == pytest.approx([1, 0.75, 0.25, 0])
    assert found.low[1] == pytest.approx(wilson_interval(7.5, 10).low)


def test_curve_without_events_still_has_uncertainty():
    found = time_to_event.estimate_survival([4] * 10, [False] * 10, range(10))
    assert [*found.survival] == [1, 1]
    assert found.low[-1] == pytest.approx(wilson_interval(10, 10).low)


def test_censored_clusters_leave_the_curve():
    """Two of twelve are censored before the end, so that ten clusters are left."""
    found = time_to_event.estimate_survival([1, 1] + [5] * 10, [False] * 12, range(12))
    assert found.low[-1] == pytest.approx(wilson_interval(10, 10).low)
    few = time_to_event.estimate_survival([2, 3, 5], [True, True, False], range(3))
    assert few.low[2] == pytest.approx(wilson_interval(1, 3).low)  # also those that ended before


def test_certain_ending_still_has_uncertainty():
    """The last one ends; bootstrap samples without that cluster would keep some survival."""
    times, events = [2] * 7 + [9], [True] * 4 + [False] * 3 + [True]
    found = time_to_event.estimate_survival(times, events, range(8))
    assert found.survival[-1] == found.low[-1] == 0
    assert found.high[-1] == pytest.approx(wilson_interval(0, 5).high)


def test_survival_without_censoring_has_bootstrap_bounds():
    times, people = np.random.default_rng(16).integers(1, 6, 42), np.repeat(np.arange(6), 7)
    curve = time_to_event.estimate_survival(times, [True] * 42, people)
    for time, *bounds in zip(curve.time[1:-1], curve.low[1:-1], curve.high[1:-1]):
        share = estimate_interval(times > time, people)
        assert share.method == BOOTSTRAP
        assert bounds == pytest.approx([share.low, share.high])


def test_confidence_band_starts_before_the_first_event():
    """Holds for few clusters too, which have Wilson's bounds, but not if an event happened at 0."""
    for people in (3, 12):
        curve = time_to_event.estimate_survival(
            [2, 3, 5] * 4, [True, True, False] * 4, np.arange(12) % people
        )
        assert (curve.survival[0], curve.low[0], curve.high[0]) == (1, 1, 1)
        assert curve.low[1] < curve.survival[1] < curve.high[1]
        (solved,) = time_to_event.estimate_incidence(
            [2, 3] * 6, ["solved"] * 12, np.arange(12) % people
        ).values()
        assert (solved.incidence[0], solved.low[0], solved.high[0]) == (0, 0, 0)
    at_once = time_to_event.estimate_survival([0, 3, 5], [True, True, False], range(3))
    assert at_once.survival[0] == pytest.approx(2 / 3)
    assert at_once.low[0] < 2 / 3 < at_once.high[0]


def test_cumulative_incidence_equals_aalen_johansen():
    rng = np.random.default_rng(8)
    times, status = rng.integers(1, 30, 200), rng.integers(0, 3, 200)
    theirs = CumIncidenceRight(times, status)
    names = np.array(["", "gave up", "solved"])
    estimate = time_to_event.estimate_incidence(times, names[status], np.arange(200) // 5)
    assert list(estimate) == ["gave up", "solved"]
    for own, other in zip(estimate.values(), theirs.cinc):
        at = np.searchsorted(own.time, theirs.times)
        assert own.incidence[at] == pytest.approx(other)
        assert np.all((own.low <= own.incidence) & (own.incidence <= own.high))
    whole = time_to_event.estimate_survival(times, status > 0, np.arange(200))
    assert whole.survival == pytest.approx(1 - sum(own.incidence for own in estimate.values()))


def test_competing_endings_are_not_treated_as_censoring():
    """Nine of twenty deals are solved; the others are given up later, when few are left."""
    times, causes = [*range(1, 10), *range(2, 13)], ["solved"] * 9 + ["gave up"] * 11
    solved = time_to_event.estimate_incidence(times, causes, range(20))["solved"]
    assert solved.incidence[-1] == pytest.approx(9 / 20)
    as_censored = time_to_event.estimate_survival(times, [cause == "solved" for cause in causes], range(20))
    assert 1 - as_censored.survival[-1] > 0.58


def test_no_endings_give_no_curve():
    assert time_to_event.estimate_incidence([1, 2], ["", ""], [1, 2]) == {}
