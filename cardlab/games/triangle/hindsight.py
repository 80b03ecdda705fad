"""What was still possible in a hand of Triangle Solitaire, card by card, and what each placement lost.

Nearly every deal allows the best score there is to somebody who knows the whole deck, so the distance from it
says no more than the score. When it was lost says more: after each card the oracle tells the best score that
could still be reached. It knows what comes, which no player does: what a placement lost is no mistake by
itself, but over many hands those who plan ahead lose less, and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.rules import State


class Possible(NamedTuple):
    """The best score that could still be reached; ``proved`` says that no other is better."""

    score: int
    proved: bool


def possible(states: Sequence[State], time_limit: float) -> list[Possible]:
    """What could still be reached from each of these states, which follow one another card by card.

    What is possible never grows, so where it is the same at two moments it was the same between them: the
    moments of loss are found by halving, and few states are searched. ``time_limit`` is in seconds for each
    of them. Raises NoSolver.
    """
    found: dict[int, Possible] = {}

    def search(number: int) -> Possible:
        best = oracle.best_play(states[number], time_limit)
        found[number] = Possible(best.score, best.proved)
        return found[number]

    def between(first: int, last: int) -> None:
        if last - first < 2:
            return
        if found[first].score == found[last].score:
            proved = found[first].proved
            found.update({number: Possible(found[last].score, proved) for number in range(first + 1, last)})
            return
        middle = (first + last) // 2
        search(middle)
        between(first, middle)
        between(middle, last)

    search(0)
    search(len(states) - 1)
    between(0, len(states) - 1)
    for number in range(len(states) - 2, -1, -1):  # what a search cut short missed, the play has found
        later, here = found[number + 1], found[number]
        if here.score < later.score:
            found[number] = Possible(later.score, False)
    return [found[number] for number in range(len(states))]


def states_of(deal: str, actions: Sequence[str]) -> list[State]:
    """The states of a hand, as dealt and after each card that was placed or discarded. Raises ValueError,
    IllegalAction."""
    states = [rules.start(deal, {})]
    for action in actions:
        states.append(rules.apply(states[-1], rules.SEAT, action))
    return states
