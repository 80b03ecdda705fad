"""Strategies of Stop in Time, for simulations and demonstrations, which see only a player's view."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.stopping import rules

View = dict[str, Any]


def _random(view: View, chance: random.Random) -> str:
    may: list[str] = view["may"]
    return chance.choice(may)


def _threshold(view: View, _chance: random.Random) -> str:
    return rules.NEXT if rules.WORTH[view["card"]] < 10 and rules.NEXT in view["may"] else rules.KEEP


def _player(act: Callable[[View, random.Random], str]) -> Callable[[random.Random], Policy]:
    return lambda chance: lambda state, seat: act(rules.view(state, seat), chance)


def new_view_policy(chance: random.Random) -> ViewPolicy:
    """Returns the strategy ``threshold``, which gives None when the player has no choice."""
    return lambda view: _threshold(view, chance) if view["may"] else None


STRATEGIES = {
    "random": Strategy(_player(_random), "Keeps or goes on, each equally likely."),
    "threshold": Strategy(_player(_threshold), "Keeps the first card that is worth 10 points or more."),
}
