"""Tests power analysis: validation of the design, and the rejection rate in the simulated repeats."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import power_check
from cardlab.analysis import design, power
from cardlab.analysis.commands import main
from cardlab.analysis.inference.comparisons import holm
from cardlab.analysis.inference.difference_test import difference_p
from cardlab.analysis.persons import PERSON
from cardlab.games.contract import BadFile
from tests.pages_of_docs import all_pages

ROOT = Path(__file__).parents[2]
HEAD = """
game = "ttt"
participants = [3, 2]
repeats = 2
measure = "repeated_sequences"
"""
ARMS = """
[control]
ShowFileName = "transfer422.txt"
hands = 6
strategy = "informed"

[habit]
ShowFileName = "transfer422.txt"
hands = 6
strategy = "routinizing=5:3,random:1"
"""
MATRIX = """
game = "matrix"
participants = 2
measure = "best_response_rate"
[one]
hands = 1
strategy = "random"
[other]
hands = 1
strategy = "best_response"
"""


@pytest.fixture
def read(tmp_path):
    def of(text=HEAD + ARMS):
        path = tmp_path / "design.toml"
        path.write_text(text, "utf-8")
        return design.read_design(path)

    return of


# ---------------------------------------------------------------- the file


def test_design_file_is_read(read):
    experiment = read()
    assert [arm.name for arm in experiment.arms] == ["control", "habit"]
    assert experiment.participants == (2, 3)
    assert (experiment.test, experiment.level, experiment.seed, experiment.table) == (
        "permutation",
        0.05,
        1,
        1,
    )
    assert {name: float(share) for name, share in experiment.arms[1].strategies.items()} == {
        "routinizing=5": 3,
        "random": 1,
    }
    assert pickle.loads(pickle.dumps(experiment)).arms == experiment.arms  # it is sent to other processes


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('game = "ttt"', 'game = "chess"', "design.toml, line 2, column 1: game must be one of challenge, "),
        (
            'game = "ttt"',
            "",
            "design.toml, line 1, column 1: game is missing. Set it before the first treatment.",
        ),
        (
            "repeats = 2",
            "repeats = 0",
            "design.toml, line 4, column 1: repeats must be a whole number from 1 to ",
        ),
        (
            "repeats = 2",
            "repeat = 2",
            "Unknown setting 'repeat' before the first treatment. Did you mean repeats?",
        ),
        ("repeats = 2", "level = 2", "design.toml, line 4, column 1: level must be a number between 0 and 1"),
        (
            "repeats = 2",
            'test = "anova"',
            "design.toml, line 4, column 1: test must be one of permutation, t, rank",
        ),
        ("repeats = 2", "seed = true", "design.toml, line 4, column 1: seed must be a whole number"),
        ("[3, 2]", "[3, 0]", "design.toml, line 3, column 1: participants must be the number per treatment"),
        ("[3, 2]", "[]", "design.toml, line 3, column 1: participants must be the number per treatment"),
        ("repeated_sequences", "moves", "design.toml, line 5, column 1: measure must be one of hands_over, "),
        (
            "repeats = 2",
            "thresholds = 3",
            "design.toml, line 4, column 1: thresholds must be a table such as { ",
        ),
        (
            "repeats = 2",
            "thresholds = { expert = 1 }",
            "design.toml thresholds, line 4, column 16: Target the Two has no",
        ),
        (
            "repeats = 2",
            'thresholds = { expert_from = "x" }',
            "design.toml thresholds, line 4, column 16: expert_from must be",
        ),
        (
            '"informed"',
            '"clever"',
            "design.toml [control], line 10, column 1: strategy: clever: Target the Two has no such",
        ),
        (
            '"informed"',
            '"informed=2"',
            "design.toml [control], line 10, column 1: strategy: informed=2: The strategy informed of Target",
        ),
        (
            '"informed"',
            "2",
            "design.toml [control], line 10, column 1: strategy must name how the participants play",
        ),
        (
            'strategy = "informed"',
            "",
            "design.toml [control], line 7, column 1: strategy must name how the participants play",
        ),
        (
            '"informed"',
            '"informed:x"',
            "design.toml [control], line 10, column 1: strategy: mix: A mix must have the form",
        ),
        ('"transfer422.txt"', '"nowhere.txt"', "nowhere.txt"),
        ("repeats = 2", "sessions = 0", "design.toml, line 4, column 1: sessions must be a whole number"),
        ("repeats = 2", "within = 2", "design.toml, line 4, column 1: within must be the name of a column"),
        ("repeats = 2", "equivalence = 2", "design.toml, line 4, column 1: equivalence must be a table"),
        ("repeats = 2", "equivalence = { hands_over = 1 }", "line 4, column 17: hands_over is not one of"),
        ("repeats = 2", "equivalence = { repeated_sequences = 0 }", "line 4, column 17: repeated_sequences"),
        ("repeats = 2", 'test = "t"\nwithin = "phase"', "line 4, column 1: test must be"),
        ('"repeated_sequences"', '["optimal_share", "moves"]', "line 5, column 1: measure must be one of"),
        ('"repeated_sequences"', "[]", "line 5, column 1: measure must name different measures"),
        ("[control]", "[con trol]", "This is not valid TOML"),
        ("[habit]", '["in two words"]', "is not a valid treatment name"),
        (
            "hands = 6",
            'hands = "six"',
            "design.toml [control], line 9, column 1: hands must be a whole number",
        ),
        (
            "hands = 6",
            'ViewCard = "some"',
            "design.toml [control], line 9, column 1: settings: ViewCard must be",
        ),
    ],
)
def test_design_errors_name_file_section_and_field(read, old, new, sentence):
    with pytest.raises(BadFile) as refused:
        read((HEAD + ARMS).replace(old, new, 1))
    assert sentence in str(refused.value)


@pytest.mark.parametrize("name", ["design.toml", "pairs.toml"])
def test_shipped_design_equals_the_documented_one(name):
    """The measure must also be available for simulated participants."""
    path = ROOT / "docs/example" / name
    assert path.read_text("utf-8") in all_pages()
    experiment = design.read_design(path)
    power.check_measures(replace(experiment, participants=(2,)))


def test_pairs_keep_the_route_of_their_training():
    """The shipped design of pairs in small, with a habit that cannot be missed: both of a pair show the same,
    and are one observation."""
    experiment = design.read_design(ROOT / "docs/example/pairs.toml")
    arms = tuple(replace(arm, strategies={"routinizing=10": Fraction(1)}) for arm in experiment.arms)
    small = replace(experiment, arms=arms, participants=(8,), repeats=1)
    people = power._measure_people(small, 1, 8, power.constant_time)
    for _arm, own in people.groupby("condition"):
        group = own["group"] - own["group"].min()
        assert group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]  # a smaller size has whole pairs
        assert (own.groupby("group")["attanasi_routinization"].nunique() == 1).all()
    (row,) = power.build_table(small, [power.simulate_repeat((small, 1))])
    assert row["mean_first"] > 0.5 > row["mean_second"]
    assert row["power"] == 1


def test_one_treatment_is_refused(read):
    with pytest.raises(BadFile, match="A design needs 2 to 12 treatments"):
        read(HEAD + ARMS[: ARMS.index("[habit]")])


def test_participants_must_fill_the_seats(read):
    with pytest.raises(
        BadFile, match=r"\[one\], line 3, column 1: 3 participants cannot be seated at tables of 2"
    ):
        read(MATRIX.replace("participants = 2", "participants = 3"))


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("mean_seconds", "mean_seconds depends on times, which are not simulated"),
        ("familiar_route", "measure must be numeric, but familiar_route is not"),
        ("excess_change", None),
        ("participant_class", "measure"),
    ],
)
def test_constant_measure_is_refused(read, measure, sentence):
    experiment = read((HEAD + ARMS).replace("repeated_sequences", measure))
    if sentence is None:
        power.check_measures(experiment)
        return
    with pytest.raises(BadFile, match=sentence):
        power.check_measures(experiment)


# ---------------------------------------------------------------- the repeats


def test_smaller_experiment_uses_the_first_participants(read):
    experiment = read()
    few, many = (power._measure_people(experiment, 1, size, power.constant_time) for size in (2, 3))
    first = many[many["order"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(first.drop(columns="group"), few.drop(columns="group"))
    assert not power._measure_people(experiment, 2, 3, power.constant_time).equals(many)
    assert repr(power.simulate_repeat((experiment, 1))) == repr(power.simulate_repeat((experiment, 1)))


def test_co_players_form_one_cluster(read):
    experiment = read(MATRIX)
    assert experiment.table == 2
    people = power._measure_people(experiment, 1, 4, power.constant_time)
    assert people[people["condition"] == "one"]["group"].tolist() == [0, 0, 1, 1]


def test_identical_hands_are_measured_once(read, monkeypatch):
    experiment, messages = read(), []
    monkeypatch.setattr(power, "_rows_cache", {})
    monkeypatch.setattr(
        power,
        "_build_source_hand",
        lambda *hand, tell=power._build_source_hand: messages.append(1) or tell(*hand),
    )
    first = power._measure_people(experiment, 1, 3, power.constant_time)
    once = len(messages)
    assert power._measure_people(experiment, 1, 3, power.constant_time).equals(first)
    assert len(messages) == once < 2 * 3 * 6


@pytest.mark.parametrize("case", power_check.CASES, ids=lambda case: case.name)
def test_power_equals_the_known_power(case):
    """Of the same cases, benchmarks/power_check.py makes docs/results/power_check.csv with more repeats."""
    repeats = 40
    (row,) = power_check.simulate(case, repeats)
    found = row[power.power_kind(row)]
    assert abs(found - case.known) < 3 * math.sqrt(case.known * (1 - case.known) / repeats)
    assert list(row) == list(power.COLUMNS)
    assert row["power_low"] <= row["power"] <= row["power_high"]


def test_power_is_that_of_the_comparison(read):
    """The rows of a repeat are those of ``compare`` for the same people, adjusted for all of them."""
    text = (HEAD + ARMS).replace('"repeated_sequences"', '["repeated_sequences", "optimal_share"]')
    experiment = read(text.replace("[3, 2]", "6"))
    people = power._measure_people(experiment, 1, 6, power.constant_time)
    (results,) = power.simulate_repeat((experiment, 1))
    assert {result.measure for result in results} == {"repeated_sequences", "optimal_share"}
    for result in results:
        sides = [people[people["condition"] == name][result.measure] for name in ("control", "habit")]
        assert result.p == pytest.approx(
            difference_p(np.concatenate(sides), [True] * 6 + [False] * 6, range(12))
        )
    assert [result.p_adjusted for result in results] == holm([result.p for result in results])


def test_design_within_persons_compares_their_hands(read):
    text = HEAD + ARMS[: ARMS.index("[habit]")].replace("hands = 6", "hands = 20")
    experiment = read(text.replace("[3, 2]", "3").replace("repeats = 2", 'repeats = 2\nwithin = "block"'))
    people = power._measure_people(experiment, 1, 3, power.constant_time)
    assert sorted(people["condition"].unique()) == ["block 1", "block 2", "block 3"]
    assert people[PERSON].value_counts().tolist() == [3, 3, 3]
    rows = power.build_table(experiment, [power.simulate_repeat((experiment, number)) for number in (1, 2)])
    assert [(row["first"], row["participants_first"]) for row in rows][0] == ("block 1", 3)
    with pytest.raises(BadFile, match="within: There is no column or setting 'nothing' of hands"):
        power.check_measures(replace(experiment, within="nothing"))


def test_several_sessions_are_of_one_person(read):
    text = HEAD.replace("repeats = 2", "repeats = 2\nsessions = 2") + ARMS
    experiment = read(text.replace('ShowFileName = "transfer422.txt"', 'deal_file = "seed"'))
    people = power._measure_people(experiment, 1, 2, power.constant_time)
    assert people[PERSON].value_counts().tolist() == [2, 2, 2, 2]
    (small, _large) = power.simulate_repeat((experiment, 1))
    assert small[0].mean_first == people[people["condition"] == "control"]["repeated_sequences"].mean()
    visits = power._measure_people(replace(experiment, within="visit"), 1, 2, power.constant_time)
    assert visits["condition"].tolist() == ["visit 1", "visit 2"] * 4
    with pytest.raises(BadFile, match="sessions must be 1 if participants play with each other"):
        read(MATRIX.replace("participants = 2", "participants = 2\nsessions = 2"))


@pytest.mark.parametrize("test", ["t", "rank"])
def test_other_tests_compare_means_of_clusters(read, test):
    experiment = replace(read(), test=test)
    people = power._measure_people(experiment, 1, 3, power.constant_time)
    ((result,),) = [power._compare_people(experiment, people)]
    sides = [people[people["condition"] == name]["repeated_sequences"] for name in ("control", "habit")]
    expected = (
        stats.ttest_ind(*sides, equal_var=False) if test == "t" else stats.mannwhitneyu(*sides)
    ).pvalue
    assert result.p == result.p_adjusted == pytest.approx(expected)


def test_incomparable_samples_count_as_not_significant(read):
    experiment = read()
    nothing = power.TestResult("repeated_sequences", "control", "habit", *[math.nan] * 8)
    found = nothing._replace(p=0.01, p_adjusted=0.01)
    rows = power.build_table(experiment, [[[], [found]], [[], [nothing]]])
    assert [row["power"] for row in rows] == [0, 0.5]
    assert [row["without_p"] for row in rows] == [2, 1]
    assert rows[0]["mean_first"] == ""
    constant = pd.DataFrame({"condition": ["a", "a", "b", "b"], "group": range(4), "value": 1.0})
    assert np.isnan(power._p_of_cluster_means(power._TESTS["t"], constant, "value", ("a", "b")))


def test_command_writes_a_table_and_a_curve(tmp_path, capsys):
    path = tmp_path / "design.toml"
    path.write_text(HEAD + ARMS, "utf-8")
    assert (
        main(["power", str(path), "--out", str(tmp_path / "power"), "--jobs", "1", "--figures", "svg,png"])
        == 0
    )
    assert "Wrote power.csv and power.svg, power.png of 2 repeats" in capsys.readouterr().out
    lines = (tmp_path / "power" / "power.csv").read_text("utf-8").splitlines()
    assert lines[0].split(",") == list(power.COLUMNS)
    assert len(lines) == 3
    assert (tmp_path / "power" / "power.svg").read_text("utf-8").startswith("<")
    assert (tmp_path / "power" / "power.png").read_bytes().startswith(b"\x89PNG")
