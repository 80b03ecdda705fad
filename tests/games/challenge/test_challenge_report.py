"""Compares the report sections of Challenge with the tables that they are made from."""

import json
from dataclasses import replace
from math import isnan

import pandas as pd
import pytest

from cardlab.analysis import sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.challenge import move_search, planning_models, report
from cardlab.analysis.report.data import gather_data
from cardlab.games.challenge import planning, rules


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "actions.csv"
    mix = "greedy:1,depth_1:1,softmax_depth_0:1"
    options = ["--mix", mix, "--participants", "3", "--hands", "3", "--set", "size=3", "--set", "depth=2"]
    assert main(["simulate", "challenge", *options, "-o", str(file)]) == 0
    return file


@pytest.fixture(scope="module")
def data(file):
    return gather_data(sources.read_hands([file], pytest.fail), {}, searches=True)


@pytest.fixture(scope="module")
def sections(data):
    return {section.title: section for section in report.sections(data)}


@pytest.fixture(scope="module")
def tables(sections):
    return {name: frame for section in sections.values() for name, frame in section.frames.items()}


def test_computer_is_not_a_participant(data):
    assert set(data.hands["seat"]) == {"S"}
    assert len(data.participants) == 3


def test_won_games_and_their_endings_are_shown(data, tables):
    won = tables["won_by_game"].set_index("place")["mean"]
    assert won.to_dict() == pytest.approx(data.counted.groupby("place")["won"].mean().to_dict())
    ends = tables["ends"]
    assert ends.drop(columns=["condition", "ended_by"]).to_numpy().sum() == len(data.counted) == 9
    assert ends["won"].sum() == data.counted["won"].sum() > 0
    assert set(ends["ended_by"]) == set(data.counted["ended_by"])


def test_reported_lengths_equal_those_of_the_games(data, tables):
    lengths = tables["length"].set_index("length").iloc[:, 0]
    assert lengths.sum() == 9
    for low, count in lengths.items():
        assert count == data.counted["length"].between(low, low + report.BIN - 1).sum()


def test_reported_losses_and_depths_equal_the_choices(data, tables):
    by_hand = data.counted.set_index("hand_id")
    moves = data.parts["moves"].query("by == 'person' and could_play > 1 and advised == 0")
    by_person = {}
    for move in moves.itertuples():
        hand = by_hand.loc[move.hand_id]
        state = rules.start(hand["deal"], {**json.loads(hand["settings"]), "moves": hand["sequence"]})
        position, earlier = state.positions[move.move_number - 1], state.positions[: move.move_number - 1]
        choice = planning.choice(position, earlier, move.move, range(5), report.NODES)
        loss = move_search.value_move(position, earlier, move.move, report.DEPTH, report.NODES).loss
        by_person.setdefault(hand["participant_code"], []).append((move, choice, loss))
    assert set(tables["loss"]["source"]) == {"exact"}  # of size 3
    losses = {(row.hand_id, row.move_number): row.loss for row in tables["loss"].itertuples()}
    expected = {}
    for code, own in by_person.items():
        kept = planning.spread(own, report.CHOICES)
        for move, _choice, loss in kept:
            expected[move.hand_id, move.move_number] = loss
        fit = planning_models.fit([choice for _move, choice, _loss in kept])
        row = tables["planning_depth"].set_index("participant_code").loc[code]
        found = (row["choices"], row["depth"], row["depth_low"], row["depth_high"])
        assert found == (len(kept), fit.depth, fit.low, fit.high)
        assert (row["verdict"], row["model"], row["gain"]) == (fit.verdict, fit.model, fit.gain)
        assert row["search_weight"] == fit.search_weight
        assert (row["noise"], row["lapse"]) == tuple(fit.at_depth.values.values())
    assert losses == expected
    best = tables["planning_depth"].set_index("name")["depth"]
    assert best["softmax_depth_0"] == 0


def test_verdicts_are_counted_and_drawn(sections, tables):
    section, table = sections["Planning depth"], tables["planning_depth"]
    for verdict, count in table["verdict"].value_counts().items():
        assert f"{verdict}: {count}" in section.text
    drawn = section.figures[0].drawing.arguments[0]
    assert [*drawn["name"]] == [*table["name"]]
    assert [*drawn["condition"]] == [*(table["condition"] + ": " + table["verdict"])]


def test_depth_is_related_to_losses_and_times(tables):
    relations, table = tables["planning_relations"], tables["planning_depth"]
    searching = table[table["verdict"] == "search"]
    assert [*relations["participants"]] == [len(searching)] * 2
    losses = tables["loss"].groupby("participant_code")["loss"].mean()
    assert table.set_index("participant_code")["loss"].to_dict() == pytest.approx(losses.to_dict())
    people = pd.DataFrame({"depth": [1, 2, 3, 4, 5], "loss": [9, 8, 5, 4, 6], "median_response_ms": 1.0})
    found = report._relations(people.assign(verdict="search", group=range(5))).set_index("depth_and")
    assert found["rank_correlation"]["loss per choice"] == pytest.approx(-0.7)
    assert found["low"]["loss per choice"] < -0.7 < found["high"]["loss per choice"]
    assert isnan(found["rank_correlation"]["median response, ms"])


def test_report_states_the_limits_of_its_search(sections, data, monkeypatch):
    assert "at most 40 per participant" in sections["Losses of moves"].text
    assert "4 actions deep, with at most 5,000 positions" in sections["Planning depth"].text
    monkeypatch.setattr(report, "CHOICES_OF_ALL", 12)
    few = {section.title: section for section in report.sections(data)}
    (each,) = few["Losses of moves"].tables
    assert len(each.frame) == 12
    assert set(few["Planning depth"].tables[0].frame["choices"]) == {4}


def test_a_report_without_search_names_the_commands(data):
    for section in list(report.sections(replace(data, searches=False)))[-2:]:
        assert "python -m cardlab.analysis depth" in section.text
        assert not section.tables
        assert not section.figures
