"""Strategies of the matrix card game, for simulations: the robots, each in a participant's seat.

A player sees what a participant in its seat sees, as a robot does; ``robots`` says how they choose.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from games.contract import Player, Strategy
from games.matrix import rules
from games.matrix.robots import ROBOTS, Robot


def _player(robot: Robot) -> Callable[[Random], Player]:
    """What the robot makes of a state: it acts on what its seat sees."""

    def player(chance: Random) -> Player:
        return lambda state, seat: robot.act(rules.view(state, seat), chance)

    return player


STRATEGIES: dict[str, Strategy] = {
    name: Strategy(_player(robot), robot.source) for name, robot in ROBOTS.items()
}
