"""Tests that no action is lost or doubled under simulated faults, in sessions of every game.

The schedules are fixed here; ``lab.py simulate-faults`` runs any number of others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fault_runs
import hand_world
import pytest
from planted_mistakes import MISTAKES
from schedules import Outcome, shrink

STEPS_OF_HANDS = 28_800
STEPS_OF_PATH = 1_800  # one schedule of each session kind
PROGRAM = Path(fault_runs.__file__)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="each lab of the server is a fork")


@pytest.mark.parametrize("name", hand_world.CONFIGS)
def test_no_accepted_action_is_lost_or_doubled(name):
    first, count = [*hand_world.CONFIGS].index(name), len(hand_world.CONFIGS)
    for round_number in range(STEPS_OF_HANDS // hand_world.STEPS // count):
        seed = f"hands-{first + count * round_number}"
        outcome = hand_world.play(seed, hand_world.schedule_of(seed))
        assert not outcome.failure, "\n".join([seed, outcome.failure, *outcome.story])
        assert outcome.steps == hand_world.STEPS


def simulate(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROGRAM, "--jobs", "1", *options], capture_output=True, text=True, encoding="utf-8"
    )


@needs_fork
def test_whole_path_loses_and_doubles_nothing(tmp_path):
    file = tmp_path / "figures.json"
    done = simulate("--world", "path", "--steps", str(STEPS_OF_PATH), "--resume", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(file.read_text("utf-8"))["path"]
    assert figures["steps"] >= STEPS_OF_PATH
    assert figures["failed"] == {}
    assert figures["tallies"]["acknowledged"] > 50
    assert figures["tallies"]["partners met again"] > 0
    assert {
        *("fault: crash in a commit", "fault: disk full", "withdrawals acknowledged", "ends acknowledged"),
        *("slots acknowledged", "exports complete", "engine answers", "engine answers, too late"),
        *("visitors kept out", "labels acknowledged", "participants: late", "hands of groups"),
        "participants too early",
    } <= figures["tallies"].keys()


@pytest.fixture(scope="module")
def player():
    """Provides a process that plays the whole path."""
    player = fault_runs.Player("path", "--shrinking-seconds", "0")
    yield player
    player.end()


@needs_fork
@pytest.mark.parametrize(
    ("mistake", "seed", "sentence"),
    [
        ("answer_before_commit", "path-0", "which is not committed"),
        ("unflushed_commits", "path-0", "are left"),
        ("pay_again", "path-4", "and not"),
        ("half_sessions", "path-0", "has 0 participants"),
        ("end_before_pay", "path-3", "has ended for"),
        ("export_without_wal", "path-0", "in an export"),
        ("places_without_rollback", "path-9", "was free"),
        ("late_engine_answers", "path-7", "its engine said"),
        ("slots_for_all", "path-57", "gets a slot"),
        ("late_from_the_last", "path-57", "gets a slot"),
        ("parts_in_memory", "path-13", "and not 'excluded'"),
        ("start_in_two_parts", "path-1", "goes on for them"),
        ("kept_places", "path-21", "was free"),
        ("fee_for_all", "path-1", "are paid"),
        ("treatment_for_each", "path-9", "and not pay_time"),
        ("groups_of_all", "path-9", "two treatments"),
        ("groups_without_end", "path-9", "still wait"),
        ("lost_for_ever", "path-32", "was free"),
        ("lost_while_reading", "path-8", "was free"),
        ("newcomers_let_in", "path-10", "has no earlier part"),
        ("hours_rounded_down", "path-11", "is too early"),
        ("treatment_of_slot", "path-10", "and not in pay_time"),
        ("teams_of_all", "path-46", "different teams"),
        ("partners_not_awaited", "path-22", "may still come"),
        ("loading_pages_ignored", "path-10", "on the way"),
    ],
)
def test_planted_mistake_is_found(player, mistake, seed, sentence):
    assert mistake in MISTAKES
    (answer,) = player.play([f"{seed}+{mistake}"])
    assert answer["failure"], mistake
    assert sentence in answer["failure"]["error"]


def test_forgotten_rollback_is_found(monkeypatch):
    from cardlab.live.batch import Batch

    monkeypatch.setattr(Batch, "_rollback", lambda self: False)
    outcome = hand_world.play("hands-1", hand_world.schedule_of("hands-1"))
    assert "neither kept nor given up" in outcome.failure


def test_failing_schedule_is_shrunk():
    def play(_seed, schedule):
        """Fails at the first 7 that has a 3 before it."""
        for place, step in enumerate(schedule, 1):
            if step == b"7" and b"3" in schedule[:place]:
                return Outcome(place, failure="it fails")
        return Outcome(len(schedule))

    schedule = [b"%d" % (number % 10) for number in range(100)]
    assert shrink(play, "", schedule) == [b"3", b"7"]


def test_schedule_is_repeated_by_its_seed():
    seed = "hands-2"
    first, second = (hand_world.play(seed, hand_world.schedule_of(seed)) for _time in range(2))
    assert first.story == second.story
    assert hand_world.schedule_of("hands-3") != hand_world.schedule_of(seed)


def test_figures_are_continued(tmp_path):
    file = tmp_path / "figures.json"
    answer = {"seed": "hands-0", "steps": 300, "tallies": {"acknowledged": 7}, "failure": {"error": "lost"}}
    for steps in (300, 600):
        figures = fault_runs.read_figures(file)
        figures["hands"].add(answer, seconds=0.1)
        fault_runs.write_figures(file, figures)
        kept = fault_runs.read_figures(file)["hands"]
        assert (kept.steps, kept.seeds, kept.failed) == (steps, steps // 300, {"hands-0": "lost"})
    run = fault_runs.Run(1000, file, ["hands"])
    world, seeds = run.take()
    assert (world, seeds[0]) == ("hands", "hands-2")
    fault_runs.write_table(tmp_path / "table.csv", run.figures)
    assert "hands,acknowledged,14\n" in (tmp_path / "table.csv").read_text()


def test_unknown_seed_is_explained():
    done = simulate("--seed", "seventeen")
    assert done.returncode == 2
    assert "hands-17" in done.stdout
