"""Scores a triangle at any moment (ruling 17)."""

from __future__ import annotations

from typing import NamedTuple

from cardlab.games.triangle.loop import CORNERS, INNER_JOINTS, NUMBERS, Places, content_of, next_place
from cardlab.games.triangle.packs import is_complete, match

MATCH, MISMATCH, OPEN = "match", "mismatch", "open"
POINTS = {"sides": 5, "corners": 1, "discontinuities": -2, "discarded": -3}  # points for each
BEST = 3 * POINTS["sides"] + 3 * POINTS["corners"]


class Score(NamedTuple):
    """The status of the 27 joints, and the number of discarded Completes.

    A joint is a ``match``, a ``mismatch`` (a discontinuity), or ``open`` while one of its two places is
    unfilled. A side is a match if its eight inner joints match, a mismatch if any of them is, else open.
    """

    joints: tuple[str, ...]
    discarded: int

    @property
    def sides(self) -> dict[str, str]:
        """The status of each side by name."""
        return {
            side: _combine([self.joints[joint - 1] for joint in joints])
            for side, joints in INNER_JOINTS.items()
        }

    @property
    def corners(self) -> dict[str, str]:
        """The status of each corner by name."""
        return {corner: self.joints[joint - 1] for corner, joint in CORNERS.items()}

    @property
    def counts(self) -> dict[str, int]:
        """The number of each of the ``POINTS``."""
        return {
            "sides": [*self.sides.values()].count(MATCH),
            "corners": [*self.corners.values()].count(MATCH),
            "discontinuities": self.joints.count(MISMATCH),
            "discarded": self.discarded,
        }

    @property
    def points(self) -> dict[str, int]:
        """The points of each part of the score."""
        return {part: POINTS[part] * count for part, count in self.counts.items()}

    @property
    def total(self) -> int:
        """The score in points."""
        return sum(self.points.values())


def joint_status(places: Places, number: int) -> str:
    """Returns ``match``, ``mismatch`` or ``open`` for a joint, 1–27."""
    content, next_content = content_of(places, number), content_of(places, next_place(number))
    if not (is_complete(content) and is_complete(next_content)):
        return OPEN
    return MATCH if match(content, next_content) else MISMATCH


def score(places: Places, discarded: int) -> Score:
    """Scores these places, with this number of discarded Completes."""
    return Score(tuple(joint_status(places, number) for number in NUMBERS), discarded)


def _combine(statuses: list[str]) -> str:
    return next((status for status in (MISMATCH, OPEN) if status in statuses), MATCH)
