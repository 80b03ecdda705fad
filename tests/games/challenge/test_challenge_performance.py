"""Tests measures of Challenge against hand-computed examples."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures, participant_measures

from cardlab.games.challenge import performance
from cardlab.games.statistics import Row

measures_of_hand, measures_of_participant = (
    partial(add_hand_measures, performance.MEASURES),
    partial(participant_measures, performance.MEASURES),
)

CELLS = {
    **{"seat": "S", "winner": "N", "ended_by": "out", "score": 0, "cards_left": 5, "cards_of_other": 0},
    **{"moves": 10, "pick_ups": 4, "length": 20, "claims": 0, "claims_right": 0, "hints": 1},
    **{"mean_response_ms": 2000, "outcome": "lost"},
}


def hand(**cells: Any) -> Row:
    """Returns a row of the table of hands, as far as the measures need it."""
    return measures_of_hand({**CELLS, **cells})


def test_game_has_the_expected_measures():
    names = ("won", "drawn", "lead_in_cards", "pick_up_share")
    assert [hand()[name] for name in names] == [0, 0, -5, 0.4]
    assert [hand(winner="S", cards_left=0, cards_of_other=3)[name] for name in names] == [1, 0, 3, 0.4]
    assert [hand(winner="", ended_by="agreed")[name] for name in names[:2]] == [0, 1]
    assert [hand(winner="", ended_by="", moves=0)[name] for name in names] == ["", "", -5, ""]


def test_four_games_give_the_participants_measures():
    hands = [
        hand(mean_response_ms=8000),
        hand(mean_response_ms=4000, winner="", ended_by="repeated", score=1, claims=2, claims_right=1),
        hand(mean_response_ms="", winner="", ended_by="", pick_ups=0),
        hand(winner="S", score=2, cards_left=0, cards_of_other=5, length=40, claims=1, claims_right=1),
    ]
    assert measures_of_participant(hands) == {
        **{"hands_over": 4, "win_rate": 1 / 3, "draw_rate": 1 / 3, "win_change": 1},
        **{"mean_score": 3 / 4, "mean_length": 25, "mean_lead_in_cards": -2.5, "pick_up_rate": 12 / 40},
        **{"right_claims": 2 / 3, "mean_hints": 1, "ms_per_move": pytest.approx(14000 / 3)},
        "response_change": -6000,
        "learning_rate": pytest.approx(-1),  # 8, 4 and 2 seconds in games 1, 2 and 4
    }


@given(st.data())
def test_missing_and_empty_cells_never_crash(data):
    hands = []
    for _hand in range(data.draw(st.integers(0, 5))):
        row = dict(CELLS)
        for name in data.draw(st.sets(st.sampled_from([*row]))):
            del row[name]
        for name in data.draw(st.sets(st.sampled_from([*row])) if row else st.just(())):
            row[name] = data.draw(st.sampled_from(["", None]))
        assert not any(measure(row) == "" for measure in performance.MEASURES.hand_measures)
        hands.append(measures_of_hand(row))
    assert not any(value == "" for value in measures_of_participant(hands).values())
