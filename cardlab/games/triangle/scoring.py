"""The score of a triangle at any moment, with its parts (ruling 17)."""

from __future__ import annotations

from typing import NamedTuple

from cardlab.games.triangle.loop import CORNERS, INNER_JOINTS, NUMBERS, Places, after, at
from cardlab.games.triangle.packs import is_complete, match

MATCH, MISMATCH, OPEN = "match", "mismatch", "open"
POINTS = {"sides": 5, "corners": 1, "discontinuities": -2, "discarded": -3}  # for each of them
BEST = 3 * POINTS["sides"] + 3 * POINTS["corners"]


class Score(NamedTuple):
    """Every joint is ``match``, ``mismatch`` (a discontinuity), or ``open`` while a place at it is unfilled.

    A side matches when its eight inner joints do, mismatches when one of them does, else it is open.
    """

    joints: tuple[str, ...]
    discarded: int

    @property
    def sides(self) -> dict[str, str]:
        """How each side stands, by its name."""
        return {
            side: _together([self.joints[joint - 1] for joint in joints])
            for side, joints in INNER_JOINTS.items()
        }

    @property
    def corners(self) -> dict[str, str]:
        """How each corner stands, by its name."""
        return {corner: self.joints[joint - 1] for corner, joint in CORNERS.items()}

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of what ``POINTS`` gives points for."""
        return {
            "sides": [*self.sides.values()].count(MATCH),
            "corners": [*self.corners.values()].count(MATCH),
            "discontinuities": self.joints.count(MISMATCH),
            "discarded": self.discarded,
        }

    @property
    def points(self) -> dict[str, int]:
        """What each part is worth; they add up to the total."""
        return {part: POINTS[part] * count for part, count in self.counts.items()}

    @property
    def total(self) -> int:
        """The score in points."""
        return sum(self.points.values())


def joint(places: Places, number: int) -> str:
    """How the cards at this joint lie: ``match``, ``mismatch`` or ``open``."""
    one, other = at(places, number), at(places, after(number))
    if not (is_complete(one) and is_complete(other)):
        return OPEN
    return MATCH if match(one, other) else MISMATCH


def score(places: Places, discarded: int) -> Score:
    """The score of these places, with so many Completes discarded."""
    return Score(tuple(joint(places, number) for number in NUMBERS), discarded)


def _together(joints: list[str]) -> str:
    if MISMATCH in joints:
        return MISMATCH
    return OPEN if OPEN in joints else MATCH
