"""For the tests of performance: the measures of a game, by their names."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from cardlab.games.statistics import Row


def add_hand_measures(performance: ModuleType, row: Row) -> Row:
    """The row with the measures of the hand, as the table of hands has them."""
    for measure in performance.HAND_MEASURES:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def participant_measures(performance: ModuleType, hands: list[Row], **thresholds: Any) -> dict[str, Any]:
    """All measures of a participant."""
    limits = performance.Thresholds(**thresholds)
    return {measure.__name__: measure(hands, limits) for measure in performance.PARTICIPANT_MEASURES}
