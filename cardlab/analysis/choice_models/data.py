"""Holds the choices of a participant as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SIDES = ("left", "right")
_CELLS = ("LL", "LR", "RL", "RR")


@dataclass(frozen=True, eq=False)  # arrays are compared element by element
class Choices:
    """The turns of a participant, in order. Columns are 0 for left and 1 for right.

    Attributes:
        own: Own points, of shape (turns, 2, 2), by own and the other's column.
        other: The other's points in the same cells.
        chosen: Own columns.
        others: The other's columns.
        counted: Whether the participant chose, and held cards of both columns.
        hands: The number of the hand of each turn, from 0.
    """

    own: Floats
    other: Floats
    chosen: Integers
    others: Integers
    counted: npt.NDArray[np.bool_]
    hands: Integers

    def with_chosen(self, chosen: Integers) -> Choices:
        """Returns the same turns with other choices of the participant where they had a choice."""
        return replace(self, chosen=np.where(self.counted, chosen, self.chosen))

    def counting(self, counted: npt.NDArray[np.bool_]) -> Choices:
        """Returns the same turns, with only those marked in ``counted`` counted."""
        return replace(self, counted=counted)


def make_choices(rows: Sequence[Mapping[str, Any]]) -> Choices:
    """Returns the choices of a participant, from their rows in the table of choices."""
    hand_ids = list(dict.fromkeys(row["hand_id"] for row in rows))
    return Choices(
        own=_payoffs(rows, "own"),
        other=_payoffs(rows, "other"),
        chosen=np.array([SIDES.index(row["choice"]) for row in rows]),
        others=np.array([SIDES.index(row["other_choice"]) for row in rows]),
        counted=np.array([row["by"] == "person" and bool(row["free"]) for row in rows]),
        hands=np.array([hand_ids.index(row["hand_id"]) for row in rows]),
    )


def _payoffs(rows: Sequence[Mapping[str, Any]], player: str) -> Floats:
    cells = [[float(row[f"{player}_{cell}"]) for cell in _CELLS] for row in rows]
    return np.array(cells).reshape(-1, 2, 2)
