"""Tests the comparison of conditions: the measures compared, the units of observation, and the figures."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cardlab.analysis import actions_table, compare
from cardlab.analysis.commands import main
from cardlab.analysis.inference.comparisons import holm
from cardlab.analysis.inference.difference_test import PERMUTATION, WELCH
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.columns import Share, measure_columns
from cardlab.games.contract import BadFile
from cardlab.games.performance import DESIGN, FAMILIES
from cardlab.games.registry import games_by_name

EXAMPLE = Path(__file__).parents[2] / "docs/example/actions.csv"


def data_of(game, by="participant_label", **options):
    file = io.StringIO(newline="")
    sessions.write_table(plan.plan_simulation(game, **options), file)
    return gather_data(
        actions_table.read_hands(io.StringIO(file.getvalue(), newline=""), "simulated.csv"), {}, by
    )


@pytest.fixture(scope="module")
def ttt():
    return data_of("ttt", mix="random:1,informed:2", participants=6, hands=4)


@pytest.fixture(scope="module")
def solved():
    """Provides players who solve all hands, so that every time is known."""
    return data_of("ttt", mix="routinizing:1,informed:1", participants=6, hands=4)


def test_every_numeric_measure_is_compared(ttt):
    comparison = compare.build_table(ttt)
    assert list(comparison) == list(compare.COLUMNS)
    assert not {"familiar_route", "participant_class"} & set(comparison["measure"])
    (row,) = comparison[comparison["measure"] == "mean_moves_lost"].to_dict("records")
    people = ttt.participants.groupby("condition")["mean_moves_lost"]
    assert (row["first"], row["second"]) == ("informed", "random")
    assert (row["n_first"], row["n_second"], row["clusters_first"]) == (4, 2, 4)
    assert row["mean_second"] == pytest.approx(people.mean()["random"])
    assert row["sd_second"] == pytest.approx(people.std()["random"])
    assert row["estimate"] == pytest.approx(row["mean_first"] - row["mean_second"])
    assert row["low"] <= row["estimate"] <= row["high"]
    values = ttt.participants.set_index("condition")["mean_moves_lost"]
    welch = stats.ttest_ind(values["informed"], values["random"], equal_var=False)
    assert row["method"] == WELCH  # of only fifteen permutations, none has p < 0.05
    assert row["p"] == pytest.approx(welch.pvalue)


def test_times_are_compared_by_ratios_of_geometric_means(solved):
    row = compare.build_table(solved).set_index("measure").loc["mean_seconds"]
    means = np.exp(
        np.log(solved.participants.set_index("condition")["mean_seconds"]).groupby("condition").mean()
    )
    assert (row["contrast"], row["mean_first"]) == ("ratio", pytest.approx(means["informed"]))
    assert row["estimate"] == pytest.approx(means["informed"] / means["routinizing"])
    assert 0 < row["low"] < row["estimate"] < row["high"]
    assert (row["p"] < 0.05) == (row["low"] > 1 or row["high"] < 1)


def test_primary_measures_come_first_and_are_adjusted_apart(solved):
    table = compare.build_table(solved, ["mean_moves_lost", "mean_seconds"], "fdr")
    primary = table[table["role"] == "primary"]
    assert set(primary["measure"]) == {"mean_moves_lost", "mean_seconds"}
    assert table.index[table["role"] == "primary"].tolist() == [0, 1]
    assert primary["p_adjusted"].tolist() == pytest.approx(holm(primary["p"].tolist()))
    for _family, own in table[table["role"] == "secondary"].groupby("family"):
        ps = own["p"].dropna()
        assert own.loc[ps.index, "p_adjusted"].tolist() == pytest.approx(stats.false_discovery_control(ps))
    assert table.loc[table["role"] == "descriptive", "p_adjusted"].isna().all()


def test_share_and_its_complement_are_compared_once(solved):
    measures = set(compare.build_table(solved)["measure"])
    people = solved.participants
    assert np.ptp(people["share_422"]) > 0
    assert np.allclose(people["share_422"], 1 - people["share_442"])
    assert len(measures & {"share_422", "share_442"}) == 1
    assert "share_442" in set(compare.build_table(solved, ["share_442"])["measure"])


def test_equivalence_is_tested_within_the_bound(solved):
    wide = compare.build_table(solved, equivalence={"mean_moves_lost": 50, "mean_seconds": 1000})
    wide = wide.set_index("measure").loc[["mean_moves_lost", "mean_seconds"]]
    assert (wide["p_equivalence"] < 0.05).all()
    assert wide["equivalent_within"].tolist() == [50, 1000]
    narrow = compare.build_table(solved, equivalence={"mean_moves_lost": 0.001}).set_index("measure")
    assert narrow.loc["mean_moves_lost", "p_equivalence"] > 0.4
    assert narrow["p_equivalence"].notna().sum() == 1
    design = compare.build_table(solved, equivalence={"hands_over": 1}).set_index("measure")
    assert np.isnan(design.loc["hands_over", "p_equivalence"])
    with pytest.raises(BadFile, match="mean_seconds is compared by a ratio"):
        compare.build_table(solved, equivalence={"mean_seconds": 1})


def test_bayes_factors_are_an_option(solved):
    assert compare.build_table(solved)["bayes_factor"].isna().all()
    table = compare.build_table(solved, bayes_factors=True)
    assert (table["bayes_factor"].notna() == table["method"].isin((PERMUTATION, WELCH))).all()
    assert table["bayes_factor"].notna().any()


def test_p_is_adjusted_within_each_family_of_measures(ttt):
    comparison = compare.build_table(ttt)
    measures = ttt.game.performance.participant_measures
    family = {measure.__name__: name for measure, name in measures.items()}
    assert comparison["family"].tolist() == [family[name] for name in comparison["measure"]]
    order = [*FAMILIES]
    assert comparison["family"].map(order.index).is_monotonic_increasing
    for _name, own in comparison.groupby("family"):
        assert own["p_adjusted"].tolist() == pytest.approx(holm(own["p"].tolist()), nan_ok=True)
    one = compare.build_table(ttt, ["mean_moves_lost"]).iloc[0]
    assert one["p_adjusted"] == one["p"]  # the only primary test
    family_row = comparison[comparison["measure"] == "mean_moves_lost"].iloc[0]
    assert family_row["p_adjusted"] > family_row["p"]


def test_design_measures_are_described_but_not_tested(ttt):
    comparison = compare.build_table(ttt).set_index("measure")
    for name in ("hands_over", "tempting_hands", "route_hands"):
        row = comparison.loc[name]
        assert (row["family"], row["method"]) == (DESIGN, "not tested")
        assert row[["mean_first", "mean_second", "estimate"]].notna().all()
        assert row[["low", "high", "hedges_g", "rank_biserial", "p", "p_adjusted"]].isna().all()
    tested = comparison[comparison["family"] != DESIGN]
    assert tested["p"].notna().any()


def test_co_players_are_one_observation():
    people = pd.DataFrame(
        {
            "session_code": "s",
            "participant_code": [*"abcdefgh"],
            "condition": ["one"] * 4 + ["other"] * 4,
            "mean_score": [1.0, 2, 3, 4, 2, 3, 4, 9],
        }
    )
    hands = people.assign(group=[0, 0, 1, 1, 2, 2, 3, 3])
    data = SimpleNamespace(
        game=games_by_name()["matrix"], participants=people, hands=pd.concat([hands, hands])
    )
    for name in data.game.performance.participant_measures:
        people[name.__name__] = people.get(name.__name__, float("nan"))
    comparison = compare.build_table(data, ["mean_score"]).iloc[0]
    assert (comparison["n_first"], comparison["clusters_first"], comparison["clusters_second"]) == (4, 2, 2)
    welch = stats.ttest_ind([1.5, 3.5], [2.5, 6.5], equal_var=False)
    assert comparison["p"] == pytest.approx(welch.pvalue)  # of two and two pairs


def test_single_condition_or_unknown_measure_is_refused(ttt):
    with pytest.raises(BadFile, match="All participants are in the same condition"):
        compare.build_table(data_of("ttt", "", participants=2, hands=1))
    with pytest.raises(BadFile, match="has no measure 'moves'. The measures are hands_over"):
        compare.build_table(ttt, ["moves"])
    with pytest.raises(BadFile, match="has no measure 'moves'"):
        compare.build_table(ttt, equivalence={"moves": 1})


def test_more_treatments_than_conditions_are_refused():
    """Otherwise the command would pool them in one condition."""
    hands = [*actions_table.read_hands(EXAMPLE.open(newline=""), "example.csv")][::6]
    for hand in hands:
        hand.cells |= {"session_code": f"s{hand.number}", "treatment": f"t{hand.number}"}
    with pytest.raises(BadFile, match="treatment makes 32 conditions. The limit is 12"):
        gather_data(hands, {})


@pytest.mark.parametrize("bound", ["mean_moves", "mean_moves=x", "mean_moves=-1", "mean_moves=0"])
def test_bad_bound_of_equivalence_is_refused(bound, tmp_path, capsys):
    arguments = ["compare", str(EXAMPLE), "--by", "participant_label", "--equivalence", bound]
    assert main([*arguments, "-o", str(tmp_path / "compare.csv")]) == 2
    assert "is not like mean_moves=0.5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measure", "values", "within"),
    [
        ("solved_share", [0, 0.5, 1], (0, 1)),
        ("share_422", [0, 0.5, 1], (0, 1)),
        ("solved_share_of_solvable", [0.25], (0, 1)),
        ("win_rate", [0, 1], (0, 1)),
        *((name, [0, 1], (0, 1)) for name in ("routinization", "creativity", "repeated_sequences")),
        ("hazard_of_leaving", [0.5], (0, 1)),
        ("right_claims", [1], (0, 1)),
        ("attanasi_expertise", [0, 0.5], (0, 1)),
        ("led_nowhere_share", [0, 1.5], (0, float("inf"))),
        ("learning_rate", [-0.4, 0.1], (-float("inf"), float("inf"))),
        ("learning_rate", [0.1, 0.2], (-float("inf"), float("inf"))),
        ("mean_score", [5, 40], (-float("inf"), float("inf"))),
        ("mean_moves", [0, 7], (0, float("inf"))),
    ],
)
def test_measures_have_a_possible_range(measure, values, within):
    assert compare.possible_range(measure, pd.Series(values)) == within


def test_measures_that_mean_shares_are_declared_so():
    undeclared = [
        name
        for game in games_by_name().values()
        for measures in (game.performance.hand_measures, game.performance.participant_measures)
        for name, meaning in measure_columns(measures).items()
        if ("share" in name or meaning.startswith("share of")) and not isinstance(meaning, Share)
    ]
    assert not undeclared


def test_share_without_variance_has_an_interval(solved):
    """Gives everybody of a condition the same routinization, whose name does not say that it is a share."""
    people = solved.participants
    values = (people["condition"] == "routinizing").astype(float)
    data = replace(solved, participants=people.assign(routinization=values))
    row = compare.build_table(data, ["routinization"]).set_index("measure").loc["routinization"]
    assert (row["estimate"], row["method"]) == (-1, "Newcombe")
    assert row["low"] < row["high"] <= 0


def test_command_writes_the_table(tmp_path, capsys):
    arguments = ["compare", str(EXAMPLE), "--by", "participant_label", "--measure", "mean_moves_lost"]
    assert main([*arguments, "-o", str(tmp_path / "compare.csv")]) == 0
    assert "measures of 2 conditions" in capsys.readouterr().out
    with (tmp_path / "compare.csv").open(newline="") as file:
        row, *others = csv.DictReader(file)
    assert (row["role"], row["measure"]) == ("primary", "mean_moves_lost")
    assert {other["role"] for other in others} == {"secondary", "descriptive"}
    assert (row["first"], row["second"]) == ("informed", "routinizing")
    assert float(row["mean_first"]) == 0
    assert main(["compare", str(EXAMPLE), "-o", str(tmp_path / "others.csv")]) == 2
    assert not (tmp_path / "others.csv").exists()


def test_measure_named_for_equivalence_is_never_skipped(solved):
    """Another measure that is compared, share_422, determines it."""
    compared = compare.build_table(solved, equivalence={"share_442": 0.1})
    assert compared.set_index("measure").loc["share_442", "p_equivalence"] >= 0


def test_named_measure_without_row_gives_a_warning(tmp_path, capsys):
    arguments = ["compare", str(EXAMPLE), "--by", "participant_label", "--measure", "familiar_route"]
    assert main([*arguments, "-o", str(tmp_path / "compare.csv")]) == 0
    sentence = "familiar_route is not compared: it is text, or fewer than two conditions have a value."
    assert f"warning: {sentence}" in capsys.readouterr().err


def test_same_deals_are_compared_on_request():
    """One condition lacks half of the deals; then the other lacks the other half."""
    hands = [*actions_table.read_hands(EXAMPLE.open(newline=""), "example.csv")]
    fewer = [hand for hand in hands if hand.cells["participant_label"] != "informed" or hand.number % 2]
    data, matched = (
        gather_data(fewer, {}, "participant_label", same_deals=is_matched) for is_matched in (False, True)
    )
    assert compare.deals_differ(data)
    assert not compare.deals_differ(matched)
    assert len(matched.counted) == len(hands) / 2 < len(data.counted)
    assert matched.participants["hands_over"].eq(16).all()
    none = [hand for hand in fewer if hand.cells["participant_label"] == "informed" or not hand.number % 2]
    with pytest.raises(BadFile, match="No deal was played in every condition"):
        gather_data(none, {}, "participant_label", same_deals=True)


def test_doubtful_figures_give_warnings(tmp_path, capsys):
    """The learning phase is as long as the session, or logs do not say which hands were practice."""
    arguments = ["compare", str(EXAMPLE), "--by", "participant_label", "--measure", "mean_moves"]
    out = ["-o", str(tmp_path / "compare.csv")]
    assert main([*arguments, *out, "--threshold", "learning_hands=32"]) == 0
    assert "warning: learning_hands=32: nobody has played more than 32 hands" in capsys.readouterr().err
    assert main([*arguments, *out, "--threshold", "learning_hands=31"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["split", str(EXAMPLE), "--out", str(tmp_path)]) == 0
    logs = [str(path) for path in sorted(tmp_path.glob("ck*.txt"))[:2]]
    assert main(["compare", *logs, *out, "--by", "participant_code", "--measure", "mean_moves"]) == 0
    assert "64 hands are known only from logs." in capsys.readouterr().err
