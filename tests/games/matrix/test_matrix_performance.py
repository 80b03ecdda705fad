"""Tests measures of the matrix card game against hand-computed examples and a played game."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures, participant_measures

from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.matrix import measures, performance, rules
from cardlab.games.record import Opening
from cardlab.games.statistics import Row

measures_of_hand, measures_of_participant = (
    partial(add_hand_measures, performance.MEASURES),
    partial(participant_measures, performance.MEASURES),
)

CELLS = (
    *("score", "partner_score", "free_choices", "free_best_responses", "rotations", "kept"),
    *("mean_response_ms", "outcome"),
)


def hand(**cells: Any) -> Row:
    """Returns a row of the table of hands, as far as the measures need it."""
    row = {
        **{"score": 12, "partner_score": 20, "free_choices": 16, "free_best_responses": 12},
        **{"rotations": 3, "kept": 1, "mean_response_ms": 4000, "outcome": "completed"},
        **cells,
    }
    return measures_of_hand(row)


def test_hand_has_the_expected_measures():
    measured = hand()
    assert (measured["best_response_share"], measured["rotation_share"], measured["lead"]) == (0.75, 0.75, -8)


@pytest.mark.parametrize(("mine", "other", "lead"), [(20, 12, 8), (-3, -8, 5), (0, 0, 0), (-4, 4, -8)])
def test_lead_is_the_difference_of_scores(mine, other, lead):
    assert hand(score=mine, partner_score=other)["lead"] == lead


def test_shares_without_opportunity_are_empty():
    measured = hand(free_choices=0, free_best_responses=0, rotations=0, kept=0)
    assert (measured["best_response_share"], measured["rotation_share"]) == ("", "")


def test_shares_of_unused_opportunities_are_zero():
    measured = hand(free_best_responses=0, rotations=0)
    assert (measured["best_response_share"], measured["rotation_share"]) == (0, 0)


def test_departed_player_has_no_lead():
    """``score`` is that when the player left, and ``partner_score`` that at the end of the hand."""
    assert hand(outcome="advanced")["lead"] == ""


def test_changes_need_four_hands():
    measured = measures_of_participant([hand()] * 3)
    assert (measured["best_response_change"], measured["response_change"]) == (None, None)


def test_four_hands_give_the_participants_measures():
    nothing = {"free_choices": 0, "free_best_responses": 0, "rotations": 0, "kept": 0, "mean_response_ms": ""}
    measured = measures_of_participant(
        [
            hand(),
            hand(score=12, partner_score=14, **nothing),
            hand(free_choices=4, free_best_responses=1, rotations=0, kept=2, mean_response_ms=3000),
            hand(score=30, **nothing),
        ],
    )
    assert measured == {
        "hands_over": 4,
        "mean_score": 16.5,
        "mean_lead": -2,
        "best_response_rate": 13 / 20,
        "best_response_change": -0.5,
        "rotation_rate": 3 / 6,
        "response_ms": 3500,
        "response_change": -1000,
    }


def test_participant_without_hands_has_only_a_count():
    assert {name for name, value in measures_of_participant([]).items() if value is not None} == {
        "hands_over"
    }


whole_numbers = st.integers(0, 22)


@given(st.lists(st.tuples(whole_numbers, whole_numbers, whole_numbers, whole_numbers), max_size=8))
def test_rates_pool_hands_and_stay_between_them(counts):
    hands = [
        hand(free_choices=best + not_best, free_best_responses=best, rotations=rotated, kept=kept)
        for best, not_best, rotated, kept in counts
    ]
    measured = measures_of_participant(hands)
    for rate, column in (("best_response_rate", "best_response_share"), ("rotation_rate", "rotation_share")):
        shares = [row[column] for row in hands if row[column] != ""]
        assert (measured[rate] is None) == (shares == [])
        assert not shares or min(shares) - 1e-9 <= measured[rate] <= max(shares) + 1e-9


def played(seed: str) -> list[Row]:
    """Returns the rows of both seats of a game in which the first legal action is always taken."""
    options = {"players": 2}
    deal = rules.deal(seed, options)
    state, events = rules.start(deal, options), []
    while seats := rules.waiting_for(state):
        action = rules.legal_actions(state, seats[0])[0]
        events.append(Event(len(events) + 1, seats[0], action, 1000 * len(events), 1000 * len(events)))
        state = rules.apply(state, seats[0], action)
    return [
        {
            "outcome": "completed",
            "score": rules.result(state, seat, 0).score,
            **measures.measure_hand(History.replay(rules, Opening(deal, options, shown_ms=0), events), seat),
        }
        for seat in rules.seats(state)
    ]


@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_leads_of_two_players_are_opposite(seed):
    first, second = map(measures_of_hand, played(seed))
    assert first["lead"] == -second["lead"] != ""
    assert first["rotation_share"] in ("", 1)  # rotate comes before keep among the legal actions
    for row in (first, second):
        assert row["best_response_share"] == row["free_best_responses"] / row["free_choices"]


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
