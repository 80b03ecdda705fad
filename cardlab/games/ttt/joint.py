"""How two play Target the Two together: a hand as the pair's, and the measures of a pair in a block of hands.

The table of hands has a row for each of them. :func:`joined` makes one of both; then all measures of a
participant (``performance``) can be taken of a pair, and those that stand here, which only a pair has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardlab.games.statistics import Row, mean, number, numbers, ratio, share
from cardlab.games.ttt import board, hand_measures, routes

SEAT = "pair"  # in the place of a seat
LAST = 4  # hands before and after the start of a block, whose difference is the cost of a change

# Of these a pair has what both have together; of these what the one has to whom it is more.
_SUMS = ("own_moves", "own_seconds", "passed_after", "forced_passes", "server_passes", "looks", "pick_ups")
_MOST = ("lost_by_422", "lost_by_442")


def joined(seats: Mapping[str, Row]) -> Row:
    """Returns a hand as the pair's, from the rows of its keepers, both with all measures.

    Its ``moves_lost`` are those of both, each judged by what that one could see, and ``expected_moves`` is
    the bound ``expected_union``; a route costs what it costs whoever of the two can see more of that. Besides
    there are ``ck_moves``, ``ck_seconds``, ``nk_moves``, ``nk_seconds``: of each their own.
    """
    rows = [seats[keeper] for keeper in board.KEEPERS]
    # One may have been moved on before the end of the hand.
    row = next((row for row in rows if row.get("outcome") == "solved"), rows[0])
    joint = {**row, "seat": SEAT, "moves_lost": row.get("pair_moves_lost", "")}
    joint["expected_moves"] = row.get("expected_union", "")
    for name in _SUMS:
        values = numbers(rows, name)
        joint[name] = sum(values) if values else ""
    for name in _MOST:
        joint[name] = max(numbers(rows, name), default="")
    for keeper, own in zip(board.KEEPERS, rows):
        joint |= {
            f"{keeper}_moves": own.get("own_moves", ""),
            f"{keeper}_seconds": own.get("own_seconds", ""),
        }
    for measure in (
        hand_measures.excess_over_expected,
        hand_measures.best_play,
        hand_measures.seconds_per_turn,
    ):
        value = measure(joint)
        joint[measure.__name__] = "" if value is None else value
    return joint


def with_own_routes(hands: Sequence[Row]) -> list[Row]:
    """Returns the hands of a pair in order, each with ``own_route``.

    It is the route :func:`most_played` in the hands before.
    """
    return [{**hand, "own_route": most_played(hands[:place])} for place, hand in enumerate(hands)]


def most_played(hands: Sequence[Row]) -> str:
    """Returns the route that solved most of the hands in which both compete; "" if neither did.

    If both solved equally many, it is the route of the latest of these hands.
    """
    return routes.most_played(hand["route"] for hand in _solved(hands) if hand.get("shorter_route")) or ""


# Of a pair, from its hands that are over, practice left out, each joined.


def kept_route_hands(hands: list[Row], _thresholds: object) -> int:
    """hands in which the pair's own route is not `shorter_route`; its own route solved most of its earlier
    hands
    """
    return len(_tempting(hands, "own_route"))


def kept_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of `kept_route_hands` that the pair solved by its own route"""
    return _kept(hands, "own_route")


def kept_ck_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of the hands in which this player's earlier route is not the shorter that were solved by it"""
    return _kept(hands, "ck_route")


def kept_nk_route_share(hands: list[Row], _thresholds: object) -> float | None:
    """share of the hands in which this player's earlier route is not the shorter that were solved by it"""
    return _kept(hands, "nk_route")


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
        (whole, own)
        for hand in _solved(hands)
        if (whole := number(hand, "seconds")) is not None and (own := number(hand, "own_seconds")) is not None
    ]
    return ratio(sum(whole for whole, _own in timed), sum(own for _whole, own in timed))


MEASURES = (
    *(kept_route_hands, kept_route_share, kept_ck_route_share, kept_nk_route_share, server_passes),
    *(ck_seconds_per_turn, nk_seconds_per_turn, mean_members_seconds, speed_ratio),
)


def first_less_last(first: Sequence[Row], before: Sequence[Sequence[Row]], column: str) -> float | None:
    """Returns how much the mean of a column changes where two begin to play together.

    It is the mean over the first ``LAST`` hands less the mean of the members' means over the last ``LAST``
    hands that each played before. Returns None where one of these is missing.
    """
    own = mean(numbers(first[:LAST], column))
    each = [last for hands in before if (last := mean(numbers(hands[-LAST:], column))) is not None]
    last = mean(each) if len(each) == len(before) else None
    return None if own is None or last is None else own - last


def _solved(hands: Sequence[Row]) -> list[Row]:
    return [hand for hand in hands if hand.get("outcome") == "solved"]


def _tempting(hands: Sequence[Row], route: str) -> list[Row]:
    """Returns the hands in which both routes compete, and the one that a column says is not the shorter."""
    return [
        hand for hand in hands if hand.get(route) and hand.get("shorter_route") not in ("", None, hand[route])
    ]


def _kept(hands: Sequence[Row], route: str) -> float | None:
    return share(
        hand.get("outcome") == "solved" and hand["route"] == hand[route] for hand in _tempting(hands, route)
    )


def _per_turn(hands: Sequence[Row], keeper: str) -> float | None:
    timed: list[Any] = [hand for hand in hands if number(hand, f"{keeper}_seconds") is not None]
    return ratio(sum(numbers(timed, f"{keeper}_seconds")), sum(numbers(timed, f"{keeper}_moves")))
