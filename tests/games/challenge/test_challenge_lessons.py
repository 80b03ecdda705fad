"""Tests the lessons of the instructions: each position has one winning move."""

import pytest

from cardlab.games.challenge import rules
from cardlab.games.challenge.dealing import LESSONS, lesson_opening
from cardlab.games.challenge.tablebase import exact_scores
from cardlab.games.record import Opening

WINNING = {
    "lesson_trumps": ["play QH"],
    "lesson_pick_up": ["pick up"],
    "lesson_tempo": ["play KS"],
    "lesson_forced_win": ["play KS", "play AS", "play KD"],
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_one_winning_move(name):
    opening = lesson_opening(Opening("", {"size": 3}), f"step {name}")
    state = rules.start(opening.deal, opening.options)
    for action in WINNING[name]:
        won = [rules.action_of(move) for move, score in exact_scores(state.position).items() if score > 0]
        assert won == [action]
        state = rules.apply(state, "S", action)
        if name == "lesson_forced_win" and not state.ended:
            assert rules.waiting_for(state) == ("N",)
            state = rules.apply(state, "N", "pick up")
    assert name != "lesson_forced_win" or state.winner == "S"
