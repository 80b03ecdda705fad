"""Scores a hand of Solitario (ruling 24)."""

from __future__ import annotations

from typing import NamedTuple

POINTS = {"from_stock": 45, "turned_up": 25, "sent_home": 60, "brought_back": -75, "turn_overs": -175}
"""The points of each event, by the names of :class:`Counts`."""

POINTS_PER_SECOND = -1
BONUS_FACTOR, BONUS_PER_SECOND = 2, -10  # bonus of a solved hand: a multiple of the score, points per second


class Counts(NamedTuple):
    """The counts of the scored events.

    ``from_stock`` counts stock cards laid on a column, ``turned_up`` cards of the columns turned up,
    ``sent_home`` cards laid on a foundation from a column or the waste, ``brought_back`` cards laid from a
    foundation on a column, and ``turn_overs`` the times the stock was turned over.
    """

    from_stock: int = 0
    turned_up: int = 0
    sent_home: int = 0
    brought_back: int = 0
    turn_overs: int = 0

    @property
    def points(self) -> int:
        """The points of all events, without time and bonus."""
        return sum(POINTS[name] * count for name, count in self._asdict().items())


def bonus(counts: Counts, seconds: int) -> int:
    """Returns the bonus of a hand that was solved in ``seconds``; never below 0."""
    score_with_time = counts.points + POINTS_PER_SECOND * seconds
    return max(0, BONUS_FACTOR * score_with_time + BONUS_PER_SECOND * seconds)


def score(counts: Counts, seconds: int, solved: bool) -> int:
    """Returns the score of a hand that ended after ``seconds`` whole seconds."""
    return counts.points + POINTS_PER_SECOND * seconds + (bonus(counts, seconds) if solved else 0)
