"""How the matrix card game is played: measures of a hand and of a participant.

As in every game each is one function; its name is the column, its docstring the meaning in the data
dictionary. A measure of a hand is computed from a row of the table of hands, one of a participant from the
rows of their hands that are over, in the order of play. None is an empty cell.
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
    ratio,
)


class Thresholds(NamedTuple):
    """There are none in this game."""


THRESHOLDS: dict[str, str] = {}


# Of a hand.


def best_response_share(row: Row) -> float | None:
    """`free_best_responses` divided by `free_choices`: how often a free choice was a best response to what
    the other played, as seen after the fact"""
    return ratio(number(row, "free_best_responses"), number(row, "free_choices"))


def rotation_share(row: Row) -> float | None:
    """`rotations` divided by the turns in which the seat might have rotated"""
    rotations, kept = number(row, "rotations"), number(row, "kept")
    return None if rotations is None or kept is None else ratio(rotations, rotations + kept)


def lead(row: Row) -> float | None:
    """`score` less `partner_score` of a hand played to its end: what the inequality of Fehr and Schmidt 1999
    is made of, negative for who has less"""
    if row.get("outcome") != "completed":
        return None
    score, other = number(row, "score"), number(row, "partner_score")
    return None if score is None or other is None else score - other


HAND_MEASURES = (best_response_share, rotation_share, lead)


# Of a participant.


def hands_over(hands: list[Row], _thresholds: Thresholds) -> int:
    """hands that are over"""
    return len(hands)


def mean_score(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `score`"""
    return mean(numbers(hands, "score"))


def mean_lead(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `lead`"""
    return mean(numbers(hands, "lead"))


def best_response_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """best responses divided by free choices, over all hands"""
    return ratio(sum(numbers(hands, "free_best_responses")), sum(numbers(hands, "free_choices")))


@needs_enough(hands_over)
def best_response_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `best_response_share` of the second half of the hands less that of the first half"""
    return change_between_halves(numbers(hands, "best_response_share"))


def rotation_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """rotations divided by the turns in which the participant might have rotated, over all hands"""
    rotations = sum(numbers(hands, "rotations"))
    return ratio(rotations, rotations + sum(numbers(hands, "kept")))


def response_ms(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `mean_response_ms`"""
    return mean(numbers(hands, "mean_response_ms"))


@needs_enough(hands_over)
def response_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `mean_response_ms` of the second half of the hands less that of the first half"""
    return change_between_halves(numbers(hands, "mean_response_ms"))


PARTICIPANT_MEASURES: dict[Measure, str] = {
    hands_over: DESIGN,
    mean_score: PERFORMANCE,
    mean_lead: PERFORMANCE,
    best_response_rate: PERFORMANCE,
    best_response_change: CHANGE,
    rotation_rate: CHOICES,
    response_ms: SPEED,
    response_change: CHANGE,
}

MODEL: Model = NO_MODEL
PARTS: dict[str, Any] = {}  # measures.PARTS has what there is

# Beside each of these stands what these strategies show on the same deals (``cardlab.analysis.baselines``),
# in the seats of all participants at the table.
BASELINES = {"informed": "best_response", "random": "random"}
BEHAVIOUR = (mean_score, mean_lead, best_response_rate, best_response_change, rotation_rate)
TIMING_COLUMNS = ("mean_response_ms",)  # columns of a hand that depend on times, which strategies do not take
SEARCH_MEASURES: tuple[Any, ...] = ()
