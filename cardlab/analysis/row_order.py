"""Restores the order in which the server wrote the rows of a table of actions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from cardlab.games.events import ABSENT, CLOCK_CHANGE
from cardlab.games.tables import UNREADABLE


class OrderedRow(NamedTuple):
    """The cells of a row that determine its place, its line in the file, and its ``text`` as CSV.

    ``number`` is None for a rejected row and for a note. ``client_ms`` is empty for a row of the server.
    ``time`` is in the server's format, so that times can be compared as text.
    """

    line: int
    number: int | None
    seat: str
    client_ms: str
    action: str
    time: str
    text: str

    @property
    def is_deal(self) -> bool:
        """Whether this is the first row of a hand."""
        return is_deal(self.action)


def is_deal(action: str) -> bool:
    """Returns whether this is the action of a hand's first row."""
    return action.startswith("deal ") or action == UNREADABLE


def sort_rows(rows: Sequence[OrderedRow]) -> list[OrderedRow]:
    """Returns the rows of a hand in order: the deal, then accepted rows by number, the others by time.

    A rejected row or a note precedes an accepted row of the same time, if possible one of the same seat,
    because a note such as ``absent`` is about the next row of its seat. The order of sorted rows is kept.
    """
    if is_in_order(rows):
        return list(rows)
    later_rows = [row for row in rows if not row.is_deal]
    accepted = sorted((row for row in later_rows if row.number is not None), key=attrgetter("number", "time"))
    others = sorted((row for row in later_rows if row.number is None), key=attrgetter("time"))
    places = _Places(accepted)
    others_before: dict[int, list[OrderedRow]] = {}
    for row in others:
        others_before.setdefault(places.find(row), []).append(row)
    ordered = [row for row in rows if row.is_deal]
    for place, row in enumerate(accepted):
        ordered += [*others_before.get(place, ()), row]
    return ordered + others_before.get(len(accepted), [])


class _Places:
    """Finds the index of the accepted row that follows another row."""

    def __init__(self, accepted: Sequence[OrderedRow]) -> None:
        self._accepted, self._times = accepted, [row.time for row in accepted]
        self._absent: set[int] = set()  # accepted rows with a note ``absent`` before them

    def find(self, row: OrderedRow) -> int:
        """Returns the place of the row: by its time, and before a row of the same seat and time."""
        place = bisect_left(self._times, row.time)
        same_time = range(place, bisect_right(self._times, row.time))
        found = next((index for index in same_time if self._is_about(row, index)), place)
        if row.action == ABSENT:
            self._absent.add(found)
        return found

    def _is_about(self, row: OrderedRow, index: int) -> bool:
        """Returns whether the row may be about an accepted one; ``absent`` is about a row of the server."""
        accepted = self._accepted[index]
        if accepted.seat != row.seat:
            return False
        return row.action != ABSENT or not accepted.client_ms and index not in self._absent


def is_in_order(rows: Sequence[OrderedRow]) -> bool:
    """Returns whether the rows of a hand begin with the deal, if it is there, and their numbers increase.

    Their times must not decrease either, unless the computer's clock was set back during the hand.
    """
    if any(row.is_deal for row in rows[1:]) and not rows[0].is_deal:
        return False
    accepted = [row for row in rows if row.number is not None]
    numbers = [row.number for row in rows if row.number is not None]
    if any(later < number for number, later in pairwise(numbers)):
        return False
    return (
        not _has_decrease(rows[1:])
        or _has_decrease(accepted[1:])
        or any(row.action.startswith(CLOCK_CHANGE) for row in rows)
    )


def _has_decrease(rows: Sequence[OrderedRow]) -> bool:
    return any(later.time < row.time for row, later in pairwise(rows))


def has_scattered_hand(blocks: Iterable[tuple[str, bool]]) -> bool:
    """Returns whether the rows of a hand are not together.

    A hand that appears again with its deal is a copy, and not scattered.

    Parameters:
        blocks: the hand, and whether the first row is its deal, for each block of consecutive rows of a hand.
    """
    began_with_deal: dict[str, bool] = {}
    for hand_id, begins_with_deal in blocks:
        if hand_id in began_with_deal and not (begins_with_deal and began_with_deal[hand_id]):
            return True
        began_with_deal[hand_id] = begins_with_deal
    return False
