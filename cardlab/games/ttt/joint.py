"""Joins the rows of two players of Target the Two, and computes the measures of pairs.

The table of hands has a row for each player. :func:`join_rows` combines both, so that all measures of a
participant (``performance``) can be computed for a pair. This module adds the measures that only pairs have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardlab.games.statistics import Row, mean, number, numbers, ratio, share
from cardlab.games.ttt import board, hand_measures, routes

SEAT = "pair"  # the value of the column ``seat``
LAST = 4  # hands before and after the start of a block that are compared for the cost of a change

# The columns in which a pair has the sum of both players' values, and those in which it has the maximum.
_SUMS = ("own_moves", "own_seconds", "passed_after", "forced_passes", "server_passes", "looks", "pick_ups")
_MAXIMA = ("lost_by_422", "lost_by_442")


def join_rows(seats: Mapping[str, Row]) -> Row:
    """Returns the row of a hand for the pair, from the rows of its keepers with all measures.

    Its ``moves_lost`` are those of both players, each judged by what that player could see, and
    ``expected_moves`` is the bound ``expected_union``. The loss by a route is the larger of both. The columns
    ``ck_moves``, ``ck_seconds``, ``nk_moves`` and ``nk_seconds`` have each player's own values.
    """
    rows = [seats[keeper] for keeper in board.KEEPERS]
    # One player may have left before the end of the hand.
    row = next((row for row in rows if row.get("outcome") == "solved"), rows[0])
    joint = {**row, "seat": SEAT, "moves_lost": row.get("pair_moves_lost", "")}
    joint["expected_moves"] = row.get("expected_union", "")
    for name in _SUMS:
        values = numbers(rows, name)
        joint[name] = sum(values) if values else ""
    for name in _MAXIMA:
        joint[name] = max(numbers(rows, name), default="")
    for keeper, own_row in zip(board.KEEPERS, rows):
        joint |= {
            f"{keeper}_moves": own_row.get("own_moves", ""),
            f"{keeper}_seconds": own_row.get("own_seconds", ""),
        }
    for measure in (
        hand_measures.excess_over_expected,
        hand_measures.best_play,
        hand_measures.seconds_per_turn,
    ):
        value = measure(joint)
        joint[measure.__name__] = "" if value is None else value
    return joint


def add_own_routes(hands: Sequence[Row]) -> list[Row]:
    """Returns the hands of a pair with ``own_route``, the route :func:`most_played` in the earlier hands."""
    return [{**hand, "own_route": most_played(hands[:place])} for place, hand in enumerate(hands)]


def most_played(hands: Sequence[Row]) -> str:
    """Returns the route that solved most of the hands in which both routes compete; "" if neither did.

    If both solved equally many, returns the latest.
    """
    return routes.most_played(hand["route"] for hand in _solved(hands) if hand.get("shorter_route")) or ""


# Measures of a pair, from its joined hands that count.


def kept_route_hands(hands: list[Row], _thresholds: object) -> int:
    """hands in which the pair's own route is not `shorter_route`; its own route solved most of its earlier
    hands
    """
    return len(_tempting(hands, "own_route"))


def kept_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of `kept_route_hands` that the pair solved by its own route"""
    return _kept_share(hands, "own_route")


def kept_ck_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of the hands in which this player's earlier route is not the shorter that were solved by it"""
    return _kept_share(hands, "ck_route")


def kept_nk_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of the hands in which this player's earlier route is not the shorter that were solved by it"""
    return _kept_share(hands, "nk_route")


def server_passes(hands: list[Row], _thresholds: object) -> int:
    """passes by the server for either player"""
    return int(sum(numbers(hands, "server_passes")))


def ck_seconds_per_turn(hands: list[Row], _thresholds: object) -> float | None:
    """seconds of this player's own turns divided by own moves"""
    return _per_turn(hands, "ck")


def nk_seconds_per_turn(hands: list[Row], _thresholds: object) -> float | None:
    """seconds of this player's own turns divided by own moves"""
    return _per_turn(hands, "nk")


def mean_members_seconds(hands: list[Row], _thresholds: object) -> float | None:
    """mean over solved hands of the seconds of both players' turns"""
    return mean(numbers(_solved(hands), "own_seconds"))


def speed_ratio(hands: list[Row], _thresholds: object) -> float | None:
    """`seconds` of the solved hands divided by the seconds of both players' turns; above 1 by waiting"""
    timed = [
        (pair_seconds, own_seconds)
        for hand in _solved(hands)
        if (pair_seconds := number(hand, "seconds")) is not None
        and (own_seconds := number(hand, "own_seconds")) is not None
    ]
    return ratio(
        sum(pair_seconds for pair_seconds, _own_seconds in timed),
        sum(own_seconds for _pair_seconds, own_seconds in timed),
    )


MEASURES = (
    *(kept_route_hands, kept_route_share, kept_ck_route_share, kept_nk_route_share, server_passes),
    *(ck_seconds_per_turn, nk_seconds_per_turn, mean_members_seconds, speed_ratio),
)


def cost_of_change(
    block_hands: Sequence[Row], earlier_hands: Sequence[Sequence[Row]], column: str
) -> float | None:
    """Returns the change of the mean of a column at the start of a block.

    It is the mean over the first ``LAST`` hands minus the mean of the members' means over the last ``LAST``
    hands that each played before. None if one of these is missing.
    """
    own_mean = mean(numbers(block_hands[:LAST], column))
    earlier_means = [
        earlier_mean
        for hands in earlier_hands
        if (earlier_mean := mean(numbers(hands[-LAST:], column))) is not None
    ]
    earlier_mean = mean(earlier_means) if len(earlier_means) == len(earlier_hands) else None
    return None if own_mean is None or earlier_mean is None else own_mean - earlier_mean


def _solved(hands: Sequence[Row]) -> list[Row]:
    return [hand for hand in hands if hand.get("outcome") == "solved"]


def _tempting(hands: Sequence[Row], route: str) -> list[Row]:
    """Returns the hands in which both routes compete and the one in column ``route`` is not the shorter."""
    return [
        hand for hand in hands if hand.get(route) and hand.get("shorter_route") not in ("", None, hand[route])
    ]


def _kept_share(hands: Sequence[Row], route: str) -> float | None:
    return share(
        hand.get("outcome") == "solved" and hand["route"] == hand[route] for hand in _tempting(hands, route)
    )


def _per_turn(hands: Sequence[Row], keeper: str) -> float | None:
    timed: list[Any] = [hand for hand in hands if number(hand, f"{keeper}_seconds") is not None]
    return ratio(sum(numbers(timed, f"{keeper}_seconds")), sum(numbers(timed, f"{keeper}_moves")))
