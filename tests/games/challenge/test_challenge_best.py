"""Tests ``python -m cardlab.analysis worth`` and ``depth``, and their notes in a replay."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from cardlab.analysis import sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.challenge import (
    depth_table,
    move_search,
    planning_checks,
    planning_models,
    replay_notes,
)
from cardlab.analysis.games.challenge.commands import worth
from cardlab.analysis.replay import page
from cardlab.games.challenge import planning, rules
from cardlab.games.challenge.position import Position, apply, legal_moves
from cardlab.games.challenge.search import WON, scores
from cardlab.games.challenge.tablebase import score
from cardlab.operations.environment import venv_program

ROOT = Path(__file__).parents[3]
DASK = venv_program("python", ".venv-dask")
MIX = "random:1,depth_1:1,softmax_depth_2:1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Provides a folder with a session of size 3 against the computer (``three.csv``), and one of size 6 of
    two people (``six.csv``)."""
    folder = tmp_path_factory.mktemp("best")
    sizes = {"three": ("3", "1", "3"), "six": ("6", "2", "2")}
    for name, (size, players, people) in sizes.items():
        mix = MIX if people == "3" else "greedy:1,depth_1:1"
        options = ["--mix", mix, "--participants", people, "--hands", "2", "--set", f"size={size}"]
        options += ["--set", f"players={players}", "--set", "depth=2"]
        assert main(["simulate", "challenge", *options, "-o", str(folder / f"{name}.csv")]) == 0
    return folder


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def rows(name):
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def games(name):
    """Replays the games of an actions table; returns the states before each move and the moves by hand_id."""
    moves_by_game = {}
    for row in rows(name):
        if row["action_number"] == "0":
            state = rules.start(row["action"].removeprefix("deal "), json.loads(row["settings"]))
            lines = moves_by_game[row["hand_id"]] = []
        elif row["accepted"] == "1" and row["seat"]:
            after = rules.apply(state, row["seat"], row["action"])
            if len(after.moves) > len(state.moves):
                lines.append((state, row["seat"], after.moves[-1]))
            state = after
    return moves_by_game


def valued(name, deep):
    """Yields each row of the table of values with the state before the move."""
    budget = ["--depth", str(deep), "--nodes", "3000"]
    assert main(["worth", f"{name}.csv", *budget, "--jobs", "1", "-o", "worth.csv"]) == 0
    lines = {}
    for row in rows("worth.csv"):
        assert [*row] == [*worth.COLUMNS]
        lines.setdefault(row["hand_id"], []).append(row)
    played = games(f"{name}.csv")
    assert [*lines] == [*played]
    for hand, moves in played.items():
        for number, ((state, seat, move), row) in enumerate(zip(moves, lines[hand], strict=True), 1):
            assert (int(row["move_number"]), row["seat"], row["move"]) == (number, seat, move)
            assert int(row["could_play"]) == len(legal_moves(state.position))
            assert int(row["loss"]) == int(row["worth_before"]) - int(row["worth_after"]) >= 0
            assert (row["loss"] == "0") == (row["best_move"] == move)
            results = (row["result_before"], row["result_after"])
            assert row["kept_win"] == {
                **{("won", "won"): "1", ("won", "drawn"): "0", ("won", "lost"): "0"},
            }.get(results, "")
            yield row, state


def test_every_move_has_its_exact_value(inside):
    """A move that throws a win away has a loss, and each value has the right sign."""
    kept = set()
    for row, state in valued("three", 3):
        before, after = by_solver(state.position, row["move"])
        if ends_by_repetition(state, row["move"]):
            after = "drawn"
        assert (row["result_before"], row["result_after"]) == (before, after)
        scores = {"won": 500, "drawn": 0, "lost": -500}
        assert (int(row["worth_before"]), int(row["worth_after"])) == (scores[before], scores[after])
        assert (row["source"], row["source_after"]) == ("exact", "exact")
        kept.add(row["kept_win"])
    assert kept == {"0", "1", ""}


def ends_by_repetition(state, move):
    key = apply(state.position, move).key
    return sum(one.key == key for one in state.positions) >= 2


def test_values_of_large_packs_name_their_source(inside):
    sources = set()
    for row, state in valued("six", 2):
        known = planning.bounded(scores(state.position, depth=2, nodes=10**6, earlier=state.positions[:-1]))
        for end in ("before", "after"):
            source, result = row["source" if end == "before" else "source_after"], row[f"result_{end}"]
            sources.add(source)
            assert (result == "") == (source == "searched depth 2")
            if result:
                assert int(row[f"worth_{end}"]) == {"won": 500, "drawn": 0, "lost": -500}[result]
            else:
                worth_ = max(known.values()) if end == "before" else known[row["move"]]
                assert int(row[f"worth_{end}"]) == max(-499, min(499, worth_))
    assert sources == {"proved", "searched depth 2"}


def by_solver(position: Position, move):
    """Returns the solver's results of the position before and after the move, for the mover."""
    after = apply(position, move)
    value = score(after) if after.mover == position.mover else -score(after)
    names = {True: "won", False: "lost"}
    return tuple(names[one > 0] if one else "drawn" for one in (score(position), value))


def by_search(move, known):
    def proved(value):
        return "won" if value >= WON else "lost" if value <= -WON else ""

    return proved(max(known.values())), proved(known[move])


def test_search_proofs_agree_with_the_solver(inside):
    proofs = 0
    for moves in games("three.csv").values():
        for state, _seat, move in moves:
            known = scores(state.position, depth=4, nodes=10**6, earlier=state.positions[:-1])
            for proved, exact in zip(by_search(move, known), by_solver(state.position, move)):
                proofs += proved != ""
                assert proved in ("", exact)
    assert proofs > 5


def test_move_values_agree_on_any_cores(inside):
    for jobs in "12":
        assert main(["worth", "three.csv", "--depth", "2", "--jobs", jobs, "-o", f"jobs{jobs}.csv"]) == 0
    assert rows("jobs2.csv") == rows("jobs1.csv") != []


@pytest.mark.skipif(not DASK.exists(), reason="there is no environment with Dask")
def test_dask_computes_the_same_depths(inside):
    arguments = ["depth", "three.csv", "--choices", "20", "--nodes", "500"]
    assert main([*arguments, "--jobs", "1", "-o", "alone.csv"]) == 0
    done = subprocess.run(
        [DASK, "-m", "cardlab.analysis", *arguments, "--engine", "dask", "-o", "dask.csv"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert rows("dask.csv") == rows("alone.csv") != []


def test_every_participant_has_a_depth(inside, capsys):
    assert main(["depth", "three.csv", "--nodes", "2000", "--jobs", "1", "-o", "depth.csv"]) == 0
    assert capsys.readouterr().out == "Wrote 3 participants to depth.csv\n"
    people = {row["participant_code"]: row for row in rows("depth.csv")}
    hands = {row["participant_code"]: row["hand_id"] for row in rows("three.csv") if row["seat"] == "S"}
    assert people.keys() == hands.keys()
    for code, row in people.items():
        assert [*row] == [*depth_table.COLUMNS]
        ids = {one["hand_id"] for one in rows("three.csv") if one["participant_code"] == code}
        choices = [
            planning.choice(state.position, state.positions[:-1], move, nodes=2000)
            for hand, moves in games("three.csv").items()
            for state, seat, move in moves
            if hand in ids and seat == "S" and len(searchable(state)) > 1
        ]
        fit = planning_models.fit(choices)
        assert [int(row[name]) for name in ("games", "choices", "used")] == [2, len(choices), len(choices)]
        assert [int(row[name]) for name in ("depth", "depth_low", "depth_high")] == [
            fit.depth,
            fit.low,
            fit.high,
        ]
        assert (row["verdict"], row["model"]) == (fit.verdict, fit.model)
        assert float(row["gain"]) == pytest.approx(fit.gain, abs=1e-4)
        assert float(row["search_weight"]) == pytest.approx(fit.search_weight, abs=1e-4)
        checked = planning_checks.check_predictions(
            fit.model, fit.estimates[fit.model], planning_models.make_data(choices)
        )
        for name, check in checked.items():
            cells = [float(row[column]) for column in (name, f"{name}_simulated", f"check_{name}")]
            assert cells == pytest.approx([*check], abs=1e-3)
        assert int(row["median_response_ms"]) > 0
        for name, estimate in fit.estimates.items():
            assert float(row[f"log_likelihood_{name}"]) == pytest.approx(estimate.log_likelihood, abs=1e-3)
            assert float(row[f"weight_{name}"]) == pytest.approx(fit.weights[name], abs=1e-4)
    player = next(row for row in people.values() if row["participant_label"] == "softmax_depth_2")
    assert int(player["depth_low"]) <= 2 <= int(player["depth_high"])


def test_drop_out_adds_models_to_their_depths(inside):
    arguments = ["depth", "three.csv", "--drop-out", "--choices", "20", "--nodes", "300", "--jobs", "1"]
    assert main([*arguments, "-o", "limited.csv"]) == 0
    for row in rows("limited.csv"):
        weights = [float(row[f"weight_{model.name}"]) for model in planning_models.GROUPS]
        assert sum(weights) == pytest.approx(1, abs=1e-3)
        assert 0 <= float(row["weight_drop_out"]) <= 1
        assert 0 <= float(row["drop_out"]) <= 0.9
        assert row["threshold"] in ("", "10", "40")
        assert row["model"] in {model.name for model in planning_models.MODELS}
    (person, *_others) = depth_table.collect_participants(golden_hands("three.csv"))
    tasks = depth_table.make_tasks(person, 20, 300, drop_out=True)
    fit = planning_models.fit([choice for task in tasks for choice in move_search.search_choices(task)])
    row = next(row for row in rows("limited.csv") if row["participant_code"] == person.who[1])
    assert float(row["drop_out"]) == pytest.approx(fit.at_depth.values.get("drop_out", 0), abs=1e-3)
    assert (row["depth"], row["model"]) == (str(fit.depth), fit.model)
    assert int(row["threshold"] or 0) == fit.threshold
    best = max(
        fit.estimates[model.name].log_likelihood
        for model in planning_models.MODELS
        if model.depth == 3 and model.name in fit.estimates
    )
    assert float(row["log_likelihood_search_3"]) == pytest.approx(best, abs=1e-3)


def searchable(state):
    return [one for one in rules.legal_actions(state, state.mover) if one[:2] in ("pl", "pi")]


def golden_hands(name):
    return sources.read_hands([Path(name)], pytest.fail)


def test_the_number_of_searched_choices_is_limited(inside):
    for person in depth_table.collect_participants(golden_hands("three.csv")):
        tasks = depth_table.make_tasks(person, 5, 100)
        assert sum(len(task.numbers) for task in tasks) == 5
        own = [own for _course, own in person.games]
        assert all(set(task.numbers) <= set(own[game]) for game, task in enumerate(tasks))


def test_games_with_hidden_cards_have_no_depth(inside):
    with open("three.csv", encoding="utf-8") as file:
        text = file.read().replace('""show"":""all""', '""show"":""own""')
    Path("hidden.csv").write_text(text, "utf-8")
    assert main(["depth", "hidden.csv", "--jobs", "1", "-o", "none.csv"]) == 0
    assert {(row["choices"], row["used"], row["verdict"], row["depth"]) for row in rows("none.csv")} == {
        ("0", "0", planning_models.TOO_FEW, "")
    }


@pytest.mark.parametrize(("name", "has_numbers"), [("three", False), ("six", True)])
def test_replay_shows_the_value_of_each_move(inside, name, has_numbers):
    (hand, played), *_others = move_search.played_games(golden_hands(f"{name}.csv"))
    moves = [step.event for step in played.steps if step.is_action and step.event.action[:2] in ("pl", "pi")]
    texts = replay_notes.action_notes(played)
    assert [*texts] == [event.number for event in moves]
    task = move_search.make_task(played, range(len(moves)), replay_notes.DEPTH, replay_notes.NODES)
    for text, value in zip(texts.values(), move_search.value_moves(task), strict=True):
        assert text.startswith("best: ") == (value.loss == 0)
        assert ("a forced win" in text) == (value.before.result == "won")
        if not value.before.result:
            assert text.endswith(f"{value.before.worth:+d}".replace("-", "−"))
    assert any("+" in text or "−" in text for text in texts.values()) == has_numbers
    assert main(["replay", f"{name}.csv", "--hand", hand.hand_id, "-o", "replay.html"]) == 0
    assert f'"beside":"{texts[moves[0].number]}"' in Path("replay.html").read_text("utf-8")


def test_a_replay_contains_the_borrowed_card_pictures():
    opening = {"deal": "KS AH | AS KH | participant", "settings": {}}
    pictures = page._build_pictures_module(["challenge"], [opening])
    found = set(re.findall(r'"solitario/([^"]+)":"data:image', pictures))
    assert found == {"back.svg", *(f"french/{card}.svg" for card in ("KS", "AH", "AS", "KH"))}


@pytest.mark.parametrize("command", ["worth", "depth"])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.txt"], "none.txt: "),
        (["three.csv", "--scheduler", "tcp://192.0.2.7:1"], "--scheduler: "),
        (["three.csv", "--engine", "dask", "--jobs", "2"], "--jobs: "),
        (
            ["solitario.csv"],
            "solitario.csv, line 2: This is a hand of solitario_app. Only hands of challenge_app",
        ),
    ],
)
def test_input_that_cannot_be_searched_is_rejected(inside, capsys, command, arguments, sentence):
    if not Path("solitario.csv").exists():
        assert (
            main(["simulate", "solitario", "--participants", "1", "--hands", "1", "-o", "solitario.csv"]) == 0
        )
        capsys.readouterr()
    assert main([command, *arguments, "-o", "never.csv"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {sentence}")
    assert not Path("never.csv").exists()
