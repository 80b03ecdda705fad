"""Defines the strategies of the matrix card game for simulations: the robots of ``robots``.

Like a robot, a strategy sees only the view of its seat.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.matrix import rules
from cardlab.games.matrix.robots import ROBOTS, Robot


def _player(robot: Robot) -> Callable[[Random], Policy]:
    """Returns a strategy that plays like the robot, by the view of its seat."""

    def player(chance: Random) -> Policy:
        return lambda state, seat: robot.act(rules.view(state, seat), chance)

    return player


def new_view_policy(chance: Random) -> ViewPolicy:
    """Returns a policy that plays like the robot ``best_response``."""

    def act(view: dict[str, Any]) -> str | None:
        if view["seat"] not in view["waiting_for"]:
            return None
        return ROBOTS["best_response"].act(view, chance)

    return act


STRATEGIES: dict[str, Strategy] = {
    name: Strategy(_player(robot), robot.source) for name, robot in ROBOTS.items()
}
