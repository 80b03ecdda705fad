"""Tests the habit factor of ``routinizing``, which is the effect size of power analyses."""

from random import Random

import pytest

from cardlab.analysis.simulation import plan, sessions
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name
from cardlab.games.simulation import find_strategy, strategy_names
from cardlab.games.tables import ACTION_COLUMNS

TTT = games_by_name()["ttt"]
KNOWN = TTT.load_module("strategies").STRATEGIES


def moves(name):
    """Returns the actions of two participants in the hands of the transfer experiment."""
    simulated = plan.plan_simulation("ttt", strategy=name, participants=2, hands=20, deals="transfer422.txt")
    actions = list(ACTION_COLUMNS).index("action")
    return [[row[actions] for row in rows] for rows in sessions.simulate_hands(simulated)]


def test_habit_factor_zero_is_informed_one_is_default():
    assert moves("routinizing=0") == moves("informed")
    assert moves("routinizing=1") == moves("routinizing") != moves("informed")


def test_strategy_name_shows_that_it_can_be_scaled():
    assert "routinizing=FACTOR" in strategy_names(KNOWN)
    assert "informed=FACTOR" not in strategy_names(KNOWN)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("routine=1", "routine=1: Target the Two has no such strategy. The strategies are random, "),
        ("informed=1", "informed=1: The strategy informed of Target the Two has no factor"),
        ("routinizing=x", "routinizing=x: FACTOR in routinizing=FACTOR must be a number from 0 to 1000"),
        ("routinizing=", "routinizing=: FACTOR in"),
        ("routinizing=-1", "routinizing=-1: FACTOR in"),
        ("routinizing=nan", "routinizing=nan: FACTOR in"),
    ],
)
def test_invalid_strategy_is_refused_in_a_sentence(name, sentence):
    with pytest.raises(BadFile) as refused:
        find_strategy(TTT.title, KNOWN, name)
    assert str(refused.value).startswith(sentence)
    assert find_strategy(TTT.title, KNOWN, "routinizing=2.5").new_policy(Random(1))
