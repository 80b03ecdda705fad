"""Tests the power of an experiment to tell a model of choice from the others."""

import csv

import numpy as np
import pytest

from cardlab.analysis.choice_models import MODELS
from cardlab.analysis.commands import main
from cardlab.analysis.games.matrix import choice_power

COUNT = len(MODELS)


def scores_of(advantages):
    """Returns participants' AICc: model 0 is better than model 1 by the advantage; the others fit badly."""
    scores = np.full((len(advantages), COUNT), 1_000.0)
    scores[:, 0] = 100
    scores[:, 1] = 100 + np.array(advantages)
    return scores


def test_power_of_one_participant_is_the_share_alone():
    (row,) = choice_power.build_rows(0, scores_of([5, 5, 5, -5]), [1], 40.0)
    assert row["alone"] == 0.75
    assert row["power"] == pytest.approx(0.75, abs=0.03)
    assert (row["rival"], row["simulated"]) == (MODELS[1].name, 4)
    assert row["rival_share"] == pytest.approx(1 - row["power"])
    assert row["power_low"] < row["power"] < row["power_high"]


def test_power_of_sums_equals_the_binomial():
    """Of three participants, the sum favours the model that two of them follow."""
    (row,) = choice_power.build_rows(0, scores_of([5, 5, 5, -5]), [3], 40.0)
    assert row["power"] == pytest.approx(0.75**3 + 3 * 0.75**2 * 0.25, abs=0.03)


def test_a_model_that_nobody_follows_is_never_found():
    (row,) = choice_power.build_rows(2, scores_of([5, 5]), [7], 40.0)
    assert (row["power"], row["power_high"], row["alone"]) == (0, 0, 0)
    assert (row["rival"], row["rival_share"]) == (MODELS[0].name, 1)


def test_command_writes_a_row_for_each_size(tmp_path, capsys):
    table, out = tmp_path / "matrix.csv", tmp_path / "power.csv"
    assert main(["simulate", "matrix", "--participants", "2", "--hands", "1", "-o", str(table)]) == 0
    asked = ["choice_power", str(table), "--jobs", "1", "-o", str(out)]
    assert main([*asked, "--model", "level_1", "--participants", "8,2"]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(choice_power.COLUMNS)
    assert [(row["model"], row["participants"], row["simulated"]) for row in rows] == [
        ("level_1", "2", "2"),
        ("level_1", "8", "2"),
    ]
    assert all(0 <= float(row["power"]) <= 1 for row in rows)
    assert main([*asked, "--model", "nobody"]) == 2
    assert "There is no model nobody. The models are random, level_1" in capsys.readouterr().err
