"""What a hand of Solitario is worth (ruling 24)."""

from __future__ import annotations

from typing import NamedTuple

POINTS = {"from_stock": 45, "turned_up": 25, "sent_home": 60, "brought_back": -75, "turn_overs": -175}
"""The points of each event, by the names of :class:`Counts`."""

A_SECOND = -1
BONUS, BONUS_A_SECOND = 2, -10  # times the score, and the seconds, of a hand that is solved


class Counts(NamedTuple):
    """How often each event has happened.

    ``from_stock``: cards of the stock laid on a column; ``turned_up``: cards of the columns; ``sent_home``:
    cards laid on a foundation, from a column or the waste; ``brought_back``: cards laid from a foundation on
    a column; ``turn_overs`` of the stock.
    """

    from_stock: int = 0
    turned_up: int = 0
    sent_home: int = 0
    brought_back: int = 0
    turn_overs: int = 0

    @property
    def points(self) -> int:
        """What the events are worth together, without time and bonus."""
        return sum(POINTS[name] * count for name, count in self._asdict().items())


def bonus(counts: Counts, seconds: int) -> int:
    """What a hand that was solved in so many seconds is worth beyond its score: nothing, if that is less."""
    return max(0, BONUS * (counts.points + A_SECOND * seconds) + BONUS_A_SECOND * seconds)


def score(counts: Counts, seconds: int, solved: bool) -> int:
    """The score of a hand that has ended after so many whole seconds."""
    return counts.points + A_SECOND * seconds + (bonus(counts, seconds) if solved else 0)
