"""The table for mixed models."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from analysis import model, sources
from analysis.codebook import columns_of
from analysis.commands import main
from analysis.report.data import gathered

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"


@pytest.fixture(scope="module")
def data():
    return gathered(sources.hands([EXAMPLE], print), {})


@pytest.fixture(scope="module")
def table(data):
    return model.table(data)


def test_each_hand_that_counts_has_a_row(data, table):
    assert list(table) == model.columns(data.game)
    assert sorted(table["hand_id"]) == sorted(data.counted["hand_id"])


def test_phase_and_block_are_those_of_the_design(table):
    assert table.groupby("phase")["number"].agg(["min", "max"]).loc["learning"].tolist() == [1, 16]
    assert table.groupby("phase")["number"].agg(["min", "max"]).loc["later"].tolist() == [17, 32]
    assert [*table.groupby("block").size()] == [48] * 4


def test_the_shares_of_the_table_are_the_measures_of_the_participants(data, table):
    later = table[(table["phase"] == "later") & (table["tempting"] == 1)]
    at_a_cost = later.assign(routine=(later["kept"] == 1) & (later["moves_lost"] > 0))
    share = at_a_cost.groupby("participant_code")["routine"].mean()
    told = data.participants.set_index("participant_code")["routinization"]
    assert share.to_dict() == pytest.approx(told.to_dict())


def test_the_habit_is_how_often_the_route_has_served_before(table):
    for _code, own in table.groupby("participant_code"):
        assert own["habit"].tolist() == [0, *own["kept"].astype(int).cumsum()][:-1]


def test_who_plays_alone_is_a_pair_of_their_own_and_who_meets_shares_one(tmp_path):
    source, out = tmp_path / "actions.csv", tmp_path / "model.csv"
    people = ["--participants", "4", "--hands", "1", "-o", str(source)]
    assert main(["simulate", "matrix", *people]) == 0
    assert main(["model", str(source), "-o", str(out)]) == 0
    table = pd.read_csv(out)
    assert table.groupby("pair").size().tolist() == [2, 2]
    assert table.groupby("pair")["hand_id"].nunique().tolist() == [1, 1]


def test_a_block_has_as_many_hands_as_are_asked_for_and_the_codebook_knows_each_column(tmp_path):
    out = tmp_path / "model.csv"
    assert main(["model", str(EXAMPLE), "--block", "16", "-o", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert {row[header.index("block")] for row in rows} == {"1", "2"}
    assert all(column.meaning for column in columns_of("model.csv", header, rows))
