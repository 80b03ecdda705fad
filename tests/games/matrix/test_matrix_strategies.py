"""Tests the strategies of the matrix card game, which are its robots in a participant's seat."""

from dataclasses import replace
from random import Random

import pytest

from cardlab.games.matrix import rules
from cardlab.games.matrix.robots import ROBOTS
from cardlab.games.matrix.strategies import STRATEGIES

TABLES = [{}, {"pack": "special", "court": "ladder"}, {"players": 4, "change_choice": True}]


def test_every_robot_is_a_described_strategy():
    assert list(STRATEGIES) == list(ROBOTS)
    assert all(strategy.description.endswith(".") for strategy in STRATEGIES.values())


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("name", STRATEGIES)
def test_strategy_plays_like_the_robot_in_its_seat(name, options):
    state = rules.start(rules.deal("seats", options), options)
    chances = {seat: Random(seat) for seat in rules.seats(state)}
    players = {seat: STRATEGIES[name].new_policy(Random(seat)) for seat in rules.seats(state)}
    while not rules.is_over(state):
        seat = rules.waiting_for(state)[0]
        action = players[seat](state, seat)
        assert action == ROBOTS[name].act(rules.view(state, seat), chances[seat])
        assert action in rules.legal_actions(state, seat)
        state = rules.apply(state, seat, action)


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_ignore_hidden_cards(name):
    state = rules.start(rules.deal("secret", {}), {})
    for card in state.hand("S")[:3]:
        chosen = rules.apply(state, "S", f"play {card}")
        others = (tuple(reversed(chosen.hands[0])), chosen.hands[1])
        otherwise = replace(chosen, hands=others, stock=tuple(reversed(chosen.stock)))
        first, second = (STRATEGIES[name].new_policy(Random(4)) for _ in range(2))
        assert (
            first(chosen, "W") == second(otherwise, "W") == STRATEGIES[name].new_policy(Random(4))(state, "W")
        )
