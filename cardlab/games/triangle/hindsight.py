"""Finds the best score still reachable after each card of a hand of Triangle Solitaire.

With the whole deck known, nearly every deal allows the highest score, so the distance from it adds nothing to
the score itself. The moments of losses are more informative: after each card the oracle computes the best
score still reachable. The oracle knows the coming cards, so a single loss is not a mistake of the player, but
over many hands players who plan ahead lose less, and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.rules import State
from cardlab.games.triangle.scoring import BEST


class ReachableScore(NamedTuple):
    """The best score still reachable. ``proved`` says that no higher score is possible."""

    score: int
    proved: bool


def find_reachable_scores(states: Sequence[State], nodes: int) -> list[ReachableScore]:
    """Finds the best score still reachable from each of the successive states of a hand.

    The reachable score never grows. If it is equal at two moments, it was the same in between, so bisection
    finds the moments of loss with few searches, of at most ``nodes`` positions each.
    """
    found = {len(states) - 1: ReachableScore(states[-1].score.total, True)}

    def search(number: int, least: int, most: int) -> None:
        found[number] = ReachableScore(*oracle.find_score(states[number], least, most, nodes))

    def bisect(first: int, last: int) -> None:
        before, after = found[first], found[last]
        middle = (first + last) // 2
        if before.score == after.score:
            found.update(dict.fromkeys(range(first + 1, last), before))
        elif middle > first:
            search(middle, after.score, before.score if before.proved else BEST)
            bisect(first, middle)
            bisect(middle, last)

    search(0, found[len(states) - 1].score, BEST)
    bisect(0, len(states) - 1)
    for number in range(len(states) - 2, -1, -1):
        later = found[number + 1].score
        if found[number].score < later:  # its search reached the limit, and the actual play did better
            found[number] = ReachableScore(later, False)
    return [found[number] for number in range(len(states))]


def replay_actions(deal: str, actions: Sequence[str]) -> list[State]:
    """Returns the states of a hand: after the deal, and after each placed or discarded card.

    Raises ValueError for an invalid deal, IllegalAction for an illegal action.
    """
    states = [rules.start(deal, {})]
    for action in actions:
        states.append(rules.apply(states[-1], rules.SEAT, action))
    return states
