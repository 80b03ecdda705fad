"""Finds the best score that is reachable with the whole deck known.

A player sees one card at a time, so this is an upper bound for a hand. The result is the same on every
machine, because the budget is a number of positions.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from cardlab.games.triangle import rules
from cardlab.games.triangle.rules import SEAT, State
from cardlab.games.triangle.scoring import BEST
from cardlab.games.triangle.strategies import VIEW_POLICIES

NODES = 10_000_000  # limit of a search: some seconds if compiled

_STRATEGY, _SEED = "look_ahead", 0


class BestPlay(NamedTuple):
    """The best play from a state on: ``actions`` that reach ``score``.

    ``proved`` says that no higher score is possible; ``bound`` is a score that cannot be exceeded; ``nodes``
    is the number of positions that were searched.
    """

    score: int
    actions: tuple[str, ...]
    proved: bool
    bound: int
    nodes: int


def find_best_play(state: State, nodes: int = NODES) -> BestPlay:
    """Finds the best score from ``state`` on, with actions that reach it, in at most ``nodes`` positions.

    An unproved score is never lower than that of ``look_ahead``.
    """
    from cardlab.games.triangle.search import Search

    score, actions = _play_strategy(state)
    search = Search(state)
    score, proved = search.run(score, BEST, nodes)
    bound = score if proved else search.highest
    return BestPlay(score, search.actions() or actions, proved, bound, search.nodes)


def find_score(state: State, least: int, most: int, nodes: int) -> tuple[int, bool]:
    """Returns the best score from ``state`` on, and whether it is proved.

    The score must be known to be between ``least`` and ``most``.
    """
    from cardlab.games.triangle.search import Search

    return Search(state).run(least, most, nodes)


def _play_strategy(state: State) -> tuple[int, tuple[str, ...]]:
    chance, actions = random.Random(_SEED), list[str]()
    while not rules.is_over(state):
        actions.append(VIEW_POLICIES[_STRATEGY](rules.view(state, SEAT), chance))
        state = rules.apply(state, SEAT, actions[-1])
    return state.score.total, tuple(actions)
