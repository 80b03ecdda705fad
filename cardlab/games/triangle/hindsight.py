"""The best score that could still be reached after each card of a hand of Triangle Solitaire.

With the whole deck known, nearly every deal allows the highest score, so the distance from it says no more
than the score itself. The moment of a loss says more: after each card the oracle computes the best score
still reachable. The oracle knows the coming cards, so a single loss is not a mistake of the player, but
over many hands players who plan ahead lose less, and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.rules import State


class ReachableScore(NamedTuple):
    """The best score still reachable; ``proved`` if no higher score is possible."""

    score: int
    proved: bool


def find_reachable_scores(states: Sequence[State], time_limit: float) -> list[ReachableScore]:
    """Finds the best score still reachable from each of the states that follow one another card by card.

    The reachable score never grows. If it is equal at two moments, it was the same in between, so bisection
    finds the moments of loss with few searches. ``time_limit`` is in seconds for each search. Raises
    SolverNotInstalled.
    """
    found: dict[int, ReachableScore] = {}

    def search(number: int) -> ReachableScore:
        best = oracle.find_best_play(states[number], time_limit)
        found[number] = ReachableScore(best.score, best.proved)
        return found[number]

    def bisect(first: int, last: int) -> None:
        if last - first < 2:
            return
        if found[first].score == found[last].score:
            proved = found[first].proved
            found.update(
                {number: ReachableScore(found[last].score, proved) for number in range(first + 1, last)}
            )
            return
        middle = (first + last) // 2
        search(middle)
        bisect(first, middle)
        bisect(middle, last)

    search(0)
    search(len(states) - 1)
    bisect(0, len(states) - 1)
    for number in range(len(states) - 2, -1, -1):
        later = found[number + 1]
        if found[number].score < later.score:  # its search hit the time limit; the actual play did better
            found[number] = ReachableScore(later.score, False)
    return [found[number] for number in range(len(states))]


def replay_actions(deal: str, actions: Sequence[str]) -> list[State]:
    """Returns the states of a hand, as dealt and after each card that was placed or discarded.

    Raises ValueError for the deal, IllegalAction for an action.
    """
    states = [rules.start(deal, {})]
    for action in actions:
        states.append(rules.apply(states[-1], rules.SEAT, action))
    return states
