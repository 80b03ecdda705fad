"""Provides the measures of a game by name, for the tests of performance."""

from __future__ import annotations

from typing import Any

from cardlab.games.performance import Performance
from cardlab.games.statistics import Row


def add_hand_measures(performance: Performance, row: Row) -> Row:
    """Returns the row with the measures of the hand, as the table of hands has them."""
    for measure in performance.hand_measures:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def participant_measures(performance: Performance, hands: list[Row], **thresholds: Any) -> dict[str, Any]:
    """Returns all measures of a participant."""
    limits = performance.thresholds(**thresholds)
    return {measure.__name__: measure(hands, limits) for measure in performance.participant_measures}
