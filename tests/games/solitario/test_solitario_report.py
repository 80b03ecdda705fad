"""Compares the report sections of Solitario with the tables that they are made from."""

from dataclasses import replace

import pandas as pd
import pytest

from cardlab.analysis import sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.solitario import report
from cardlab.analysis.report.data import gather_data
from cardlab.games.solitario import performance
from cardlab.games.solitario.scoring import POINTS


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "actions.csv"
    mix = "greedy:2,careful:1,solver:1"
    simulated = ["simulate", "solitario", "--mix", mix, "--participants", "4", "--hands", "5"]
    assert main([*simulated, "--set", "turn_up=auto", "-o", str(file)]) == 0
    return gather_data(sources.read_hands([file], pytest.fail), {})


@pytest.fixture(scope="module")
def tables(data):
    return {name: frame for section in report.sections(data) for name, frame in section.frames.items()}


def test_the_score_is_the_sum_of_its_parts(data, tables):
    parts = tables["score_parts"].set_index("hand")
    assert list(parts["score"]) == list(data.counted.groupby("place")["score"].mean())
    assert set(report.PART_NAMES) == {*POINTS, "time_points", "bonus"}
    assert (parts[["turn-overs", "brought back", "time"]] <= 0).all().all()


def test_cards_home_grow_from_zero_to_the_end(data, tables):
    each = tables["home_over_time_each"]
    people = each.groupby("participant_code")
    assert set(people["cards_home"].first()) == {0}
    ended = data.counted[data.counted["client_seconds"] <= each["seconds"].max()]
    whole = ended.groupby("participant_code").filter(lambda own: len(own) == 5)
    assert len(whole)
    assert (people["cards_home"].last()[whole["participant_code"].unique()]).to_dict() == pytest.approx(
        whole.groupby("participant_code")["cards_home"].mean().to_dict()
    )
    assert (each.groupby("participant_code").size() == report.STEPS + 1).all()
    careful = data.counted.loc[data.counted["participant_label"] == "careful", "hand_id"]
    one = data.parts["moves"].query("hand_id == @careful.iloc[0]")
    assert (
        one["cards_home_after"].iloc[-1] == data.counted.set_index("hand_id")["cards_home"][careful.iloc[0]]
    )


def test_report_without_search_solves_nothing(data, tmp_path, monkeypatch):
    monkeypatch.setattr(performance, "decide", pytest.fail)
    monkeypatch.setattr(performance, "find_most_points", pytest.fail)
    performance._searched.cache_clear()
    performance._most_points.cache_clear()
    performance._deal_solvable.cache_clear()
    (source,) = data.hands["source"].unique()
    out = tmp_path / "report"
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg></svg>")
    assert main(["report", source, "--out", str(out), "--no-search"]) == 0
    people = pd.read_csv(out / "participants.csv")
    assert people[["solvable_hands", "solved_share_of_solvable", "lost_share"]].isna().all(axis=None)
    assert people["solved_share"].notna().all()
    assert "This report has no search." in (out / "report.html").read_text("utf-8")
    assert not (out / "lost.csv").exists()


def test_every_hand_has_a_fate(data, tables):
    fates = tables["fates"][[*report.FATES]].sum()
    assert fates.sum() == len(data.counted) == 20
    assert fates["solved"] == (data.counted["outcome"] == "solved").sum() > 0
    assert fates["lost"] == (data.counted["lost"] == 1).sum() > 0
    lost = tables["lost"]
    assert sorted(lost["hand_id"]) == sorted(data.counted.loc[data.counted["lost_at"].notna(), "hand_id"])
    moves = data.parts["moves"].set_index(["hand_id", "move_number"])
    for hand in lost.itertuples():
        assert hand.cards_home == moves.loc[(hand.hand_id, hand.lost_at), "cards_home_after"]


@pytest.mark.parametrize(
    ("outcome_columns", "fate"),
    [
        ((1, 1, 0), "solved"),
        ((0, 1, 1), "lost"),
        ((0, 1, 0), "not lost"),
        ((0, 0, float("nan")), "not solvable"),
        ((0, 1, float("nan")), "undecided"),
        ((0, float("nan"), float("nan")), "undecided"),
    ],
)
def test_hand_has_the_expected_fate(outcome_columns, fate):
    assert report._fate(*outcome_columns) == fate


def test_a_report_without_lost_hands_works(data):
    counted = data.hands[data.hands["outcome"] == "solved"]
    kept = replace(data, hands=counted)
    last = list(report.sections(kept))[-1]
    assert last.figures == []
    assert isinstance(last.tables[0].frame, pd.DataFrame)
