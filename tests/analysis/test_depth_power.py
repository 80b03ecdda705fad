"""Tests the number of choices that are needed to detect that a Challenge player searches."""

import csv

import numpy as np
import pytest

from cardlab.analysis.commands import main
from cardlab.analysis.games.challenge import depth_power
from cardlab.analysis.games.challenge.depth_power import Finding, Task
from cardlab.analysis.games.challenge.planning_models import MODELS, Data
from cardlab.games.challenge import planning
from cardlab.games.challenge.heuristics import FEATURES, HEURISTICS
from cardlab.games.challenge.variants import SUBSETS

NAMES = [model.name for model in MODELS]


def make_positions(count):
    """Returns positions of four moves, whose values differ between depths."""
    rng = np.random.default_rng(1)
    scores = rng.integers(-60, 60, (len(planning.DEPTHS), count, 4)).astype(float)
    ranks = rng.integers(0, 3, (len(HEURISTICS), count, 4)).astype(float)
    features = rng.integers(0, 2, (count, 4, len(FEATURES))).astype(float)
    legal, chosen = np.ones((count, 4), dtype=bool), np.zeros(count, dtype=np.int64)
    return Data(scores, ranks, features, legal, chosen, np.zeros((0, len(SUBSETS), *scores.shape)))


def find_all(model, size, simulated=4):
    tasks = depth_power.make_tasks(NAMES.index(model), size, [make_positions(120)], simulated)
    return [depth_power.find(task) for task in tasks]


def test_clear_search_is_found_at_its_depth():
    found = find_all("search_3", 120)
    assert sum(one.is_search for one in found) >= 3
    assert sum(one.depth == 3 for one in found) >= 3


def test_random_players_are_not_called_search():
    assert not any(one.is_search for one in find_all("random", 120))


def test_same_seed_draws_the_same_moves():
    positions = make_positions(40)
    first, second = (depth_power.find(Task(NAMES.index("search_2"), 7, positions)) for _ in range(2))
    assert first == second


def test_players_use_participants_with_enough_choices():
    few, many = make_positions(20), make_positions(50)
    tasks = list(depth_power.make_tasks(0, 30, [few, many], 3))
    assert [len(task.data.chosen) for task in tasks] == [30, 30, 30]
    assert [task.seed for task in tasks] == [0, 1, 2]
    assert (tasks[0].data.scores == many.scores[:, :30]).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_parameters_are_in_their_typical_ranges(model):
    values = depth_power.draw_values(model, np.random.default_rng(2))
    assert len(values) == len(model.parameters)
    for part, value in zip(model.parameters, values):
        assert part.low <= part.typical[0] <= value <= part.typical[1] <= part.high


def test_row_counts_verdicts_and_depths():
    found = [Finding(True, 3, 2, 4), Finding(True, 5, 4, 6), Finding(False, 0, 0, 3), Finding(True, 2, 2, 2)]
    row = depth_power.build_row(NAMES.index("search_3"), 40, found)
    assert (row["model"], row["choices"], row["simulated"]) == ("search_3", 40, 4)
    assert row["called_search"] == 0.75
    assert row["called_low"] == pytest.approx(0.3006, abs=1e-4)  # Wilson's, from a published table
    assert row["within"] == 0.5
    assert row["depth_error"] == pytest.approx(1)
    assert depth_power.build_row(NAMES.index("random"), 40, found)["within"] == ""


def test_command_writes_a_row_for_each_number(tmp_path, capsys):
    table, out = tmp_path / "challenge.csv", tmp_path / "power.csv"
    simulated = ["--participants", "1", "--hands", "4", "--set", "size=3", "--mix", "random:1"]
    assert main(["simulate", "challenge", *simulated, "-o", str(table)]) == 0
    asked = ["depth_power", str(table), "--jobs", "1", "--nodes", "1", "-o", str(out)]
    assert main([*asked, "--model", "random", "--simulated", "2", "--choices", "22,20"]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(depth_power.COLUMNS)
    assert [(row["model"], row["choices"], row["simulated"]) for row in rows] == [
        ("random", "20", "2"),
        ("random", "22", "2"),
    ]
    assert main([*asked, "--choices", "9000"]) == 2
    assert "No participant made 9000 choices; the most are" in capsys.readouterr().err
    assert main([*asked, "--model", "nobody"]) == 2
