"""Tests the highest score still reachable in a hand and the loss of each placement."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardlab.analysis.commands import main
from cardlab.games.triangle import hindsight, oracle, rules
from cardlab.games.triangle.hindsight import ReachableScore
from cardlab.games.triangle.strategies import VIEW_POLICIES


def played(how: str, seed: int = 1) -> list[rules.State]:
    deal, chance = rules.deal(f"hindsight {seed}", {}), random.Random(seed)
    state, actions = rules.start(deal, {}), []
    while not rules.is_over(state):
        actions.append(VIEW_POLICIES[how](rules.view(state, "solo"), chance))
        state = rules.apply(state, "solo", actions[-1])
    return hindsight.replay_actions(deal, actions)


def test_bisection_agrees_with_searching_every_state():
    states = played("random")[14:]
    best = [oracle.find_best_play(state) for state in states]
    assert hindsight.find_reachable_scores(states, 1_000_000) == [
        ReachableScore(one.score, one.proved) for one in best
    ]


def test_reachable_scores_only_fall():
    states = played("look_ahead")
    scores = [found.score for found in hindsight.find_reachable_scores(states, 1_000_000)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == states[-1].score.total


@pytest.fixture
def searches(monkeypatch):
    """Provides a fake oracle: its answer for each moment, and the moments for which it was asked."""
    searched: list[int] = []

    def reachable_scores(scores: list[int], proved: bool = True) -> list[ReachableScore]:
        monkeypatch.setattr(oracle, "find_score", find_score(scores, proved))
        last = SimpleNamespace(score=SimpleNamespace(total=scores[-1]))
        return hindsight.find_reachable_scores([*range(len(scores) - 1), last], 1)

    def find_score(scores, proved):
        def search(state, least, most, _nodes):
            assert not proved or least <= scores[state] <= most
            searched.append(state)
            return scores[state], proved

        return search

    return reachable_scores, searched


def test_hindsight_searches_few_positions(searches):
    reachable_scores, searched = searches
    scores = [18] * 20 + [9] * 8
    assert [found.score for found in reachable_scores(scores)] == scores
    assert len(searched) <= 7


def test_actual_play_corrects_unfinished_searches(searches):
    reachable_scores, _searched = searches
    found = reachable_scores([18, 9, 11, 11, 10], proved=False)
    assert [one.score for one in found] == [18, 11, 11, 11, 10]
    assert not any(one.proved for one in found[:-1])


def test_command_writes_a_row_per_placement(tmp_path, capsys):
    source, out = tmp_path / "actions.csv", tmp_path / "hindsight.csv"
    people = ["--strategy", "look_ahead", "--participants", "1", "--hands", "1"]
    assert main(["simulate", "triangle", *people, "-o", str(source)]) == 0
    assert main(["hindsight", str(source), "--jobs", "1", "-o", str(out)]) == 0
    with Path(out).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["card_number"]) for row in rows] == list(range(1, len(rows) + 1))
    for row, after in zip(rows, rows[1:]):
        assert int(row["loss"]) == int(row["possible_before"]) - int(row["possible_after"]) >= 0
        assert row["possible_after"] == after["possible_before"]
    assert capsys.readouterr().out.endswith(f"Wrote {len(rows)} placements to {out}\n")
