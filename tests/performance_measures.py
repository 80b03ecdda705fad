"""Provides the measures of a game by name, for the tests of performance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cardlab.analysis.hands import measure_hand, pair_with_game
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.performance import Performance
from cardlab.games.statistics import Row


def add_hand_measures(performance: Performance, row: Row) -> Row:
    """Returns the row with the measures of the hand, as the table of hands has them."""
    for measure in performance.hand_measures:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def measured_rows(hands: Iterable[SourceHand]) -> list[Row]:
    """Returns the table rows of hands of one game."""
    return [row for game, hand in pair_with_game(hands) for row in measure_hand(hand, game)]


def participant_measures(performance: Performance, hands: list[Row], **thresholds: Any) -> dict[str, Any]:
    """Returns all measures of a participant."""
    limits = performance.thresholds(**thresholds)
    return {measure.__name__: measure(hands, limits) for measure in performance.participant_measures}
