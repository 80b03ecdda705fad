"""The fast world: the hand service, its queue and its hub with records in memory (``world.py``)."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache

from golden_session import APPS  # oTree, without a database
from harnesses import GAMES
from schedules import Outcome, Schedule, draw
from world import World

import settings
from cardlab.games.contract import Rules
from cardlab.games.record import Opening

STEPS = 300  # per schedule
HANDS = 6

CONFIGS = {
    config["name"]: (name, {**settings.SESSION_CONFIG_DEFAULTS, **config})
    for name, game in GAMES.items()
    for config in settings.SESSION_CONFIGS
    if game.app in config["app_sequence"]
}


@cache
def hands(name: str) -> tuple[Rules, list[Opening]]:
    """Returns the first hands of a config's session, with time limits short enough to expire now and then."""
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


def schedule_of(seed: str) -> Schedule:
    """Returns the schedule of a seed, such as ``hands-17``."""
    return draw(seed, STEPS, 3)


def play(seed: str, schedule: Schedule) -> Outcome:
    """Plays a schedule; the number of the seed chooses the session."""
    names = list(CONFIGS)
    outcome = Outcome()
    logging.disable(logging.CRITICAL)  # otherwise each fault would be logged
    try:
        lab = World(*hands(names[int(seed.rpartition("-")[2]) % len(names)]))
        outcome.tallies, outcome.story = lab.tallies, lab.story
        for step in schedule:
            outcome.steps += 1
            lab.step(*step)
    except Exception as error:  # noqa: BLE001 whatever it is: the caller reports it
        outcome.failure = f"{type(error).__name__}: {error}"
    finally:
        logging.disable(logging.NOTSET)
    return outcome
