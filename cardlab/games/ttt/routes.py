"""Routes of Target the Two: which cards pass through Target on the way to the goal.

A route is written as the numbers of those cards. From 4C to 2H there are two, which the
literature on routines calls 422 (by way of 2C) and 442 (by way of 4H): Cohen & Bacdayan 1994;
Egidi & Narduzzo 1997; Attanasi, Egidi & Manzoni 2023.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise

from cardlab.games.cards import rank
from cardlab.games.ttt import belief, rules
from cardlab.games.ttt.solver import Exchanges, distances, position

GOAL = "2H"
ROUTES = {"422": ("4C", "2C", GOAL), "442": ("4C", "4H", GOAL)}
OTHER = {"422": "442", "442": "422"}

# The only exchanges with Target that each of them uses.
EXCHANGES: dict[str, Exchanges] = {name: frozenset(pairwise(cards)) for name, cards in ROUTES.items()}


@lru_cache(maxsize=8192)
def route(deal: str, sequence: str) -> str:
    """The numbers of the cards that lay in Target, the dealt one first: ``422``.

    ``deal`` is a deal's text, ``sequence`` the moves played (``TUPT``), finished or not. A pass or
    an exchange elsewhere adds nothing. Raises IllegalAction if the moves cannot be played.
    """
    layout, goal, turn = rules.parse_deal(deal)
    numbers = rank(layout[rules.TARGET])
    for move in sequence:
        layout, turn = _after(layout, goal, turn, move)
        if move == "T":
            numbers += rank(layout[rules.TARGET])
    return numbers


@cache
def _after(layout: rules.Layout, goal: str, turn: str, move: str) -> tuple[rules.Layout, str]:
    """The layout after a move, and the keeper on turn then; there are few enough to play each once."""
    state = rules.start(rules.format_deal(layout, goal, turn), {"MaxRounds": 1})
    after = rules.apply(state, rules.SEAT, move)
    return after.layout, after.turn


def compete(target: str, goal: str) -> bool:
    """Whether both routes lead from the card in Target to the goal."""
    return goal == GOAL and target == ROUTES["422"][0]


def most_played(played: Iterable[str]) -> str | None:
    """Of some routes, in the order in which they were played, 422 or 442, whichever was played more; the one
    played last if they are equal, None if neither was."""
    counts = Counter(
        name for name in reversed([*played]) if name in ROUTES
    )  # of equals the one counted first
    return counts.most_common(1)[0][0] if counts else None


def route_moves(layout: rules.Layout, goal: str, first: str) -> dict[str, int | None]:
    """The fewest moves by each route, ``{"422": 4, "442": 5}``, passes counted.

    Both are None unless the goal is 2H and 4C lies in Target, where alone the two routes compete.
    With ck to move first, 422 takes an even and 442 an odd number of moves, so they never tie.
    """
    if not compete(layout[rules.TARGET], goal):
        return dict.fromkeys(ROUTES)
    here = position(layout, first)
    return {name: _away(name)[here] for name in ROUTES}


@cache
def _away(name: str) -> tuple[int | None, ...]:
    """For each position the fewest moves by a route."""
    return distances(GOAL, EXCHANGES[name])


def sequence_by(name: str, layout: rules.Layout, first: str, view_card: str) -> str:
    """The moves that a route takes on this very layout, where both compete, if somebody goes by it who makes
    the best of what ViewCard lets see and forgets nothing. Raises ValueError as
    ``cardlab.games.ttt.belief``."""
    known, sequence = belief.dealt(layout, first, view_card), ""
    while layout[rules.TARGET] != GOAL:
        move = belief.best_move(known, GOAL, EXCHANGES[name])
        layout, _turn = _after(layout, GOAL, known.turn, move)
        known = belief.seen(belief.moved(known, move), layout)
        sequence += move
    return sequence
