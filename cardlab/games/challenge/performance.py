"""How Challenge is played: measures of a game and of a participant.

As in every game each is one function; its name is the column, its docstring the meaning in the data
dictionary. A measure of a hand is computed from a row of the table of hands, one of a participant from the
rows of their hands that are over, practice left out, in the order of play. None is an empty cell.

What the moves were worth, and how deep somebody looked ahead, takes minutes to compute and has commands of
its own: ``python -m cardlab.analysis worth`` and ``depth``.
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

ENDED = ("out", "claimed", "resigned", "agreed", "repeated", "too_long")  # ways in which a game ends


class Thresholds(NamedTuple):
    """There are none in this game."""


THRESHOLDS: dict[str, str] = {}


# Of a game.


def won(row: Row) -> int | None:
    """1 if the seat has won, 0 if it has lost or the game was drawn; empty if the game was not played to an
    end"""
    return int(row["winner"] == row["seat"]) if _ended(row) else None


def drawn(row: Row) -> int | None:
    """1 if the game was drawn, else 0; empty if it was not played to an end"""
    return int(not row["winner"]) if _ended(row) else None


def lead_in_cards(row: Row) -> float | None:
    """`cards_of_other` less `cards_left`: how far the seat was ahead at the end, in cards"""
    own, other = number(row, "cards_left"), number(row, "cards_of_other")
    return None if own is None or other is None else other - own


def pick_up_share(row: Row) -> float | None:
    """`pick_ups` divided by `moves`"""
    return ratio(number(row, "pick_ups"), number(row, "moves"))


HAND_MEASURES = (won, drawn, lead_in_cards, pick_up_share)


# Of a participant.


def hands_over(hands: list[Row], _thresholds: Thresholds) -> int:
    """games that are over"""
    return len(hands)


def win_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `won`"""
    return mean(numbers(hands, "won"))


def draw_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `drawn`"""
    return mean(numbers(hands, "drawn"))


@needs_enough(hands_over)
def win_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `won` of the second half of the games less that of the first half"""
    return change_between_halves(numbers(hands, "won"))


def mean_score(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `score`"""
    return mean(numbers(hands, "score"))


def mean_length(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `length`"""
    return mean(numbers(hands, "length"))


def mean_lead_in_cards(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `lead_in_cards`"""
    return mean(numbers(hands, "lead_in_cards"))


def pick_up_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """pick-ups divided by moves, over all games"""
    return ratio(sum(numbers(hands, "pick_ups")), sum(numbers(hands, "moves")))


def right_claims(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """claims that were accepted divided by claims, over all games; empty for who claimed nothing"""
    return ratio(sum(numbers(hands, "claims_right")), sum(numbers(hands, "claims")))


def mean_hints(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `hints`"""
    return mean(numbers(hands, "hints"))


def ms_per_move(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `mean_response_ms`"""
    return mean(numbers(hands, "mean_response_ms"))


@needs_enough(hands_over)
def response_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `mean_response_ms` of the second half of the games less that of the first half"""
    return change_between_halves(numbers(hands, "mean_response_ms"))


@needs_enough(hands_over)
def learning_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """exponent of the power law of practice, `mean_response_ms` over the number of the game among these:
    negative where practice makes faster (Newell and Rosenbloom 1981)"""
    times = [(place, number(row, "mean_response_ms")) for place, row in enumerate(hands, 1)]
    return power_law((place, ms) for place, ms in times if ms is not None)


PARTICIPANT_MEASURES: dict[Measure, str] = {
    hands_over: DESIGN,
    win_rate: PERFORMANCE,
    draw_rate: PERFORMANCE,
    win_change: CHANGE,
    mean_score: PERFORMANCE,
    mean_length: CHOICES,
    mean_lead_in_cards: PERFORMANCE,
    pick_up_rate: CHOICES,
    right_claims: CHOICES,
    mean_hints: CHOICES,
    ms_per_move: SPEED,
    response_change: CHANGE,
    learning_rate: CHANGE,
}

MODEL: Model = NO_MODEL
SHARED = ("drawn",)  # the columns of the table for models that both players have together
PARTS: dict[str, Any] = {}  # measures.PARTS has what there is

# The computer against which most people play searches, so to play a game again takes as long as it took:
# there are no baselines here. ``python -m cardlab.analysis worth`` holds each move against the best one.
BASELINES: dict[str, str] = {}
BEHAVIOUR: tuple[Any, ...] = ()
TIMING_COLUMNS = ("mean_response_ms",)  # columns of a hand that depend on times, which strategies do not take
SEARCH_MEASURES: tuple[Any, ...] = ()


def _ended(row: Row) -> bool:
    """Whether the game came to one of its ends, and the row tells who has won."""
    return row.get("ended_by") in ENDED and "winner" in row and "seat" in row
