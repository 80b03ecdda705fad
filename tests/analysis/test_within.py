"""Tests comparisons within persons: the same person in several sessions, and at levels of a column."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cardlab.analysis import actions_table, compare, model, within
from cardlab.analysis.codebook.columns import describe_columns
from cardlab.analysis.commands import main
from cardlab.analysis.inference.comparisons import compare_conditions
from cardlab.analysis.inference.difference_test import PAIRED, create_test
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.report.methods import describe_data
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.contract import BadFile

EXAMPLE = Path(__file__).parents[2] / "docs/example/actions.csv"
LABEL = "participant_label"


def changed(text, change):
    """Returns an actions table after ``change`` of each row, which returns whether to keep the row."""
    rows, out = list(csv.DictReader(io.StringIO(text, newline=""))), io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(row for row in rows if change(row))
    return out.getvalue()


def labelled(game, **options):
    """Returns the actions table of sessions whose participants have the labels Ada 0, Ada 1, …"""
    file, codes = io.StringIO(newline=""), {}
    sessions.write_table(plan.plan_simulation(game, **options), file)

    def label(row):
        if row["participant_code"]:
            own = codes.setdefault(row["session_code"], {})
            row[LABEL] = f"Ada {own.setdefault(row['participant_code'], len(own))}"
        return True

    return changed(file.getvalue(), label)


def number(row):
    return int(row[LABEL].removeprefix("Ada ") or 0)


def data_of(text, by="", person=LABEL):
    return gather_data(
        actions_table.read_hands(io.StringIO(text, newline=""), "simulated.csv"), {}, by, person=person
    )


@pytest.fixture(scope="module")
def twice():
    """Provides the actions of eight people who played in two sessions."""
    return labelled("ttt", strategy="routinizing", participants=8, hands=6, sessions=2)


@pytest.fixture(scope="module")
def visits(twice):
    return data_of(twice, "visit")


def test_the_same_person_is_one_cluster(visits):
    people = visits.participants
    assert len(people) == 16
    assert people["person"].nunique() == visits.hands["group"].nunique() == 8
    groups = "8 groups of participants who met, directly or through others, or are the same person."
    assert groups in describe_data(visits)
    assert people.groupby("person")["visit"].agg(sorted).tolist() == [[1, 2]] * 8
    assert sorted(people["condition"].unique()) == ["1", "2"]


def test_clusters_of_persons_join_those_who_met():
    text = labelled("ttt", settings={"players": "2"}, participants=4, hands=1, sessions=2)
    groups = data_of(text).hands.groupby("person")["group"].first()
    assert (len(groups), groups.nunique()) == (4, 2)
    assert data_of(text, person="").hands["group"].nunique() == 4


def test_labels_leave_no_trace_in_outputs(twice, tmp_path):
    source = tmp_path / "actions.csv"
    source.write_text(twice, "utf-8")
    for command in ("participants", "model", "compare"):
        out = tmp_path / f"{command}.csv"
        further = ["--within", "visit"] if command == "compare" else []
        assert main([command, str(source), "--person", LABEL, *further, "-o", str(out)]) == 0
        assert "Ada" not in out.read_text("utf-8")
    for table in ("participants.csv", "model.csv"):
        header = list(pd.read_csv(tmp_path / table))
        meanings = {one.column: one for one in describe_columns(table, header, [])}
        assert meanings["visit"].type == "integer"
        assert meanings["person"].meaning.startswith("with `--person`")


def test_unlabelled_participants_are_persons_of_their_own(twice):
    data = data_of(twice.replace("Ada 3", ""))
    assert data.participants["person"].nunique() == 7 + 2
    with pytest.raises(BadFile, match="There is no column 'nickname'"):
        data_of(twice, person="nickname")


def test_sessions_of_a_person_are_compared_in_pairs(visits):
    table = compare.build_table(visits).set_index("measure")
    values = visits.participants.pivot_table(index="person", columns="visit", values="mean_seconds")
    ratios = np.log(values[1] / values[2]).to_numpy()
    row = table.loc["mean_seconds"]
    assert (row["method"], row["clusters_first"]) == (PAIRED, 8)
    assert row["estimate"] == pytest.approx(np.exp(ratios.mean()))
    test = create_test([*ratios, *0 * ratios], np.arange(16) < 8, np.arange(16) % 8)
    assert row["p"] == pytest.approx(test.p())
    assert np.log([row["low"], row["high"]]) == pytest.approx(test.interval())
    both = compare.build_table(visits, levels=within.measure_levels(visits, "visit")).set_index("measure")
    assert both.loc["mean_seconds", ["estimate", "low", "high", "p"]].tolist() == pytest.approx(
        row[["estimate", "low", "high", "p"]].tolist()
    )


def test_persons_without_both_levels_are_left_out(twice):
    first = twice.splitlines()[1].split(",")[0]
    data = data_of(changed(twice, lambda row: row["session_code"] != first or number(row) > 2))
    levels = within.measure_levels(data, "session_code")
    row = compare.build_table(data, levels=levels).set_index("measure").loc["mean_seconds"]
    assert (row["n_first"], row["n_second"], row["method"]) == (5, 5, PAIRED)
    people = data.participants[data.participants["person"].duplicated(keep=False)]
    seconds = people.pivot_table(index="person", columns="session_code", values="mean_seconds")
    ratio = np.log(seconds.iloc[:, 0] / seconds.iloc[:, 1]).to_numpy(dtype=float)
    assert row["estimate"] == pytest.approx(np.exp(ratio.mean()))


def test_several_sessions_in_a_condition_count_once(twice):
    def treat(row):
        row["treatment"] = "odd" if number(row) % 2 else "even"
        return True

    data = data_of(changed(twice, treat), "treatment")
    row = compare.build_table(data).set_index("measure").loc["mean_moves"]
    assert (row["n_first"], row["n_second"], row["clusters_first"]) == (4, 4, 4)
    means = (
        data.participants.groupby(["condition", "person"])["mean_moves"].mean().groupby("condition").mean()
    )
    assert (row["mean_first"], row["mean_second"]) == pytest.approx((means["even"], means["odd"]))


@pytest.fixture(scope="module")
def example():
    with EXAMPLE.open(newline="", encoding="utf-8") as file:
        return gather_data(actions_table.read_hands(file, "actions.csv"), {})


@pytest.mark.parametrize(("column", "names"), [("phase", ("later", "learning")), ("tempting", (0, 1))])
def test_levels_are_compared_within_each_person(example, column, names):
    table = compare.build_table(example, levels=within.measure_levels(example, column)).set_index("measure")
    hands = model.build_table(example)
    assert (hands["played_out"] == 1).all()
    hands = hands.astype({"client_seconds": float, "moves_lost": float})
    means = hands.pivot_table(
        index="participant_code", columns=column, values=["client_seconds", "moves_lost"]
    )
    seconds, lost = means["client_seconds"], means["moves_lost"]
    ratio = np.exp(np.log(seconds[names[0]] / seconds[names[1]]).mean())
    assert table.loc["mean_seconds", "estimate"] == pytest.approx(ratio)
    assert table.loc["mean_moves_lost", "estimate"] == pytest.approx((lost[names[0]] - lost[names[1]]).mean())
    assert column != "phase" or "routinization" not in table.index  # it needs both phases


@pytest.mark.parametrize("game", ["ttt", "matrix", "triangle"])
def test_one_level_has_the_participants_measures(game):
    data = data_of(labelled(game, participants=4, hands=1), person="")
    levels = within.measure_levels(data, "participant_code").set_index("condition")
    people = data.participants.set_index("participant_code")
    assert sorted(levels.index) == sorted(people.index)
    for measure in data.game.performance.participant_measures:
        name = measure.__name__
        pd.testing.assert_series_equal(
            levels[name].astype(object).where(levels[name].notna(), None).sort_index(),
            people[name].astype(object).where(people[name].notna(), None).sort_index(),
            check_names=False,
        )


@pytest.mark.parametrize(
    ("column", "sentence"),
    [("nothing", "There is no column or setting 'nothing'"), ("app", "app has 1 level; 2 to 12")],
)
def test_column_without_two_levels_is_refused(example, column, sentence):
    with pytest.raises(BadFile, match=sentence):
        within.measure_levels(example, column)


@pytest.mark.parametrize("per_cluster", [1, 2])
def test_paired_intervals_cover_and_p_is_uniform(per_cluster):
    rng = np.random.default_rng(5)
    people = 20
    person, level = np.tile(np.arange(people), 2), np.repeat(["a", "b"], people)
    cluster = person // per_cluster
    covered, ps = [], []
    for _study in range(200):
        common = rng.normal(size=people)[cluster] * np.where(level == "a", 1, 0)  # shared by those who met
        values = rng.normal(0, 3, people)[person] + common + rng.lognormal(0, 0.5, 2 * people)
        (found,) = compare_conditions(values, level, cluster, 400, persons=person)
        covered.append(found.low <= 0 <= found.high)
        ps.append(found.p)
    assert 0.9 <= np.mean(covered) <= 0.99
    assert 0.42 < np.mean(ps) < 0.58
    assert np.mean(np.array(ps) < 0.5) == pytest.approx(0.5, abs=0.12)
