"""Computes routes of Target the Two: the cards that pass through Target on the way to the goal.

A route is written as the numbers of these cards. From 4C to 2H there are two, which the
literature on routines calls 422 (through 2C) and 442 (through 4H): Cohen & Bacdayan 1994;
Egidi & Narduzzo 1997; Attanasi, Egidi & Manzoni 2023.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise

from cardlab.games.cards import rank
from cardlab.games.contract import IllegalAction
from cardlab.games.ttt import belief, board
from cardlab.games.ttt.solver import Exchanges, distances, position

GOAL = "2H"
ROUTES = {"422": ("4C", "2C", GOAL), "442": ("4C", "4H", GOAL)}
OTHER = {"422": "442", "442": "422"}

# The exchanges with Target that each route uses.
EXCHANGES: dict[str, Exchanges] = {name: frozenset(pairwise(cards)) for name, cards in ROUTES.items()}


@lru_cache(maxsize=8192)
def route(deal: str, sequence: str) -> str:
    """Returns the numbers of the cards that have been in Target, the dealt one first: ``422``.

    ``deal`` is the text of the deal, ``sequence`` the moves (``TUPT``), finished or not. A pass or an
    exchange elsewhere adds nothing. Raises IllegalAction if a move is illegal.
    """
    layout, goal, turn = board.parse_deal(deal)
    numbers = rank(layout[board.TARGET])
    for move in sequence:
        layout, turn = _after(layout, goal, turn, move)
        if move == "T":
            numbers += rank(layout[board.TARGET])
    return numbers


@cache
def _after(layout: board.Layout, goal: str, turn: str, move: str) -> tuple[board.Layout, str]:
    """Returns the layout and the keeper on turn after a move. Raises IllegalAction.

    The number of positions is small enough to cache them all.
    """
    allowed = move != "T" or board.may_enter_target(layout, turn)
    if move not in board.MOVES or layout[board.TARGET] == goal or not allowed:
        raise IllegalAction(f"The move {move} of {turn} is not possible here.")
    return board.layout_after(layout, turn, move), board.other(turn)


def compete(target: str, goal: str) -> bool:
    """Returns whether both routes lead from the card in Target to the goal."""
    return goal == GOAL and target == ROUTES["422"][0]


def most_played(names: Iterable[str]) -> str | None:
    """Returns the route, 422 or 442, that was played more often; if they are equal, the one played last.

    ``names`` has the routes in order of play. Returns None if neither was played.
    """
    # Reversed, because most_common returns the first one counted among equals.
    counts = Counter(name for name in reversed([*names]) if name in ROUTES)
    return counts.most_common(1)[0][0] if counts else None


def route_moves(layout: board.Layout, goal: str, first: str) -> dict[str, int | None]:
    """Returns the fewest moves by each route, including passes: ``{"422": 4, "442": 5}``.

    Both are None unless the two routes compete, that is, the goal is 2H and 4C is in Target.
    If ck moves first, 422 takes an even and 442 an odd number of moves, so they never tie.
    """
    if not compete(layout[board.TARGET], goal):
        return dict.fromkeys(ROUTES)
    start = position(layout, first)
    return {name: _route_distances(name)[start] for name in ROUTES}


@cache
def _route_distances(name: str) -> tuple[int | None, ...]:
    """Returns the fewest moves by a route for each position."""
    return distances(GOAL, EXCHANGES[name])


def open_routes(in_target: tuple[str, ...], goal: str) -> list[str]:
    """Returns the competing routes that begin with the cards that have been in Target, the dealt one first.

    Empty unless both routes compete in the deal.
    """
    if not compete(in_target[0], goal):
        return []
    return [name for name, cards in ROUTES.items() if cards[: len(in_target)] == in_target]


def extra_moves(name: str, known: belief.Belief) -> Fraction:
    """Returns by how many moves the best play by a route is expected to be longer than the best play.

    It is a mean over all layouts that look alike to the player, and 0 if the best play uses the route in each
    of them. The goal is ``GOAL``. Raises ValueError if the route is closed.
    """
    return belief.value(known, GOAL, EXCHANGES[name]) - belief.value(known, GOAL)
