"""Tests players that see only the page's view, as in a rehearsal, in every game."""

import json
from random import Random

import pytest
from harnesses import GAMES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_driver import ServerDriver

from cardlab.games import registry

MOST = 2000  # actions of a hand, far more than any hand takes


@pytest.mark.parametrize("name", GAMES)
def test_view_policies_act_legally_and_finish_every_hand(name):
    game, harness = GAMES[name], GAMES[name].harness
    by_view = registry.games_by_name()[game.folder].load_module("strategies").new_view_policy

    @settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
    @given(harness.openings, st.integers(0, 99))
    def plays(opening, seed):
        hand = ServerDriver(game.rules, opening)
        players = {seat: by_view(Random(f"{seed} {seat}")) for seat in hand.hand.human_seats}
        for _action in range(MOST):
            if hand.hand.is_over:
                break
            for seat, player in players.items():
                view = json.loads(json.dumps(game.rules.view(hand.hand.state, seat)))
                if action := player(view):
                    assert "refused" not in hand.send_action(seat, action), (action, view)
            if all(seat not in players for seat in game.rules.waiting_for(hand.hand.state)):
                return  # a computer player would have to search
        assert hand.hand.is_over

    plays()
