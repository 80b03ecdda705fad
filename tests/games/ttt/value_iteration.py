"""Computes the least expected moves of Target the Two a second time, to compare with ``belief``.

Here a belief is the set of all possible hands; the rules give their views. A move is legal if it is legal in
each of these hands. Value iteration starts at 0 and counts in fractions of a move, in units that make all
values whole numbers.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board, rules

LAYOUTS = tuple(permutations(TTT_PACK))
PARTS = 24
BOTH = "both"  # instead of a seat: a player who sees only the cards that both seats see


def unsolved(goal):
    """Returns the layouts with another card in Target."""
    return [layout for layout in LAYOUTS if layout[board.TARGET] != goal]


def sight(state, seat):
    """Returns the visible cards (for BOTH, those in both views) and the turn, which shows if it is over."""
    views = [rules.view(state, one) for one in (board.KEEPERS if seat == BOTH else [seat])]
    cards = zip(*(view["cards"].values() for view in views))
    return tuple(shown[0] if all(shown) else None for shown in cards), views[0]["turn"]


def parted(states, seat):
    """Groups the possible hands by the visible cards."""
    parts = defaultdict(list)
    for state in states:
        parts[sight(state, seat)].append(state)
    return [tuple(part) for part in parts.values()]


def key(states):
    """Returns the part of a belief that determines the rest of the hand."""
    exchanged = bool(states[0].sequence.strip("P"))
    return frozenset(state.layout for state in states), states[0].turn, exchanged


def legal_moves(states):
    """Returns the moves that are legal in each of these hands."""
    moves = (rules.legal_actions(state, board.on_turn(state)) for state in states)
    return sorted(set.intersection(*map(set, moves)))


@cache
def by_value_iteration(goal, view_card, route=None, seat=board.SEAT, face_up=True):
    """Returns the least expected moves for each layout and first mover; by ``route`` alone, if given."""
    options = {"ViewCard": view_card, "ViewCkNk": face_up, "MaxRounds": 1000}
    options["players"] = 1 if seat == board.SEAT else 2
    begin = {}
    for first in board.KEEPERS:
        states = [
            rules.start(board.format_deal(layout, goal, first), options)
            for layout in unsolved(goal)
            if route is None or layout[board.TARGET] == route[0]
        ]
        begin.update({key(part): part for part in parted(states, seat)})
    leads = {}  # belief → for each move its outcomes, as (number of hands, belief)
    reached = dict(begin)
    while reached:
        name, states = reached.popitem()
        leads[name] = []
        for move in legal_moves(states):
            after = [rules.apply(state, board.on_turn(state), move) for state in states]
            if move == "T" and route and not _follows(route, states, after):
                continue
            parts = parted(after, seat)
            leads[name].append([(len(part), None if part[0].solved else key(part)) for part in parts])
            reached.update({key(p): p for p in parts if not p[0].solved and key(p) not in leads})
    values = _iterate(leads)
    return {
        (state.layout, state.turn): Fraction(values[name], PARTS)
        for name, states in begin.items()
        for state in states
    }


def _follows(route, before, after):
    """Returns whether all these exchanges with Target belong to the route."""
    cards = {(one.layout[board.TARGET], then.layout[board.TARGET]) for one, then in zip(before, after)}
    return cards <= set(pairwise(route))


def _iterate(leads):
    """Returns the value of each belief, in parts of a move."""
    weighed = {
        name: [(sum(count for count, _after in parts), parts) for parts in moves]
        for name, moves in leads.items()
    }
    values, before = dict.fromkeys(leads, 0), None
    while values != before:
        before = {**values, None: 0}
        means = {
            name: [divmod(sum(count * before[after] for count, after in parts), of) for of, parts in moves]
            for name, moves in weighed.items()
        }
        assert not any(rest for of_moves in means.values() for _mean, rest in of_moves)
        values = {name: PARTS + min(of_moves)[0] for name, of_moves in means.items()}
        before.pop(None)
    return values
