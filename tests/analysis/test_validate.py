"""Tests the command that checks the statistics on simulated studies, and the results in the docs."""

import csv
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from cardlab.analysis.commands import main, validate
from cardlab.analysis.validation import learning_curves
from cardlab.analysis.validation.figure import BY_CHANCE, COLUMNS, MET, MISSED, Figure

RESULTS = Path(__file__).parents[2] / "docs/results/validation.csv"


def read(path):
    with path.open(newline="") as file:
        return [*csv.DictReader(file)]


def test_command_writes_a_row_per_figure(tmp_path, capsys):
    out = tmp_path / "validation.csv"
    assert main(["validate", "comparisons", "--studies", "3", "--jobs", "1", "-o", str(out)]) == 0
    rows = read(out)
    assert list(rows[0]) == list(COLUMNS)
    assert {row["figure"] for row in rows} == {"rejected", "p_below_half", "contradicted"}
    assert {row["studies"] for row in rows} == {"3"}
    assert f"Wrote {len(rows)} figures" in capsys.readouterr().out


def test_same_seed_gives_the_same_figures():
    task = ("learning_curves", "power curve, 40 hands", 4)
    assert validate.run_task(task) == validate.run_task(task)


def test_unknown_check_is_rejected(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["validate", "everything", "-o", str(tmp_path / "validation.csv")])
    assert "'everything' is none of intervals, comparisons, learning_curves" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("successes", "verdict"), [(95, MET), (92, BY_CHANCE), (99, BY_CHANCE), (85, MISSED), (60, MISSED)]
)
def test_verdict_allows_for_chance(successes, verdict):
    assert Figure("coverage", successes, 100, 0.93, 0.97).verdict == verdict


def test_missed_figures_are_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        validate, "run_task", lambda task: [(*task[:2], *Figure("coverage", 5, 100, 0.93, 0.97).cells)]
    )
    assert main(["validate", "intervals", "--jobs", "1", "-o", str(tmp_path / "validation.csv")]) == 0
    assert "mean, 3 participants: coverage 5.0 %, not 93 % to 97 %" in capsys.readouterr().out


def test_published_results_have_every_case():
    published = {(row["check"], row["case"]) for row in read(RESULTS)}
    assert published == {
        (check, case)
        for check in validate.CHECKS
        for case in import_module(f"cardlab.analysis.validation.{check}").CASES
    }


def test_closest_curve_is_found_by_grid_search():
    place = np.arange(1.0, 41)
    logs = np.log(2 + 8 * np.exp(-0.15 * (place - 1)))
    own = learning_curves.find_closest("exponential", place, logs)
    assert own == pytest.approx(logs, abs=1e-4)
    found = np.linalg.norm(logs - learning_curves.find_closest("power", place, logs))
    shares, rates = np.linspace(0, 0.9999, 200), np.geomspace(0.01, 5, 200)
    curves = np.log(1 - shares[:, None, None] * (1 - place ** -rates[:, None]))
    differences = logs - curves
    distances = np.linalg.norm(differences - differences.mean(axis=-1, keepdims=True), axis=-1)
    assert found <= distances.min() <= found * 1.01
