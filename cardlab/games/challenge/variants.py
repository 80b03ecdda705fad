"""Variants of the search of Challenge, for models of players who overlook things.

As in van Opheusden et al., Nature 618 (2023), 1000–1005, a player may drop features of the evaluation for a
whole search, and prune moves whose evaluation is far below the best.
"""

from itertools import combinations
from typing import NamedTuple

FEATURES = ("own trumps", "opponent's trumps", "other cards", "number of cards")
"""The features of the evaluation (``evaluation``), whose values are added."""


class Variant(NamedTuple):
    """A search without the ``dropped`` features, and with a pruning threshold.

    Below the moves whose values are asked for, only moves are searched whose evaluation is at most
    ``threshold`` points below the best; 0 searches all moves.
    """

    dropped: frozenset[str] = frozenset()
    threshold: int = 0


FULL = Variant()
THRESHOLDS = (0, 40, 10)
SUBSETS = tuple(
    frozenset(some) for count in range(len(FEATURES) + 1) for some in combinations(FEATURES, count)
)
VARIANTS = tuple(Variant(dropped, threshold) for threshold in THRESHOLDS for dropped in SUBSETS)
