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
from cardlab.analysis.games.challenge import move_search, replay_notes
from cardlab.analysis.games.challenge.commands import depth, worth
from cardlab.analysis.replay import page
from cardlab.games.challenge import planning, rules
from cardlab.games.challenge.position import Position, apply
from cardlab.games.challenge.search import WON, worths
from cardlab.games.challenge.solver import solved
from cardlab.operations.environment import venv_program

ROOT = Path(__file__).parents[3]
DASK = venv_program("python", ".venv-dask")
MIX = "random:1,depth_4:1,softmax_depth_2:1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a session of size 3 against the computer (``three.csv``), and one of size 4 of two people
    (``four.csv``)."""
    folder = tmp_path_factory.mktemp("best")
    sizes = {"three": ("3", "1", "3"), "four": ("4", "2", "2")}
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
    """The games of a table of actions played again: by hand_id the states before each move, and the moves."""
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


@pytest.mark.parametrize(("name", "deep"), [("three", 3), ("four", 2)])
def test_every_move_has_a_value(inside, name, deep):
    assert main(["worth", f"{name}.csv", "--depth", str(deep), "--jobs", "1", "-o", "worth.csv"]) == 0
    lines = {}
    for row in rows("worth.csv"):
        assert [*row] == [*worth.COLUMNS]
        lines.setdefault(row["hand_id"], []).append(row)
    played = games(f"{name}.csv")
    assert {hand: len(moves) for hand, moves in lines.items()} == {
        hand: len(moves) for hand, moves in played.items()
    }
    kept = set()
    for hand, moves in played.items():
        for number, ((state, seat, move), row) in enumerate(zip(moves, lines[hand], strict=True), 1):
            known = worths(state.position, depth=deep, nodes=10**6, earlier=state.positions[:-1])
            cut = {one: max(-500, min(500, value)) for one, value in known.items()}
            assert (int(row["move_number"]), row["seat"], row["move"]) == (number, seat, move)
            assert int(row["could_play"]) == len(known)
            assert int(row["worth_before"]) == max(cut.values()) == cut[row["best_move"]]
            assert int(row["worth_after"]) == cut[move]
            assert int(row["loss"]) == max(cut.values()) - cut[move]
            assert (row["loss"] == "0") == (row["best_move"] == move)
            results = (row["result_before"], row["result_after"])
            assert results == (by_solver if name == "three" else by_search)(state.position, move, known)
            kept.add(row["kept_win"])
            assert row["kept_win"] == {
                **{("won", "won"): "1", ("won", "drawn"): "0", ("won", "lost"): "0"},
            }.get(results, "")
    assert kept >= ({"0", "1", ""} if name == "three" else {"1", ""})


def by_solver(position: Position, move, _known):
    """Returns the solver's scores of the position before and after the move, for the mover."""
    table = solved(3)
    after = apply(position, move)
    value = table.score(after) if after.mover == position.mover else -table.score(after)
    names = {True: "won", False: "lost"}
    return tuple(names[score > 0] if score else "drawn" for score in (table.score(position), value))


def by_search(_position, move, known):
    def proved(value):
        return "won" if value >= WON else "lost" if value <= -WON else ""

    return proved(max(known.values())), proved(known[move])


def test_search_proofs_agree_with_the_solver(inside):
    proofs = 0
    for moves in games("three.csv").values():
        for state, _seat, move in moves:
            known = worths(state.position, depth=4, nodes=10**6, earlier=state.positions[:-1])
            for proved, exact in zip(by_search(None, move, known), by_solver(state.position, move, None)):
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
        assert [*row] == [*depth.COLUMNS]
        ids = {one["hand_id"] for one in rows("three.csv") if one["participant_code"] == code}
        choices = [
            planning.choice(state.position, state.positions[:-1], move, nodes=2000)
            for hand, moves in games("three.csv").items()
            for state, seat, move in moves
            if hand in ids and seat == "S" and len(searchable(state)) > 1
        ]
        fit = planning.fit_depth(choices)
        assert [int(row[name]) for name in ("games", "choices", "used")] == [2, len(choices), len(choices)]
        assert [int(row[name]) for name in ("depth", "depth_low", "depth_high")] == [
            fit.depth,
            fit.low,
            fit.high,
        ]
        assert float(row["gain"]) == pytest.approx(fit.gain, abs=1e-4)
        for at, value in enumerate(fit.profile):
            assert float(row[f"log_likelihood_{at}"]) == pytest.approx(value, abs=1e-3)
    player = next(row for row in people.values() if row["participant_label"] == "softmax_depth_2")
    assert int(player["depth_low"]) <= 2 <= int(player["depth_high"])


def searchable(state):
    return [one for one in rules.legal_actions(state, state.mover) if one[:2] in ("pl", "pi")]


def golden_hands(name):
    return sources.read_hands([Path(name)], pytest.fail)


def test_the_number_of_searched_choices_is_limited(inside):
    for person in depth.people(golden_hands("three.csv")):
        tasks = depth.tasks(person, 5, 100)
        assert sum(len(task.numbers) for task in tasks) == 5
        own = [own for _course, own in person.games]
        assert all(set(task.numbers) <= set(own[game]) for game, task in enumerate(tasks))


def test_games_with_hidden_cards_have_no_depth(inside):
    with open("three.csv", encoding="utf-8") as file:
        text = file.read().replace('""show"":""all""', '""show"":""own""')
    Path("hidden.csv").write_text(text, "utf-8")
    assert main(["depth", "hidden.csv", "--jobs", "1", "-o", "none.csv"]) == 0
    assert {(row["choices"], row["used"], row["depth"], row["gain"]) for row in rows("none.csv")} == {
        ("0", "0", "", "")
    }


def test_replay_shows_the_value_of_each_move(inside):
    (hand, played), *_others = move_search.games(golden_hands("three.csv"))
    moves = [step.event for step in played.steps if step.is_action and step.event.action[:2] in ("pl", "pi")]
    words = replay_notes.action_notes(played)
    assert [*words] == [event.number for event in moves]
    states = games("three.csv")[hand.hand_id]
    for event, (state, _seat, move) in zip(moves, states, strict=True):
        known = worths(
            state.position, depth=replay_notes.DEPTH, nodes=replay_notes.NODES, earlier=state.positions[:-1]
        )
        cut = planning.bounded(known)
        text = words[event.number]
        assert text.startswith("best: ") == (cut[move] == max(cut.values()))
        if "forced" not in text:
            reported_values = [
                int(word) for word in text.replace("−", "-").replace(";", "").split() if word[0] in "+-"
            ]
            assert reported_values == [
                *([cut[move]] if cut[move] < max(cut.values()) else []),
                max(cut.values()),
            ]
    assert main(["replay", "three.csv", "--hand", hand.hand_id, "-o", "replay.html"]) == 0
    assert f'"beside":"{words[moves[0].number]}"' in Path("replay.html").read_text("utf-8")


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
