"""Measures of a hand of Target the Two."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from cardlab.games.statistics import Row, number, ratio
from cardlab.games.ttt import belief, board, routes

Seen = tuple[board.Layout, str, str, str]  # layout, goal, first mover, sight (``belief.view_of``)


def seconds_per_move(row: Row) -> float | None:
    """`client_seconds` divided by `moves` (Cohen and Bacdayan 1994)"""
    return ratio(number(row, "client_seconds"), number(row, "moves"))


def expected_moves(row: Row) -> float | None:
    """the least expected number of moves under ViewCard with perfect memory, judged by what the seat may
    see
    """
    seen = _deal_and_sight(row, row.get("seat"))
    return _expected_moves(seen) if seen else None


def excess_moves(row: Row) -> float | None:
    """`moves` minus `least_moves` of a solved hand: the suboptimality of Cohen and Bacdayan 1994"""
    return _beyond(row, "least_moves")


def excess_over_expected(row: Row) -> float | None:
    """`moves` minus `expected_moves` of a solved hand; can be negative by luck"""
    return _beyond(row, "expected_moves")


def moves_lost(row: Row) -> float | None:
    """expected moves lost by the participant's choices compared with the best play under ViewCard; 0 is
    best play, independent of luck
    """
    return _lost(row, row.get("seat"))


def best_play(row: Row) -> int | None:
    """1 if the hand was solved and `moves_lost` is 0, else 0"""
    solves, lost_moves = is_solved(row), number(row, "moves_lost")
    if solves is None or not _deal_and_sight(row, None) or (solves and lost_moves is None):
        return None
    return int(solves and not lost_moves)


def optimal(row: Row) -> int | None:
    """1 if the hand was solved in the least moves, else 0 (Attanasi, Egidi and Manzoni 2023)"""
    solves, excess = is_solved(row), excess_moves(row)
    if solves is None or number(row, "least_moves") is None or (solves and excess is None):
        return None
    return int(excess == 0)


def moves_422(row: Row) -> int | None:
    """the fewest moves by this route; empty unless both routes compete (Egidi and Narduzzo 1997)"""
    return _by_route(row)["422"]


def moves_442(row: Row) -> int | None:
    """the fewest moves by this route; empty unless both routes compete (Egidi and Narduzzo 1997)"""
    return _by_route(row)["442"]


def shorter_route(row: Row) -> str | None:
    """`422` or `442`; they never tie"""
    moves = _by_route(row)
    by_422, by_442 = moves["422"], moves["442"]
    if by_422 is None or by_442 is None:
        return None
    return "422" if by_422 < by_442 else "442"


def lost_by_422(row: Row) -> float | None:
    """expected `moves_lost` of the best play by this route, over all layouts that look alike after the deal;
    empty unless both routes compete
    """
    return _lost_by("422", row)


def lost_by_442(row: Row) -> float | None:
    """expected `moves_lost` of the best play by this route, over all layouts that look alike after the deal;
    empty unless both routes compete
    """
    return _lost_by("442", row)


# Measures of hands of two players, empty for one player.


def seconds_per_turn(row: Row) -> float | None:
    """`own_seconds` divided by `own_moves`, in the game for two"""
    return ratio(number(row, "own_seconds"), number(row, "own_moves"))


def forced_passes(row: Row) -> int | None:
    """moves after which the partner passed because, by their knowledge, nothing was better"""
    seat, moved = row.get("seat"), _moves_of(row)
    if seat not in board.KEEPERS or not moved or not row.get("route"):
        return None
    partner = board.other(seat)
    seen, looks = _deal_and_sight(row, partner), belief.looks_of(read_settings(row["settings"]), partner)
    return _forced_passes(seen, looks, seat, *moved) if seen else None


def pair_moves_lost(row: Row) -> float | None:
    """`moves_lost` of both players together"""
    if row.get("seat") not in board.KEEPERS:
        return None
    losses = [loss for keeper in board.KEEPERS if (loss := _lost(row, keeper)) is not None]
    return sum(losses) if losses else None


def expected_union(row: Row) -> float | None:
    """least expected moves of one player who sees what either sees: a lower bound for two"""
    return _bound(row, lambda _settings: belief.UNION)


def expected_common(row: Row) -> float | None:
    """least expected moves of one player who sees only what both see together: moves, UP, Target, keepers'
    cards that lie face up for both; an upper bound for two, on average
    """
    return _bound(row, belief.common_view)


def _deal(row: Row) -> tuple[board.Layout, str, str] | None:
    if not (row.get("layout") and row.get("goal") and row.get("first")):
        return None
    return _cards(row["layout"]), row["goal"], row["first"]


@lru_cache(maxsize=1024)
def _cards(layout: str) -> board.Layout:
    return tuple(layout.split())


@lru_cache(maxsize=1024)
def _expected_moves(seen: Seen) -> float:
    return float(belief.expected_moves(*seen))


@lru_cache(maxsize=8192)
def _moves_lost(
    seen: Seen,
    sequence: str,
    keeper: str | None = None,
    no_choices: tuple[int, ...] = (),
    looks: str | None = None,
) -> float:
    return round(float(belief.moves_lost(*seen, sequence, keeper, no_choices, looks)), 6)


def _lost(row: Row, seat: str | None) -> float | None:
    """Returns the moves lost in a hand; for a seat of two players, only by its own choices."""
    seen, moved = _deal_and_sight(row, seat), _moves_of(row)
    if not seen or not moved or not row.get("route"):
        return None
    if seat not in board.KEEPERS:
        return _moves_lost(seen, moved[0])
    sequence, by_server = moved
    _layout, _goal, first, _view_card = seen
    own_numbers = set(range(1 if seat == first else 2, 1 + len(sequence), 2))
    if not own_numbers.difference(by_server):
        return None
    return _moves_lost(seen, sequence, seat, by_server, belief.looks_of(read_settings(row["settings"]), seat))


def _moves_of(row: Row) -> tuple[str, tuple[int, ...]] | None:
    """Returns the moves of a hand and the numbers of those by the server; None without a move."""
    sequence, by_server = row.get("sequence"), row.get("passed_by_server") or ""
    return (sequence, tuple(map(int, str(by_server).split()))) if sequence else None


@lru_cache(maxsize=8192)
def _forced_passes(
    seen: Seen, looks: str | None, seat: str, sequence: str, by_server: tuple[int, ...]
) -> int:
    """Returns the number of the seat's moves after which the partner passed for lack of a better move."""
    layout, goal, first, view_card = seen
    own_numbers = range(1 if seat == first else 2, len(sequence), 2)  # of the seat's moves
    chosen_numbers = [
        number for number in own_numbers if number not in by_server and number + 1 not in by_server
    ]
    return sum(
        not belief.cost(belief.after_moves(layout, first, view_card, sequence[:number], looks), goal, "P")
        for number in chosen_numbers
        if sequence[number] == "P"
    )


def _bound(row: Row, view_of: Callable[[Mapping[str, Any]], str]) -> float | None:
    """Returns the expected moves of one player whose sight ``view_of`` derives from the settings."""
    seen = _deal_and_sight(row, None)
    if row.get("seat") not in board.KEEPERS or not seen:
        return None
    return _expected_moves((*seen[:3], view_of(read_settings(row["settings"]))))


def _deal_and_sight(row: Row, seat: str | None) -> Seen | None:
    """Returns the deal and the sight of the seat (``belief.view_of``); None if the row lacks either."""
    deal, view_card = _deal(row), _view_card(row.get("settings", ""))
    return (*deal, belief.view_of(view_card, seat or board.SEAT)) if deal and view_card else None


def _view_card(settings: str) -> str | None:
    view_card = read_settings(settings).get("ViewCard")
    return view_card if view_card in belief.VIEWS else None


def _lost_by(name: str, row: Row) -> float | None:
    seen = _deal_and_sight(row, row.get("seat"))
    if not seen or not routes.compete(seen[0][board.TARGET], seen[1]):
        return None
    return _lost_by_route(name, seen)


@lru_cache(maxsize=4096)
def _lost_by_route(name: str, seen: Seen) -> float:
    layout, _goal, first, view_card = seen
    return round(float(routes.extra_moves(name, belief.after_deal(layout, first, view_card))), 6)


def _beyond(row: Row, column: str) -> float | None:
    moves, minimum = number(row, "moves"), number(row, column)
    if row.get("outcome") != "solved" or moves is None or minimum is None:
        return None
    return moves - minimum


def _by_route(row: Row) -> dict[str, int | None]:
    deal = _deal(row)
    return routes.route_moves(*deal) if deal else dict.fromkeys(routes.ROUTES)


@lru_cache(maxsize=64)
def read_settings(settings: str) -> dict[str, Any]:
    """Returns the settings of a hand. Cached, because a session has few different ones."""
    return json.loads(settings) if settings else {}


def is_solved(row: Row) -> bool | None:
    """Returns whether a hand that is over was solved; None if it is open or this is unknown.

    It is unknown for logs without goal and first mover, which have no route.
    """
    outcome = row.get("outcome")
    known_outcome = outcome or row.get("route")
    return outcome == "solved" if known_outcome and outcome != "open" else None


HAND_MEASURES = (
    *(seconds_per_move, expected_moves, excess_moves, excess_over_expected, moves_lost, best_play, optimal),
    *(moves_422, moves_442, shorter_route, lost_by_422, lost_by_442),
    *(seconds_per_turn, forced_passes, pair_moves_lost, expected_union, expected_common),
)

# The measures that depend only on the columns ``deal_columns``.
DEAL_MEASURES = (
    *(expected_moves, moves_422, moves_442, shorter_route, lost_by_422, lost_by_442),
    *(expected_union, expected_common),
)
