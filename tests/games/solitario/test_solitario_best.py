"""Tests ``python -m cardlab.analysis best`` for Solitario on one core, on several, and with Dask."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from cardlab.analysis.commands import main
from cardlab.games.solitario import difficulty, rules
from cardlab.games.solitario.solver import Solution
from cardlab.operations.environment import venv_program

ROOT = Path(__file__).parents[3]
DASK = venv_program("python", ".venv-dask")
TAROCCO = {"pack": "tarocco", "draw": 3, "turn_up": "auto"}
DEALS = [rules.deal(f"best {number}", TAROCCO) for number in range(4)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("deals.txt").write_text("// four deals\n" + "\n".join(DEALS), "utf-8")
    return tmp_path


SETTINGS = [text for name, value in TAROCCO.items() for text in ("--set", f"{name}={value}")]
OF_DEALS = ["best", "deals.txt", "--game", "solitario", *SETTINGS]


def best_rows(*more):
    code = main([*OF_DEALS, *more, "-o", "best.csv"])
    return code, rows("best.csv") if code == 0 else []


def rows(name):
    """Returns the table without how long each search took."""
    with open(name, encoding="utf-8", newline="") as file:
        return [{**row, "search_seconds": ""} for row in csv.DictReader(file)]


def is_solved_by(line, deal, options):
    state = rules.start(deal, options)
    for action in line.split("; "):
        state = rules.apply(state, rules.SEAT, action)
    return state.solved


def test_each_hand_has_its_deals_best_result(folder, capsys):
    simulated = ["simulate", "solitario", "--mix", "greedy:1,solver:1", "--participants", "2", "--hands", "4"]
    assert main([*simulated, "-o", "actions.csv"]) == 0
    assert main(["hands", "actions.csv", "-o", "hands.csv"]) == 0
    assert main(["best", "actions.csv", "--jobs", "1", "-o", "best.csv"]) == 0
    assert capsys.readouterr().out.endswith("Wrote 8 hands to best.csv\n")
    best_results, hands = rows("best.csv"), rows("hands.csv")
    for row, hand in zip(best_results, hands, strict=True):
        same = ("participant_label", "hand_id", "outcome", "score", "pack", "draw", "ace_on_two", "solvable")
        assert [row[name] for name in same] == [hand[name] for name in same]
        assert (row["line"] != "") is (row["solvable"] == "1")
        if row["line"]:
            assert is_solved_by(row["line"], hand["deal"], json.loads(hand["settings"]))
        assert row["best_points"] == hand["best_points"]
        if row["best_line"]:
            assert is_solved_by(row["best_line"], hand["deal"], json.loads(hand["settings"]))
            assert hand["outcome"] != "solved" or int(hand["points_of_events"]) <= int(row["best_points"])
    assert {row["solvable"] for row in best_results} == {"0", "1"}
    assert len({row["line"] for row in best_results}) <= 4  # a deal has one answer, however many played it


@pytest.mark.long("starts a cluster")
def test_all_engines_search_a_file_alike(folder, capsys):
    few = "--nodes", "3000"
    code, alone = best_rows(*few, "--jobs", "1")
    assert code == 0
    assert [row["deal"] for row in alone] == DEALS
    assert [(row["show_file"], row["deal_number"]) for row in alone] == [
        ("deals.txt", str(number)) for number in (1, 2, 3, 4)
    ]
    assert {(row["pack"], row["draw"], row["outcome"], row["score"]) for row in alone} == {
        ("tarocco", "3", "", "")
    }
    for row in alone:
        assert (row["line"] != "") is (row["solvable"] == "1")
        assert not row["line"] or is_solved_by(row["line"], row["deal"], TAROCCO)
    assert best_rows(*few, "--jobs", "2") == (0, alone)
    if DASK.exists():
        arguments = [*OF_DEALS, *few, "--engine", "dask", "-o", "dask.csv"]
        done = subprocess.run(
            [DASK, "-m", "cardlab.analysis", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert rows("dask.csv") == alone


def test_interrupted_search_is_not_marked_proved(folder, capsys):
    _code, found = best_rows("--jobs", "1", "--nodes", "1")
    assert {(row["solvable"], row["line"], row["nodes"]) for row in found} == {("", "", "1")}


def test_grades_are_written_if_asked_for(folder, monkeypatch):
    monkeypatch.setattr(difficulty, "PLAYS", 2)
    plain, graded = (
        next(row for row in best_rows("--jobs", "1", "--nodes", "3000", *more)[1] if row["solvable"] == "1")
        for more in ((), ("--grades",))
    )
    shares = [graded[f"{player}_wins"] for player in ("greedy", "careful", "restart")]
    solution = Solution(True, (), int(graded["nodes"]))
    wins = difficulty.Wins(*map(float, shares))
    assert graded["grade"] == str(difficulty.grade(solution, wins))
    empty = dict.fromkeys(("grade", "greedy_wins", "careful_wins", "restart_wins"), "")
    assert plain == {**graded, **empty}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["deals.txt", "--game", "solitario"], "deals.txt, line 2, column "),
        (["deals.txt", "--game", "solitario", "--set", "pack=uno"], "settings: pack must be "),
        (["deals.txt", "--set", "pack=tarocco"], "--set: Use settings only with --game"),
        (["none.txt", "--game", "solitario"], "none.txt: There is no such file. "),
        (["deals.txt"], "deals.txt: This is neither a table of actions"),
        (["deals.txt", "--scheduler", "tcp://192.0.2.7:1"], "--scheduler: "),
        (["deals.txt", "--engine", "dask", "--jobs", "2"], "--jobs: "),
    ],
)
def test_input_that_cannot_be_searched_is_rejected(folder, capsys, arguments, sentence):
    assert main(["best", *arguments, "-o", "best.csv"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {sentence}")
    assert not Path("best.csv").exists()
