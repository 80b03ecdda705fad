"""Tests the baselines of the measures: how strategies play the participants' own deals."""

import io
from pathlib import Path

import pandas as pd
import pytest

from cardlab.analysis import actions_table, baselines, sources
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.registry import games_by_name

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"


@pytest.fixture(scope="module")
def data():
    return gather_data(sources.read_hands([EXAMPLE], print), {})


@pytest.fixture(scope="module")
def hand_baselines(data):
    return baselines.baseline_rows(data.counted, data.game)


def test_each_hand_has_a_row_for_each_baseline(data, hand_baselines):
    assert len(hand_baselines) == 2 * len(data.counted)
    assert set(hand_baselines["baseline"]) == {"informed", "random"}
    keys = list(baselines.KEYS)
    for _name, own in hand_baselines.groupby("baseline"):
        assert own[keys].reset_index(drop=True).equals(data.counted[keys].reset_index(drop=True))


def test_perfect_player_loses_no_move_and_always_solves(hand_baselines):
    informed = hand_baselines[hand_baselines["baseline"] == "informed"]
    assert (informed["moves_lost"] == 0).all()
    assert (informed["played_out"] == 1).all()


def test_same_hands_give_the_same_baselines(data):
    columns = list(baselines.baseline_columns(data.game))
    shared = data.participants[columns]
    assert len(shared.drop_duplicates()) == 1
    assert shared.notna().to_numpy().any()


def test_baseline_play_gives_the_baseline_measures(data):
    informed = data.participants[data.participants["participant_label"] == "informed"]
    for measure in ("mean_moves", "optimal_share", "mean_moves_lost", "solved_share"):
        assert informed[measure].tolist() == informed[f"{measure}_informed"].tolist()


def test_times_have_no_baseline(data, hand_baselines):
    assert not {"mean_seconds_informed", "learning_rate_random"} & {*data.participants}
    assert "seconds_per_move" not in hand_baselines


@pytest.mark.parametrize(
    "game",
    [game for game in games_by_name().values() if game.performance.baselines],
    ids=lambda game: game.name,
)
def test_baselines_do_not_depend_on_response_times(game, monkeypatch):
    """Each column of a baseline is the same whether an action takes no time or two seconds."""
    options = {"mix": "random:1", "participants": 2, "hands": 1}
    file = io.StringIO(newline="")
    sessions.write_table(plan.plan_simulation(game.name, **options), file)
    hands = gather_data(
        actions_table.read_hands(io.StringIO(file.getvalue(), newline=""), "actions.csv"), {}
    ).counted
    quick = baselines.baseline_rows(hands, game)
    played = baselines._play_hand
    monkeypatch.setattr(baselines, "_play_hand", lambda *of: played(*of, action_ms=2000))
    for cached in (baselines.simulate_plays, baselines._mean_measures):
        cached.cache_clear()
    slow = baselines.baseline_rows(hands, game)
    monkeypatch.undo()
    for cached in (baselines.simulate_plays, baselines._mean_measures):
        cached.cache_clear()
    pd.testing.assert_frame_equal(quick, slow)
    assert not {*game.performance.timing_columns} & {*quick}
    assert "moves" in quick or "score" in quick


def test_missing_settings_give_no_baseline(data):
    row = data.counted.iloc[0].to_dict() | {"settings": ""}
    assert not len(baselines.baseline_rows(pd.DataFrame([row]), data.game))
    found = baselines.participant_baselines([row], data.game, data.thresholds)
    assert list(found) == list(baselines.baseline_columns(data.game))
    assert set(found.values()) == {None}


def test_many_different_hands_are_repeated_less_often():
    def rows(different):
        return [{"deal": str(number), "settings": "{}", "seat": "solo"} for number in range(different)] * 3

    assert [baselines.count_repetitions(rows(number)) for number in (0, 1, 50, 100, 9000)] == [
        10,
        10,
        10,
        5,
        1,
    ]
