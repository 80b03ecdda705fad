"""Measures of a game and of a participant in Challenge.

The values of moves and the planning depth take minutes to compute, so separate commands have them:
``python -m cardlab.analysis worth`` and ``depth``.
"""

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
    share_of,
)
from cardlab.games.statistics import Row, Share, number, numbers, ratio

ENDED = ("out", "claimed", "resigned", "agreed", "repeated", "too_long")  # ways in which a game ends


# Measures of a game.


def won(row: Row) -> int | None:
    """1 if the seat won, 0 if it lost or drew; empty if the game was not completed"""
    return int(row["winner"] == row["seat"]) if _ended(row) else None


def drawn(row: Row) -> int | None:
    """1 for a draw, else 0; empty if the game was not completed"""
    return int(not row["winner"]) if _ended(row) else None


def lead_in_cards(row: Row) -> float | None:
    """`cards_of_other` minus `cards_left`"""
    own_cards, other_cards = number(row, "cards_left"), number(row, "cards_of_other")
    return None if own_cards is None or other_cards is None else other_cards - own_cards


def pick_up_share(row: Row) -> Share | None:
    """`pick_ups` divided by `moves`"""
    return ratio(number(row, "pick_ups"), number(row, "moves"))


# Measures of a participant.


hands_over = hand_count("games that are over")
win_rate = share_of("won", "win_rate")
draw_rate = share_of("drawn", "draw_rate")
win_change = change_of("won", "win_change", "games")
mean_score = mean_of("score")
mean_length = mean_of("length")
mean_lead_in_cards = mean_of("lead_in_cards")


def pick_up_rate(hands: list[Row], _thresholds: object) -> Share | None:
    """pick-ups divided by moves, over all games"""
    return ratio(sum(numbers(hands, "pick_ups")), sum(numbers(hands, "moves")))


def right_claims(hands: list[Row], _thresholds: object) -> Share | None:
    """accepted claims divided by claims, over all games; empty without claims"""
    return ratio(sum(numbers(hands, "claims_right")), sum(numbers(hands, "claims")))


mean_hints = mean_of("hints")
ms_per_move = mean_of("mean_response_ms", "ms_per_move")
response_change = change_of("mean_response_ms", "response_change", "games")
learning_rate = learning_rate_of("mean_response_ms", "game")


# There are no baselines, because the opponent is usually a computer that searches, so simulating a game takes
# as long as playing it. ``python -m cardlab.analysis worth`` compares each move with the best one.
MEASURES = Performance(
    hand_measures=(won, drawn, lead_in_cards, pick_up_share),
    participant_measures={
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
    },
    timing_columns=("mean_response_ms",),
    shared=("drawn",),
)


def _ended(row: Row) -> bool:
    """Returns whether the game was completed, and the row has the winner."""
    return row.get("ended_by") in ENDED and "winner" in row and "seat" in row
