"""Tests the table of moves, and the command for the table of participants."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import pytest
from performance_measures import measured_rows

from cardlab.analysis import moves, sources
from cardlab.analysis.commands import main

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"


def read(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def move_rows():
    """Provides the moves of each hand, by its name."""
    rows = [row for _game, row in moves.iterate_rows(sources.read_hands([EXAMPLE], print))]
    return {name: list(own) for name, own in groupby(rows, key=lambda row: row["hand_id"])}


@pytest.fixture(scope="module")
def played_hands():
    return {row["hand_id"]: row for row in measured_rows(sources.read_hands([EXAMPLE], print))}


def test_each_move_of_each_hand_has_a_row(move_rows, played_hands):
    assert move_rows.keys() == played_hands.keys()
    for name, own in move_rows.items():
        assert "".join(row["move"] for row in own) == played_hands[name]["sequence"]
        assert [row["move_number"] for row in own] == list(range(1, len(own) + 1))
        assert own[-1]["target"] == played_hands[name]["route"]


def test_move_losses_add_up_to_the_hands_loss(move_rows, played_hands):
    for name, own in move_rows.items():
        assert sum(row["lost"] for row in own) == pytest.approx(played_hands[name]["moves_lost"], abs=1e-5)
        assert own[0]["expected_before"] == pytest.approx(played_hands[name]["expected_moves"], abs=1e-5)
        assert own[-1]["expected_after"] == 0
        for one, after in zip(own, own[1:]):
            assert one["expected_after"] == after["expected_before"]


def test_latencies_add_up_to_the_hands_time(move_rows, played_hands):
    for name, own in move_rows.items():
        assert sum(row["latency_ms"] for row in own) <= 1000 * played_hands[name]["client_seconds"] + 0.5


def test_only_face_up_cards_are_known(move_rows):
    for own in move_rows.values():
        for row in own:
            seen, known = row["visible"].split(), row["known"].split()
            assert all(card in ("-", other) for card, other in zip(seen, known))
            assert row["card"] in known


def test_route_state_follows_the_cards_in_target(move_rows):
    states = {(row["target"], row["route_state"]) for own in move_rows.values() for row in own}
    assert {("4", "both"), ("42", "422"), ("422", "422"), ("44", "442"), ("442", "442")} <= states
    assert all(state == "neither" for target, state in states if not "422442".count(target))


def test_open_routes_alone_cost_extra_moves(move_rows, played_hands):
    for hand, own in move_rows.items():
        states = ["both", *(row["route_state"] for row in own)]
        for name in ("422", "442"):
            assert own[0][f"extra_{name}"] == played_hands[hand][f"lost_by_{name}"]
            for row, state_before in zip(own, states):
                is_open = own[0]["route_state"] and state_before in ("both", name)
                assert row[f"extra_{name}"] >= 0 if is_open else row[f"extra_{name}"] == ""


def test_command_writes_the_rows(move_rows, tmp_path):
    assert main(["moves", str(EXAMPLE), "-o", str(tmp_path / "moves.csv")]) == 0
    written = read(tmp_path / "moves.csv")
    rows = [{name: str(value) for name, value in row.items()} for own in move_rows.values() for row in own]
    assert sorted(map(repr, written)) == sorted(map(repr, rows))


def test_moves_command_refuses_a_log(tmp_path, capsys):
    log = Path(__file__).parents[1] / "data" / "ttt" / "seed_log_nk.txt"
    assert main(["moves", str(log), "-o", str(tmp_path / "moves.csv")]) == 2
    assert "Only a table of actions has each move" in capsys.readouterr().err
    assert not (tmp_path / "moves.csv").exists()


@pytest.mark.parametrize("game", ["matrix", "triangle"])
def test_other_games_have_turns_and_placements(game, tmp_path):
    source, out = tmp_path / "actions.csv", tmp_path / "moves.csv"
    people = ["--participants", "2", "--hands", "1", "-o", str(source)]
    assert main(["simulate", game, *people]) == 0
    assert main(["moves", str(source), "-o", str(out)]) == 0
    assert {"matrix": "turn", "triangle": "card_number"}[game] in read(out)[0]


def test_participants_equal_those_of_the_report(tmp_path, monkeypatch):
    from cardlab.analysis.report import write

    monkeypatch.setattr(write, "render_svg", lambda _drawing: "<svg/>")
    options = [str(EXAMPLE), "--by", "participant_label", "--threshold", "expert_from=0.9"]
    assert main(["participants", *options, "-o", str(tmp_path / "people.csv")]) == 0
    assert main(["report", *options, "--out", str(tmp_path / "report")]) == 0
    in_report = (tmp_path / "report" / "participants.csv").read_bytes()
    assert (tmp_path / "people.csv").read_bytes() == in_report
