"""Strategies of the matrix card game, for simulations: the robots, each in a participant's seat.

A player sees what a participant in its seat sees, as a robot does; ``robots`` says how they choose.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.matrix import rules
from cardlab.games.matrix.robots import ROBOTS, Robot


def _player(robot: Robot) -> Callable[[Random], Policy]:
    """Returns what the robot makes of a state: it acts on what its seat sees."""

    def player(chance: Random) -> Policy:
        return lambda state, seat: robot.act(rules.view(state, seat), chance)

    return player


def new_view_policy(chance: Random) -> ViewPolicy:
    """Returns the robot ``best_response``, when it is waited for."""

    def act(view: dict[str, Any]) -> str | None:
        if view["seat"] not in view["waiting_for"]:
            return None
        return ROBOTS["best_response"].act(view, chance)

    return act


STRATEGIES: dict[str, Strategy] = {
    name: Strategy(_player(robot), robot.source) for name, robot in ROBOTS.items()
}
