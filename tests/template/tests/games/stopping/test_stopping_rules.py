"""The rules of Stop in Time."""

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.stopping import rules


def played(*actions):
    state = rules.start("7S KS 2S", {"show_left": True})
    for action in actions:
        state = rules.apply(state, rules.SEAT, action)
    return state


def test_kept_card_is_the_score():
    assert rules.result(played("next", "keep"), rules.SEAT, 0) == (13, {"turned": 2}, "completed")


def test_last_card_must_be_kept():
    with pytest.raises(IllegalAction):
        played("next", "next", "next")
    assert rules.legal_actions(played("next", "next"), rules.SEAT) == ["keep"]


@pytest.mark.parametrize("row", ["7S", "7S 7S", "7S 7H"])
def test_invalid_row_is_refused(row):
    with pytest.raises(ValueError, match="row|card"):
        rules.start(row, {"show_left": True})
