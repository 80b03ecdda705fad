"""Measures of a participant in Target the Two, and declares all measures of the game."""

from __future__ import annotations

from math import log

from cardlab.games import performance
from cardlab.games.statistics import (
    Row,
    Share,
    change_between_halves,
    entropy,
    mean,
    number,
    numbers,
    ratio,
    residual_variance,
    share,
    variance,
    variance_change_between_halves,
)
from cardlab.games.ttt import hand_measures, moves, routinization
from cardlab.games.ttt.hand_measures import is_solved
from cardlab.games.ttt.routinization import hands_solved, route_choices

hands_over = performance.hand_count("hands that are over, without practice")
mean_excess_moves = performance.mean_of("excess_moves")
mean_excess_over_expected = performance.mean_of("excess_over_expected")
optimal_share = performance.share_of(
    "optimal", "optimal_share", "share of hands with `optimal`; unsolved hands count as not optimal"
)
mean_moves_lost = performance.mean_of("moves_lost")
best_play_share = performance.share_of("best_play", "best_play_share", "share of hands with `best_play`")
learning_rate = performance.learning_rate_of("seconds_per_move")
mean_seconds_per_turn = performance.mean_of(
    "seconds_per_turn", "mean_seconds_per_turn", "mean of `seconds_per_turn`, in the game for two"
)


def solved_hands(hands: list[Row], _thresholds: object) -> int:
    """solved hands"""
    return len(hands_solved(hands))


def route_hands(hands: list[Row], _thresholds: object) -> int:
    """solved hands in which both routes compete"""
    return len(route_choices(hands))


def solved_share(hands: list[Row], _thresholds: object) -> Share | None:
    """share of `hands_over` that were solved"""
    return share(solves for row in hands if (solves := is_solved(row)) is not None)


def mean_moves(hands: list[Row], _thresholds: object) -> float | None:
    """mean of `moves` over solved hands"""
    return mean(numbers(hands_solved(hands), "moves"))


def mean_seconds(hands: list[Row], _thresholds: object) -> float | None:
    """mean of `client_seconds` over solved hands"""
    return mean(numbers(hands_solved(hands), "client_seconds"))


@performance.needs_enough(solved_hands)
def variance_of_moves(hands: list[Row], _thresholds: object) -> float | None:
    """variance over solved hands (Cohen and Bacdayan 1994)"""
    return variance(numbers(hands_solved(hands), "moves"))


@performance.needs_enough(solved_hands)
def variance_of_seconds(hands: list[Row], _thresholds: object) -> float | None:
    """variance over solved hands (Cohen and Bacdayan 1994)"""
    return variance(numbers(hands_solved(hands), "client_seconds"))


@performance.needs_enough(solved_hands)
def variance_of_moves_lost(hands: list[Row], _thresholds: object) -> float | None:
    """variance of `moves_lost` over solved hands: 0 for best play, whatever the deals"""
    return variance(numbers(hands_solved(hands), "moves_lost"))


@performance.needs_enough(solved_hands)
def variance_of_log_seconds(hands: list[Row], _thresholds: object) -> float | None:
    """variance of the logarithms of `seconds_per_move` over solved hands, around their regression on the
    logarithm of the number of the hand and on `expected_moves`
    """
    timed = [
        (log(seconds), log(place), needed)
        for place, row in enumerate(hands, 1)
        if is_solved(row)
        and (seconds := number(row, "seconds_per_move"))
        and (needed := number(row, "expected_moves")) is not None
    ]
    return residual_variance(*zip(*timed)) if len(timed) >= performance.MIN_COUNT else None


@performance.needs_enough(solved_hands)
def moves_variance_change(hands: list[Row], _thresholds: object) -> float | None:
    """this variance in the second half of the solved hands minus the first"""
    return variance_change_between_halves(numbers(hands_solved(hands), "moves"))


@performance.needs_enough(solved_hands)
def seconds_variance_change(hands: list[Row], _thresholds: object) -> float | None:
    """this variance in the second half of the solved hands minus the first"""
    return variance_change_between_halves(numbers(hands_solved(hands), "client_seconds"))


@performance.needs_enough(solved_hands)
def excess_change(hands: list[Row], _thresholds: object) -> float | None:
    """mean `excess_moves` in the second half of the solved hands minus the first"""
    return change_between_halves(numbers(hands, "excess_moves"))


def share_422(hands: list[Row], _thresholds: object) -> Share | None:
    """share of this route in `route_hands` (Egidi and Narduzzo 1997)"""
    return share(row["route"] == "422" for row in route_choices(hands))


def share_442(hands: list[Row], _thresholds: object) -> Share | None:
    """share of this route in `route_hands` (Egidi and Narduzzo 1997)"""
    return share(row["route"] == "442" for row in route_choices(hands))


@performance.needs_enough(route_hands)
def route_entropy(hands: list[Row], _thresholds: object) -> float | None:
    """Shannon entropy over `route_hands` or solved hands, in bits"""
    return entropy(row["route"] for row in route_choices(hands))


@performance.needs_enough(solved_hands)
def sequence_entropy(hands: list[Row], _thresholds: object) -> float | None:
    """Shannon entropy over `route_hands` or solved hands, in bits"""
    return entropy(row["sequence"] for row in hands_solved(hands) if row.get("sequence"))


@performance.needs_enough(solved_hands)
def repeated_sequences(hands: list[Row], _thresholds: object) -> Share | None:
    """share of solved hands with a sequence that solved an earlier hand (Cohen and Bacdayan 1994)"""
    earlier_sequences: set[str] = set()
    repeated = []
    for sequence in (row.get("sequence") for row in hands_solved(hands)):
        if sequence:
            repeated.append(sequence in earlier_sequences)
            earlier_sequences.add(sequence)
    return share(repeated)


def forced_pass_share(hands: list[Row], _thresholds: object) -> Share | None:
    """`forced_passes` divided by `own_moves`, over all hands"""
    return ratio(sum(numbers(hands, "forced_passes")), sum(numbers(hands, "own_moves")))


MEASURES = performance.Performance(
    hand_measures=hand_measures.HAND_MEASURES,
    participant_measures={
        hands_over: performance.DESIGN,
        solved_hands: performance.DESIGN,
        route_hands: performance.DESIGN,
        solved_share: performance.PERFORMANCE,
        mean_moves: performance.PERFORMANCE,
        mean_seconds: performance.SPEED,
        mean_excess_moves: performance.PERFORMANCE,
        mean_excess_over_expected: performance.PERFORMANCE,
        optimal_share: performance.PERFORMANCE,
        mean_moves_lost: performance.PERFORMANCE,
        best_play_share: performance.PERFORMANCE,
        learning_rate: performance.CHANGE,
        excess_change: performance.CHANGE,
        variance_of_moves: performance.PERFORMANCE,
        variance_of_seconds: performance.SPEED,
        variance_of_moves_lost: performance.PERFORMANCE,
        variance_of_log_seconds: performance.SPEED,
        moves_variance_change: performance.CHANGE,
        seconds_variance_change: performance.CHANGE,
        share_422: performance.CHOICES,
        share_442: performance.CHOICES,
        route_entropy: performance.CHOICES,
        sequence_entropy: performance.CHOICES,
        repeated_sequences: performance.CHOICES,
        **routinization.MEASURES,
        mean_seconds_per_turn: performance.SPEED,
        forced_pass_share: performance.CHOICES,
    },
    behaviour=(
        *(solved_share, mean_moves, mean_excess_moves, mean_excess_over_expected, optimal_share),
        *(mean_moves_lost, best_play_share, excess_change, variance_of_moves, moves_variance_change),
        variance_of_moves_lost,
        *(share_422, share_442, route_entropy, sequence_entropy, repeated_sequences),
        *routinization.BEHAVIOUR,
    ),
    baselines={"informed": "informed", "random": "random"},
    timing_columns=(
        *("first_move_ms", "own_seconds", "partner_seconds", "seconds_per_move", "seconds_per_turn"),
    ),
    deal_columns=("layout", "goal", "first", "settings", "seat"),
    deal_measures=hand_measures.DEAL_MEASURES,
    thresholds=routinization.Thresholds,
    threshold_meanings=routinization.THRESHOLD_MEANINGS,
    threshold_choices=routinization.THRESHOLD_CHOICES,
    model=(routinization.MODEL_COLUMNS, routinization.model_cells),
    shared=(
        *("kept", "score", "seconds_per_move", "excess_moves", "optimal", "pair_moves_lost"),
        *("moves_422", "moves_442", "shorter_route", "expected_union", "expected_common"),
    ),
    parts={"moves": (moves.MOVE_COLUMNS, moves.moves_of)},
)
