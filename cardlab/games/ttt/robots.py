"""Robots that play one of two keepers, with nothing but the view of their seat.

A robot looks at every card that its seat may look at, forgets nothing, and plans as if its partner knew what
it knows. ``routinizing`` has the habit of a player who has played the earlier hands of the session alone. The
strength of that habit is the hand's option ``habit``, so it is part of the record.
"""

from collections.abc import Mapping
from random import Random

from cardlab.games.ttt import belief, board
from cardlab.games.ttt.routes import EXCHANGES, ROUTES, compete

ROBOTS = ("informed", *(f"always_{name}" for name in ROUTES), "routinizing")


def action(state: board.State, seat: str, robot: str, seed: str) -> str:
    """Returns what a robot does in the seat; ``seed`` is that of the hand.

    Raises ValueError if there is no robot of this name.
    """
    if robot not in ROBOTS:
        raise ValueError(f"There is no robot called {robot}; there are {', '.join(ROBOTS)}.")
    if looks := look(state, seat):
        return looks
    if robot == "routinizing":  # the same way in the whole hand
        return best(state, seat, draw_way(state.options["habit"], state, Random(f"{seed}, way of {seat}")))
    return best(state, seat, robot.removeprefix("always_"))


def look(state: board.State, seat: str) -> str:
    """Returns the look that turns up a card which the seat may see and does not; "" if there is none."""
    keepers = board.may_look(state, seat)
    return f"look {keepers[0]}" if keepers else ""


def best(state: board.State, seat: str, way: str = "search") -> str:
    """Returns the best move by what the seat knows.

    With the name of a route as ``way`` it is the best move by that route, if both routes competed when the
    hand was dealt and this one is still open.
    """
    known = belief.known(state, seat)
    if way in ROUTES and routes_compete(state):
        try:
            return belief.best_move(known, state.goal, EXCHANGES[way])
        except ValueError:  # a partner has left the route
            pass
    return belief.best_move(known, state.goal)


def routes_compete(state: board.State) -> bool:
    """Whether both routes led to the goal when the hand was dealt."""
    return compete(cards_in_target(state)[0], state.goal)


def cards_in_target(state: board.State) -> tuple[str, ...]:
    """Returns the cards that have lain in Target, which everybody has seen, the dealt one first."""
    layout, turn = board.dealt_as(state)
    cards = [layout[board.TARGET]]
    for move in state.sequence:
        layout = board.layout_after(layout, turn, move)
        if move == "T":
            cards.append(layout[board.TARGET])
        turn = board.other(turn)
    return tuple(cards)


def draw_way(strengths: Mapping[str, float], state: board.State, chance: Random) -> str:
    """Draws how a player with these strengths plays a hand: ``search`` or the name of a route."""
    if not routes_compete(state):
        return "search"
    return chance.choices(list(strengths), list(strengths.values()))[0]
