"""Tests measures of Triangle Solitaire against hand-computed examples."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures, participant_measures

from cardlab.games.statistics import Row
from cardlab.games.triangle import performance

measures_of_hand, measures_of_participant = (
    partial(add_hand_measures, performance.MEASURES),
    partial(participant_measures, performance.MEASURES),
)

CELLS = (
    *("score", "sides", "corners", "matches", "discontinuities", "discarded"),
    *("marks", "kept_marks", "mean_placement_ms"),
)


def hand(**cells: Any) -> Row:
    """Returns a row of the table of hands, as far as the measures need it."""
    row = {
        **{"score": 3, "sides": 1, "corners": 2, "matches": 18, "discontinuities": 2, "discarded": 0},
        **{"marks": 4, "kept_marks": 1, "mean_placement_ms": 4000, **cells},
    }
    return measures_of_hand(row)


def test_hand_has_the_expected_measures():
    assert (hand()["match_share"], hand()["planned_share"]) == (18 / 27, 1 / 4)
    assert hand(matches=27)["match_share"] == 1
    assert hand(matches=0)["match_share"] == 0


def test_planned_share_needs_reminders():
    assert hand(marks=0, kept_marks=0)["planned_share"] == ""
    assert hand(kept_marks=0)["planned_share"] == 0


def test_four_hands_give_the_participants_measures():
    values = list(
        measures_of_participant(
            [
                hand(score=-9, discarded=2, mean_placement_ms=8000),
                hand(score=1, sides=0, mean_placement_ms=4000),
                hand(score=5, corners=3, mean_placement_ms=""),
                hand(score=18, sides=3, corners=3, discontinuities=0, marks=0, mean_placement_ms=2000),
            ],
        ).values()
    )
    hands_over, mean_score, best, score_change, sides, corners, breaks, discarded, marks, ms, rate = values
    assert (hands_over, mean_score, best, score_change) == (4, 3.75, 18, 15.5)
    assert (sides, corners, breaks, discarded, marks) == (1.25, 2.5, 1.5, 0.5, 3)
    assert ms == pytest.approx(14000 / 3)
    assert rate == pytest.approx(-1)  # 8, 4 and 2 seconds in hands 1, 2 and 4: half with each doubling


def test_the_highest_score_may_be_negative():
    scores = [hand(score=-9), hand(score=-4)]
    assert max(value for value in measures_of_participant(scores).values() if value in (-9, -4)) == -4


@given(st.lists(st.integers(1, 60_000), min_size=4, max_size=20))
def test_the_learning_rate_agrees_with_numpy(times):
    places = np.log(np.arange(1, len(times) + 1))
    slope, _intercept = np.polyfit(places, np.log(times), 1)
    found = measures_of_participant([hand(mean_placement_ms=ms) for ms in times])
    assert found["learning_rate"] == pytest.approx(slope, abs=1e-6)


def test_learning_rate_needs_four_hands():
    assert measures_of_participant([hand()] * 3)["learning_rate"] is None


@given(st.data())
def test_missing_and_empty_cells_never_crash(data):
    hands = []
    for _hand in range(data.draw(st.integers(0, 5))):
        row = hand()
        for name in data.draw(st.sets(st.sampled_from([*row]))):
            del row[name]
        for name in data.draw(st.sets(st.sampled_from([*row])) if row else st.just(())):
            row[name] = ""
        assert not any(measure(row) == "" for measure in performance.MEASURES.hand_measures)
        hands.append(measures_of_hand(row) if data.draw(st.booleans()) else row)
    assert not any(value == "" for value in measures_of_participant(hands).values())


@pytest.mark.parametrize("empty", [{}, dict.fromkeys(CELLS, ""), dict.fromkeys(CELLS)])
def test_rows_of_empty_cells_are_only_counted(empty):
    assert [measure(empty) for measure in performance.MEASURES.hand_measures] == [None] * len(
        performance.MEASURES.hand_measures
    )
    assert {
        name: value for name, value in measures_of_participant([empty] * 3).items() if value is not None
    } == {"hands_over": 3}
