"""Tests the table for mixed models."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from cardlab.analysis import actions_table, model, sources
from cardlab.analysis.codebook.columns import describe_columns
from cardlab.analysis.commands import main
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.simulation import plan, sessions

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"


@pytest.fixture(scope="module")
def data():
    return gather_data(sources.read_hands([EXAMPLE], print), {})


@pytest.fixture(scope="module")
def table(data):
    return model.build_table(data)


def test_each_counted_hand_has_a_row(data, table):
    assert list(table) == list(model.table_columns(data.game))
    assert sorted(table["hand_id"]) == sorted(data.counted["hand_id"])


def test_phase_and_block_follow_the_design(table):
    assert table.groupby("phase")["number"].agg(["min", "max"]).loc["learning"].tolist() == [1, 16]
    assert table.groupby("phase")["number"].agg(["min", "max"]).loc["later"].tolist() == [17, 32]
    assert [*table.groupby("block").size()] == [48] * 4


def test_table_shares_equal_participant_measures(data, table):
    later = table[(table["phase"] == "later") & (table["tempting"] == 1)]
    at_a_cost = later.assign(routine=(later["kept"] == 1) & (later["moves_lost"] > 0))
    share = at_a_cost.groupby("participant_code")["routine"].mean()
    estimates = data.participants.set_index("participant_code")["routinization"]
    assert share.to_dict() == pytest.approx(estimates.to_dict())


def test_habit_counts_earlier_uses_of_the_route(table):
    for _code, own in table.groupby("participant_code"):
        assert own["habit"].tolist() == [0, *own["kept"].astype(int).cumsum()][:-1]


def test_solo_rows_are_equal_per_hand_and_participant(data, table):
    assert table["pair"].nunique() == table["participant_code"].nunique()
    assert (table["partner_code"] == "").all()
    pd.testing.assert_frame_equal(model.build_table(data, per=model.PARTICIPANT), table)


# Games of several players


def model_of_pairs(game: str, *settings: str, participants: int = 4, hands: int = 2, mix: str = "random:1"):
    file, changed = io.StringIO(newline=""), dict(one.split("=") for one in settings)
    options = {"mix": mix, "participants": participants, "hands": hands, "settings": changed}
    sessions.write_table(plan.plan_simulation(game, **options), file)
    return gather_data(
        actions_table.read_hands(io.StringIO(file.getvalue(), newline=""), "simulated.csv"), {}
    )


GAMES_OF_PAIRS = [("ttt", "players=2"), ("matrix",), ("challenge", "players=2", "size=2")]


@pytest.mark.parametrize("game", GAMES_OF_PAIRS, ids=lambda game: game[0])
def test_group_hand_has_one_row_with_joint_measures(game):
    data = model_of_pairs(*game)
    table = model.build_table(data)
    assert sorted(table["hand_id"]) == sorted(data.counted["hand_id"].unique())
    assert len(data.counted) == 2 * len(table)
    assert table.groupby("pair").size().tolist() == [2, 2]
    codes = {code for cells in zip(table["participant_code"], table["partner_code"]) for code in cells}
    assert codes == {*data.participants["participant_code"]}
    shared = {*model.SHARED, *data.game.performance.shared}
    assert (table["played_out"] != "").all()
    own = {measure.__name__ for measure in data.game.performance.hand_measures} - shared
    assert (table[[*own]] == "").all(axis=None)
    columns = shared & {*data.counted}
    assert (data.counted.groupby("hand_id")[[*columns]].nunique() <= 1).all(axis=None)


@pytest.mark.parametrize("game", GAMES_OF_PAIRS, ids=lambda game: game[0])
def test_participant_rows_have_own_measures_only_once(game):
    data = model_of_pairs(*game)
    table = model.build_table(data, per=model.PARTICIPANT)
    assert len(table) == len(data.counted)
    assert (table.groupby("hand_id")["participant_code"].nunique() == 2).all()
    assert (table[["played_out", "client_seconds"]] == "").all(axis=None)
    own = "moves_lost" if game[0] == "ttt" else "score"
    counted = data.counted.set_index(["hand_id", "participant_code"])[own].sort_index()
    found = table.set_index(["hand_id", "participant_code"])[own].sort_index()
    assert found.tolist() == counted.tolist()


def test_pair_habit_counts_the_pairs_own_hands():
    data = model_of_pairs("ttt", "players=2", "learning_hands=4", hands=8, mix="routinizing:1")
    for _pair, own in model.build_table(data).groupby("pair"):
        assert own["place"].tolist() == list(range(1, 9))
        assert own["phase"].tolist() == ["learning"] * 4 + ["later"] * 4
        kept = pd.to_numeric(own["kept"]).fillna(0).astype(int)
        assert own["habit"].tolist() == [0, *kept.cumsum()][:-1]


def _rejected(table: pd.DataFrame, cluster: str, studies: int = 60) -> float:
    """Returns how often the documented model finds an effect of a condition drawn at random for each pair,
    which is a true null hypothesis."""
    rng, rejected = np.random.default_rng(5), []
    number = pd.factorize(table["pair"])[0]
    for _study in range(studies):
        side = rng.permutation(np.arange(number.max() + 1) % 2)
        drawn = table.assign(condition=side[number])
        within = {"groups": cluster, "cov_struct": sm.cov_struct.Exchangeable()}
        fitted = smf.gee("moves_lost ~ condition", data=drawn, **within).fit(cov_type="bias_reduced")
        rejected.append(fitted.pvalues["condition"] <= 0.05)
    return float(np.mean(rejected))


def test_true_null_in_pairs_has_nominal_rejections():
    """With a row for each player, grouped by participant, 17 of 100 such studies would reject it."""
    data = model_of_pairs("ttt", "players=2", participants=48, hands=3, mix="routinizing:1,random:1")
    table = model.build_table(data)
    table = table.assign(moves_lost=table["pair_moves_lost"].astype(float))
    assert _rejected(table, "cluster") <= 0.1
    twice = pd.concat([table, table.assign(participant_code=table["partner_code"])])
    assert _rejected(twice, "participant_code") > 0.12


def test_block_size_is_configurable_and_columns_are_explained(tmp_path):
    out = tmp_path / "model.csv"
    assert main(["model", str(EXAMPLE), "--block", "16", "-o", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert {row[header.index("block")] for row in rows} == {"1", "2"}
    assert all(column.meaning for column in describe_columns("model.csv", header, rows))
