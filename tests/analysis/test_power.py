"""Tests power analysis: validation of the design, and the rejection rate in the simulated repeats."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from cardlab.analysis import design, power
from cardlab.analysis.commands import main
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
        ('game = "ttt"', 'game = "chess"', "design.toml: game must be one of challenge, "),
        ('game = "ttt"', "", "design.toml: game is missing. Set it before the first treatment."),
        ("repeats = 2", "repeats = 0", "design.toml: repeats must be a whole number from 1 to "),
        (
            "repeats = 2",
            "repeat = 2",
            "Unknown setting 'repeat' before the first treatment. Did you mean repeats?",
        ),
        ("repeats = 2", "level = 2", "design.toml: level must be a number between 0 and 1"),
        ("repeats = 2", 'test = "anova"', "design.toml: test must be one of permutation, t, rank"),
        ("repeats = 2", "seed = true", "design.toml: seed must be a whole number"),
        ("[3, 2]", "[3, 0]", "design.toml: participants must be the number per treatment"),
        ("[3, 2]", "[]", "design.toml: participants must be the number per treatment"),
        ("repeated_sequences", "moves", "design.toml: measure must be one of hands_over, "),
        ("repeats = 2", "thresholds = 3", "design.toml: thresholds must be a table such as { "),
        ("repeats = 2", "thresholds = { expert = 1 }", "design.toml thresholds: Target the Two has no"),
        ("repeats = 2", 'thresholds = { expert_from = "x" }', "design.toml thresholds: expert_from must be"),
        (
            '"informed"',
            '"clever"',
            "design.toml [control]: strategy: clever: Target the Two has no such",
        ),
        (
            '"informed"',
            '"informed=2"',
            "design.toml [control]: strategy: informed=2: The strategy informed of Target",
        ),
        ('"informed"', "2", "design.toml [control]: strategy must name how the participants play"),
        ('strategy = "informed"', "", "design.toml [control]: strategy must name how the participants play"),
        ('"informed"', '"informed:x"', "design.toml [control]: strategy: mix: A mix must have the form"),
        ('"transfer422.txt"', '"nowhere.txt"', "nowhere.txt"),
        ("[control]", "[con trol]", "This is not valid TOML"),
        ("[habit]", '["in two words"]', "is not a valid treatment name"),
        ("hands = 6", 'hands = "six"', "design.toml [control]: hands must be a whole number"),
        ("hands = 6", 'ViewCard = "some"', "design.toml [control]: settings: ViewCard must be"),
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
    power.check_measure(replace(experiment, participants=(2,)))


def test_pairs_keep_the_route_of_their_training():
    """The shipped design of pairs in small, with a habit that cannot be missed: both of a pair show the same,
    and are one observation."""
    experiment = design.read_design(ROOT / "docs/example/pairs.toml")
    arms = tuple(replace(arm, strategies={"routinizing=10": Fraction(1)}) for arm in experiment.arms)
    small = replace(experiment, arms=arms, participants=(8,), repeats=1)
    for values, tables in power._measure_treatments(small, 1, 8, power.constant_time):
        value_by_table = dict(zip(tables, values))
        assert tables == [0, 0, 1, 1, 2, 2, 3, 3]  # a smaller size has whole pairs
        assert values == [value_by_table[table] for table in tables]
    (row,) = power.build_table(small, [power.simulate_repeat((small, 1))])
    assert row["mean_first"] > 0.5 > row["mean_second"]
    assert row["power"] == 1


def test_one_treatment_is_refused(read):
    with pytest.raises(BadFile, match="A design needs 2 to 12 treatments"):
        read(HEAD + ARMS[: ARMS.index("[habit]")])


def test_participants_must_fill_the_seats(read):
    with pytest.raises(BadFile, match=r"\[one\]: 3 participants cannot be seated at tables of 2"):
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
        power.check_measure(experiment)
        return
    with pytest.raises(BadFile, match=sentence):
        power.check_measure(experiment)


# ---------------------------------------------------------------- the repeats


def test_smaller_experiment_uses_the_first_participants(read):
    experiment = read()
    few, many = (power._measure_treatments(experiment, 1, size, power.constant_time) for size in (2, 3))
    assert [values[:2] for values, _tables in many] == [values for values, _tables in few]
    assert power._measure_treatments(experiment, 2, 3, power.constant_time) != many
    assert power.simulate_repeat((experiment, 1)) == power.simulate_repeat((experiment, 1))


def test_co_players_form_one_cluster(read):
    experiment = read(MATRIX)
    assert experiment.table == 2
    (_values, tables), _other = power._measure_treatments(experiment, 1, 4, power.constant_time)
    assert tables == [0, 0, 1, 1]


def test_identical_hands_are_measured_once(read, monkeypatch):
    experiment, messages = read(), []
    monkeypatch.setattr(power, "_rows_cache", {})
    monkeypatch.setattr(
        power,
        "_build_source_hand",
        lambda *hand, tell=power._build_source_hand: messages.append(1) or tell(*hand),
    )
    first = power._measure_treatments(experiment, 1, 3, power.constant_time)
    once = len(messages)
    assert power._measure_treatments(experiment, 1, 3, power.constant_time) == first
    assert len(messages) == once < 2 * 3 * 6


@pytest.mark.parametrize(("test", "expected"), [("permutation", 0.86), ("t", 0.86), ("rank", 0.84)])
def test_power_equals_the_tests_rejection_rate(read, monkeypatch, test, expected):
    """Compares 30 and 30 normal values 0.8 standard deviations apart (Cohen 1988), and equal ones."""
    text = (HEAD + ARMS).replace("[3, 2]", "30").replace("repeats = 2", f'repeats = 120\ntest = "{test}"')
    experiment = read(text)

    def normal(_design, repeat, size, _times):
        chance = Random(repeat)
        return [([chance.gauss(apart, 1) for _one in range(size)], [*range(size)]) for apart in (distance, 0)]

    monkeypatch.setattr(power, "_measure_treatments", normal)
    for distance, truth in ((0.8, expected), (0, 0.05)):
        (row,) = power.build_table(
            experiment, [power.simulate_repeat((experiment, number)) for number in range(120)]
        )
        assert abs(row["power"] - truth) < 3 * math.sqrt(truth * (1 - truth) / 120)
        assert row["power_low"] <= row["power"] <= row["power_high"]
        assert abs(row["hedges_g"] - distance) < 0.08
        assert list(row) == list(power.COLUMNS)


def test_incomparable_samples_count_as_not_significant(read, monkeypatch):
    experiment = read()
    for values in ([1.0, 1.0, 1.0], [None, None, None]):
        monkeypatch.setattr(
            power, "_measure_treatments", lambda *_arguments, own=values: [(own, [0, 1, 2])] * 2
        )
        rows = power.build_table(experiment, [power.simulate_repeat((experiment, 1))])
        assert {row["power"] for row in rows} == {0}
    assert np.isnan(power._TEST_FUNCTIONS["t"](*[power._Sample(np.ones(3), np.arange(3))] * 2))
    assert rows[0]["without_p"] == 1
    assert rows[0]["mean_first"] == ""


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
