"""Searches for the best score from a state of Triangle Solitaire, with the deck known.

``kernel.py`` searches all plays. An unlucky order can take a thousand times as long as another. So a search
that exceeds its budget of positions restarts with another order of places and cards, and a larger budget.
"""

from __future__ import annotations

from collections.abc import Iterable

from cardlab.games.compiled import integers
from cardlab.games.triangle import kernel
from cardlab.games.triangle.loop import NUMBERS
from cardlab.games.triangle.packs import COMPLETES, SINGLES, fits, is_complete, match
from cardlab.games.triangle.rules import DISCARD, State
from cardlab.games.triangle.scoring import BEST, MISMATCH, POINTS

FIRST_NODES, GROWTH = 5_000, 4  # budget of the first attempt, and its factor for each further attempt
SHIFT = 7  # rotation of the order of places and cards in the next attempt

_BIT = {single: 1 << number for number, single in enumerate(SINGLES)}


class Search:
    """The search from one state. Cards are numbered by their position in the remaining deck."""

    def __init__(self, state: State) -> None:
        self._cards = state.deck
        self._deck = integers(list(map(_mask, state.deck)))
        self._fits = integers([*map(self._fitting, state.places), *map(self._blockable, state.places)])
        self._match = integers(kernel.MASK + 1)
        self._match[0] = -1
        for card in COMPLETES:
            self._match[_mask(card)] = _set(match(card, other) for other in state.deck)
        numbers = [number for number, card in enumerate(state.deck) if not is_complete(card)]
        self._singles = integers(
            [
                each
                for number in numbers
                for each in (
                    number,
                    self._deck[number],
                    _set(fits(state.deck[number], at) for at in state.places),
                )
            ]
            or 1
        )
        self._search = integers(kernel.SEARCH_SIZE)
        self._search[kernel.SINGLES] = len(numbers)
        self._solution: list[int] = []
        self._states = integers(kernel.STATE_SIZE * (len(state.deck) + 1))
        self.highest = self._begin(state)  # an upper bound of the score
        self.nodes = 0

    def _begin(self, state: State) -> int:
        """Writes the first state of the search, and returns the score if all coming cards fit."""
        dead, loss = 0, 0
        for joint, status in enumerate(state.score.joints):
            if status == MISMATCH:
                more, dead = kernel.loss_at_joint(joint, dead)
                loss += int(more)
        for place, content in enumerate(state.places):
            self._states[place] = _mask(content) if is_complete(content) else 0
            self._states[kernel.ALLOWED + place] = self._fits[place]
        self._states[kernel.REMAINING] = _set(map(is_complete, state.deck))
        self._states[kernel.DEAD] = dead
        counts = state.score.counts
        return BEST - loss + sum(POINTS[part] * counts[part] for part in ("discontinuities", "discarded"))

    def run(self, least: int, most: int, nodes: int) -> tuple[int, bool]:
        """Returns the best score, and whether it is proved.

        The score must be known to be between ``least`` and ``most``. ``nodes`` is the budget.
        """
        most, search = min(most, self.highest), self._search
        budget, first = min(FIRST_NODES, nodes), 0
        while least < most and budget:
            search[kernel.NODES], search[kernel.NODE_LIMIT] = 0, budget
            search[kernel.FIRST_PLACE] = first % kernel.PLACES
            allowed = self.highest - least
            loss = kernel.least_loss(
                *(0, allowed, self._deck, self._fits, self._match, self._singles, self._states, search)
            )
            if loss < allowed:
                least = self.highest - int(loss)
                self._solution = [int(number) for number in search[kernel.BEST :]]
            self.nodes += min(budget, int(search[kernel.NODES]))
            if search[kernel.NODES] <= budget:
                most = least
            budget, first = min(GROWTH * budget, nodes - self.nodes), first + SHIFT
        return least, least >= most

    def actions(self) -> tuple[str, ...]:
        """Returns the actions of the best solution; none if the search has not improved on ``least``."""
        if not self._solution:
            return ()
        places = {card - 1: number for number, card in zip(NUMBERS, self._solution) if card}
        for number, single in zip(NUMBERS, self._solution[kernel.PLACES :]):
            if single:
                places[int(self._singles[kernel.SINGLE_SIZE * (single - 1)])] = number
        return tuple(
            f"place {places[card]}" if card in places else DISCARD for card in range(len(self._cards))
        )

    def _fitting(self, content: str) -> int:
        """Returns the Completes that fit in a place with this content."""
        return _set(is_complete(card) and fits(card, content) for card in self._cards)

    def _blockable(self, content: str) -> int:
        """Returns the Completes that a Single of the deck can keep out of a place with this content."""
        return _set(
            any(
                not is_complete(single) and fits(single, content) and not match(card, single)
                for single in self._cards[:number]
            )
            for number, card in enumerate(self._cards)
        )


def _mask(card: str) -> int:
    return sum(_BIT[single] for single in card)


def _set(memberships: Iterable[bool]) -> int:
    """Returns the set of the cards, or places, for which the value is true."""
    return sum(1 << number for number, is_member in enumerate(memberships) if is_member)
