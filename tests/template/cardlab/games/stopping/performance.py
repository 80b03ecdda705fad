"""How Stop in Time is played: measures of a hand and of a participant."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardlab.games.statistics import CHOICES, NO_MODEL, Measure, Model, Row, mean, number, numbers


class Thresholds(NamedTuple):
    """There are none in this game."""


THRESHOLDS: dict[str, str] = {}


def regret(row: Row) -> float | None:
    """`best` less the score: what the best card of the row would have been worth more"""
    best, score = number(row, "best"), number(row, "score")
    return None if best is None or score is None else best - score


def mean_turned(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `turned` over the hands"""
    return mean(numbers(hands, "turned"))


HAND_MEASURES = (regret,)
PARTICIPANT_MEASURES: dict[Measure, str] = {mean_turned: CHOICES}  # each with its family

MODEL: Model = NO_MODEL
PARTS: dict[str, Any] = {}  # tables of parts of a hand that only the analysis makes
BASELINES = {"random": "random"}  # the strategies whose measures stand beside a participant's, by suffix
BEHAVIOUR = (mean_turned,)  # the measures for which they do
TIMING_COLUMNS: tuple[str, ...] = ()  # columns of a hand that depend on times, which strategies do not take
SEARCH_MEASURES: tuple[Any, ...] = ()
