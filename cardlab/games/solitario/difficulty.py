"""Grades the difficulty of a Solitario deal by the solver's effort and the win rates of simulated players."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from cardlab.games.contract import Policy
from cardlab.games.solitario import rules
from cardlab.games.solitario.solver import Solution
from cardlab.games.solitario.strategies import STRATEGIES, new_varied_policy

PLAYS = 20  # by the careful player, and by the player who restarts
EASY_NODES = 1000  # maximum positions that the solver searches for a deal of grade 4


class Wins(NamedTuple):
    """The shares of plays in which three simulated players solve a deal.

    ``greedy`` is deterministic. ``restarts`` restarts repeatedly, each time with other random moves.
    """

    greedy: float
    careful: float
    restarts: float


def count_wins(deal: str, options: dict[str, Any]) -> Wins:
    """Returns the win rates of a deal. Seeds come from the deal, so the same deal has the same rates."""
    players = (STRATEGIES["greedy"].new_policy, STRATEGIES["careful"].new_policy, new_varied_policy)
    shares = []
    for repetitions, new_policy in zip((1, PLAYS, PLAYS), players):
        seeds = (f"{deal} {number}" for number in range(repetitions))
        won = [_is_solved_by(new_policy(Random(seed)), deal, options) for seed in seeds]
        shares.append(sum(won) / repetitions)
    return Wins(*shares)


def _is_solved_by(policy: Policy, deal: str, options: dict[str, Any]) -> bool:
    state = rules.start(deal, {**options, "turn_up": "auto", "undo": False})
    while not rules.is_over(state):
        state = rules.apply(state, rules.SEAT, policy(state, rules.SEAT))
    return state.solved


def grade(solution: Solution, wins: Wins) -> int | None:
    """Returns the grade of a solvable deal, from 1 (easy) to 5 (hard); None for any other deal.

    1: the greedy player solves it. 2: the other two solve it in at least half of their plays. 3: they do in
    fewer. 4: they never do, but the solver searches at most ``EASY_NODES`` positions. 5: it searches more.
    """
    if not solution.solvable:
        return None
    share = (wins.careful + wins.restarts) / 2
    reached = (wins.greedy > 0, share >= 1 / 2, share > 0, solution.nodes <= EASY_NODES)
    return (*reached, True).index(True) + 1
