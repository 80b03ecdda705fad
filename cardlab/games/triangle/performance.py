"""Measures of a hand and of a participant in Triangle Solitaire."""

from __future__ import annotations

from cardlab.games.performance import (
    CHANGE,
    CHOICES,
    DESIGN,
    PERFORMANCE,
    SPEED,
    Performance,
    change_of,
    hand_count,
    learning_rate_of,
    mean_of,
)
from cardlab.games.statistics import Row, Share, number, numbers, ratio
from cardlab.games.triangle.loop import NUMBERS

# Measures of a hand.


def match_share(row: Row) -> Share | None:
    """`matches` divided by 27"""
    return ratio(number(row, "matches"), len(NUMBERS))


def planned_share(row: Row) -> Share | None:
    """`kept_marks` divided by `marks`"""
    return ratio(number(row, "kept_marks"), number(row, "marks"))


# Measures of a participant.


hands_over = hand_count("hands that are over, without practice")
mean_score = mean_of("score")


def highest_score(hands: list[Row], _thresholds: object) -> float | None:
    """the highest `score`"""
    return max(numbers(hands, "score"), default=None)


score_change = change_of("score", "score_change")
mean_sides = mean_of("sides")
mean_corners = mean_of("corners")
mean_discontinuities = mean_of("discontinuities")
mean_discarded = mean_of("discarded")
mean_marks = mean_of("marks", "mean_marks", "mean of `marks`")
ms_per_card = mean_of("mean_placement_ms", "ms_per_card")
learning_rate = learning_rate_of("mean_placement_ms")


MEASURES = Performance(
    hand_measures=(match_share, planned_share),
    participant_measures={
        hands_over: DESIGN,
        mean_score: PERFORMANCE,
        highest_score: PERFORMANCE,
        score_change: CHANGE,
        mean_sides: PERFORMANCE,
        mean_corners: PERFORMANCE,
        mean_discontinuities: PERFORMANCE,
        mean_discarded: PERFORMANCE,
        mean_marks: CHOICES,
        ms_per_card: SPEED,
        learning_rate: CHANGE,
    },
    behaviour=(
        *(mean_score, highest_score, score_change, mean_sides, mean_corners),
        *(mean_discontinuities, mean_discarded),
    ),
    baselines={"informed": "look_ahead", "random": "random"},
    timing_columns=("mean_placement_ms",),
)
