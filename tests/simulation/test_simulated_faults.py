"""Tests that no action is lost or doubled under simulated faults, in sessions of every game.

``CARD_LAB_STEPS=1000000 python -m pytest tests/simulation`` simulates a million steps, each time others.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import cache

import pytest
from golden_session import APPS  # oTree, without a database
from harnesses import GAMES
from hypothesis import HealthCheck, Phase, given, note
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from world import World

import settings
from cardlab.games.contract import Rules
from cardlab.games.record import Opening

WANTED = int(os.environ.get("CARD_LAB_STEPS", "0"))  # else those of the suite, which are always the same
IN_THE_SUITE = 70_000
SCHEDULE = 300  # steps of one simulated session
HANDS = 3

CONFIGS = {
    config["name"]: (name, {**settings.SESSION_CONFIG_DEFAULTS, **config})
    for name, game in GAMES.items()
    for config in settings.SESSION_CONFIGS
    if game.app in config["app_sequence"]
}


@cache
def hands(name: str) -> tuple[Rules, list[Opening]]:
    """Returns the first hands of a session of the config, its limits short enough to pass by now and then."""
    game, config = CONFIGS[name]
    short = {"turn_limit_seconds": 20, "gather_seconds": 30, "absent_after": 2}
    config = {**config, "seed": 1, **{key: value for key, value in short.items() if key in config}}
    rules, people = GAMES[game].rules, config.get("group_size", 1)
    dealt = APPS[game].deal(config, people).hands[:HANDS]
    return rules, [_with_robots(rules, of_hand[0], people, config.get("robot")) for of_hand in dealt]


def _with_robots(rules: Rules, hand: Opening, people: int, robot: str | None) -> Opening:
    """Returns the hand with robots in the seats that no participant has."""
    seats = rules.seats(rules.start(hand.deal, hand.options))
    if people == len(seats):
        return hand
    return replace(hand, options={**hand.options, "robots": dict.fromkeys(seats[people:], robot)})


@pytest.mark.parametrize("name", CONFIGS)
def test_no_accepted_action_is_lost_or_doubled(name, caplog):
    caplog.set_level(logging.CRITICAL)  # each fault would be logged

    @hypothesis_settings(
        max_examples=max(1, (WANTED or IN_THE_SUITE) // SCHEDULE // len(CONFIGS)),
        derandomize=not WANTED,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(min_size=3 * SCHEDULE, max_size=3 * SCHEDULE))
    def simulate(schedule):
        lab = World(*hands(name))
        try:
            for place in range(0, len(schedule), 3):
                lab.step(*schedule[place : place + 3])
        except BaseException:
            note("\n".join(lab.story))
            raise

    simulate()
