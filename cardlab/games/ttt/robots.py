"""Implements robots that play one of two keepers, with only the view of their seat.

A robot looks at every card that its seat may look at, has perfect memory, and plans as if its partner had the
same knowledge. ``routinizing`` has the habit of a player who has played the earlier hands of the session
alone. The strength of this habit is the hand's option ``habit``, so it is part of the record.
"""

from collections.abc import Mapping
from random import Random

from cardlab.games.ttt import belief, board
from cardlab.games.ttt.routes import EXCHANGES, ROUTES, compete

ROBOTS = ("informed", *(f"always_{name}" for name in ROUTES), "routinizing")


def action(state: board.State, seat: str, robot: str, seed: str) -> str:
    """Returns the action of a robot in a seat. ``seed`` is that of the hand.

    Raises ValueError if the robot is unknown.
    """
    if robot not in ROBOTS:
        raise ValueError(f"There is no robot called {robot}; there are {', '.join(ROBOTS)}.")
    if looks := look(state, seat):
        return looks
    if robot == "routinizing":  # seeded so that it draws the same way in the whole hand
        return best(state, seat, draw_way(state.options["habit"], state, Random(f"{seed}, way of {seat}")))
    return best(state, seat, robot.removeprefix("always_"))


def look(state: board.State, seat: str) -> str:
    """Returns a look at a card that is face down to the seat; "" if there is none."""
    keepers = board.may_look(state, seat)
    return f"look {keepers[0]}" if keepers else ""


def best(state: board.State, seat: str, way: str = "search") -> str:
    """Returns the best move given the knowledge of the seat.

    If ``way`` names a route, returns the best move by this route, provided that both routes competed in the
    deal and this one is still open.
    """
    known = belief.belief_of(state, seat)
    if way in ROUTES and routes_compete(state):
        try:
            return belief.best_move(known, state.goal, EXCHANGES[way])
        except ValueError:  # the partner has left the route
            pass
    return belief.best_move(known, state.goal)


def routes_compete(state: board.State) -> bool:
    """Returns whether both routes lead to the goal from the deal."""
    return compete(cards_in_target(state)[0], state.goal)


def cards_in_target(state: board.State) -> tuple[str, ...]:
    """Returns the cards that have been in Target, visible to everybody, the dealt one first."""
    layout, turn = board.initial_layout(state)
    cards = [layout[board.TARGET]]
    for move in state.sequence:
        layout = board.layout_after(layout, turn, move)
        if move == "T":
            cards.append(layout[board.TARGET])
        turn = board.other(turn)
    return tuple(cards)


def draw_way(strengths: Mapping[str, float], state: board.State, chance: Random) -> str:
    """Draws the way in which a player with these strengths plays a hand: ``search`` or a route."""
    if not routes_compete(state):
        return "search"
    return chance.choices(list(strengths), list(strengths.values()))[0]
