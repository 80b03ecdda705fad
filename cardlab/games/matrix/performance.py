"""Measures of a hand and of a participant in the matrix card game."""

from __future__ import annotations

from cardlab.games import performance
from cardlab.games.statistics import Row, Share, number, numbers, ratio

# Measures of a hand.


def best_response_share(row: Row) -> Share | None:
    """`free_best_responses` divided by `free_choices`"""
    return ratio(number(row, "free_best_responses"), number(row, "free_choices"))


def rotation_share(row: Row) -> Share | None:
    """`rotations` divided by the turns in which the seat could rotate"""
    rotations, kept_count = number(row, "rotations"), number(row, "kept")
    return None if rotations is None or kept_count is None else ratio(rotations, rotations + kept_count)


def lead(row: Row) -> float | None:
    """`score` minus `partner_score` of a completed hand (inequality of Fehr and Schmidt 1999)"""
    if row.get("outcome") != "completed":
        return None
    score, other_score = number(row, "score"), number(row, "partner_score")
    return None if score is None or other_score is None else score - other_score


# Measures of a participant.


hands_over = performance.hand_count("hands that are over")
mean_score = performance.mean_of("score")
mean_lead = performance.mean_of("lead")


def best_response_rate(hands: list[Row], _thresholds: object) -> Share | None:
    """best responses divided by free choices, over all hands"""
    return ratio(sum(numbers(hands, "free_best_responses")), sum(numbers(hands, "free_choices")))


best_response_change = performance.change_of("best_response_share", "best_response_change")


def rotation_rate(hands: list[Row], _thresholds: object) -> Share | None:
    """rotations divided by the turns in which the participant could rotate, over all hands"""
    rotations = sum(numbers(hands, "rotations"))
    return ratio(rotations, rotations + sum(numbers(hands, "kept")))


response_ms = performance.mean_of("mean_response_ms", "response_ms")
response_change = performance.change_of("mean_response_ms", "response_change")


MEASURES = performance.Performance(
    hand_measures=(best_response_share, rotation_share, lead),
    participant_measures={
        hands_over: performance.DESIGN,
        mean_score: performance.PERFORMANCE,
        mean_lead: performance.PERFORMANCE,
        best_response_rate: performance.PERFORMANCE,
        best_response_change: performance.CHANGE,
        rotation_rate: performance.CHOICES,
        response_ms: performance.SPEED,
        response_change: performance.CHANGE,
    },
    behaviour=(mean_score, mean_lead, best_response_rate, best_response_change, rotation_rate),
    # The strategies take the seats of all participants at the table.
    baselines={"informed": "best_response", "random": "random"},
    timing_columns=("mean_response_ms",),
)
