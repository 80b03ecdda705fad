"""How Triangle Solitaire is played: measures of a hand and of a participant.

As in every game each is one function; its name is the column, its docstring the meaning in the data
dictionary. A measure of a hand is computed from a row of the table of hands, one of a participant from the
rows of their hands that are over, practice left out, in the order of play. None is an empty cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cardlab.games.statistics import (
    CHANGE,
    CHOICES,
    DESIGN,
    NO_MODEL,
    PERFORMANCE,
    SPEED,
    Measure,
    Model,
    Row,
    change_between_halves,
    mean,
    needs_enough,
    number,
    numbers,
    power_law,
    ratio,
)
from cardlab.games.triangle.loop import NUMBERS


class Thresholds(NamedTuple):
    """There are none in this game."""


THRESHOLDS: dict[str, str] = {}


# Of a hand.


def match_share(row: Row) -> float | None:
    """`matches` divided by the number of joints, 27"""
    return ratio(number(row, "matches"), len(NUMBERS))


def planned_share(row: Row) -> float | None:
    """`kept_marks` divided by `marks`: the share of reminders that a card with their characteristic kept"""
    return ratio(number(row, "kept_marks"), number(row, "marks"))


HAND_MEASURES = (match_share, planned_share)


# Of a participant.


def hands_over(hands: list[Row], _thresholds: Thresholds) -> int:
    """hands that are over, without practice"""
    return len(hands)


def mean_score(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `score`"""
    return mean(numbers(hands, "score"))


def highest_score(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the highest `score`"""
    return max(numbers(hands, "score"), default=None)


@needs_enough(hands_over)
def score_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `score` of the second half of the hands less that of the first half"""
    return change_between_halves(numbers(hands, "score"))


def mean_sides(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `sides`"""
    return mean(numbers(hands, "sides"))


def mean_corners(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `corners`"""
    return mean(numbers(hands, "corners"))


def mean_discontinuities(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `discontinuities`"""
    return mean(numbers(hands, "discontinuities"))


def mean_discarded(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `discarded`"""
    return mean(numbers(hands, "discarded"))


def mean_marks(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `marks`: how much was planned by reminders"""
    return mean(numbers(hands, "marks"))


def ms_per_card(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `mean_placement_ms`"""
    return mean(numbers(hands, "mean_placement_ms"))


@needs_enough(hands_over)
def learning_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """exponent of the power law of practice, `mean_placement_ms` over the number of the hand among these:
    negative where practice makes faster (Newell and Rosenbloom 1981)"""
    times = [(place, number(row, "mean_placement_ms")) for place, row in enumerate(hands, 1)]
    return power_law((place, ms) for place, ms in times if ms is not None)


PARTICIPANT_MEASURES: dict[Measure, str] = {
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
}

MODEL: Model = NO_MODEL
PARTS: dict[str, Any] = {}  # measures.PARTS has what there is

# Beside each of these stands what these strategies show on the same deals (``cardlab.analysis.baselines``).
BASELINES = {"informed": "look_ahead", "random": "random"}
BEHAVIOUR = (
    *(mean_score, highest_score, score_change, mean_sides, mean_corners),
    *(mean_discontinuities, mean_discarded),
)
TIMING_COLUMNS = (
    "mean_placement_ms",
)  # columns of a hand that depend on times, which strategies do not take
SEARCH_MEASURES: tuple[Any, ...] = ()
