"""Robots that play one of two keepers, with nothing but the view of their seat.

They are strategies that stand (``cardlab.games.ttt.strategies``): a robot looks at all that its seat may look
at, forgets nothing, and thinks as if its partner knew what it knows. ``routinizing`` has the habit of
somebody who has played the hands of the session before this one alone; how strong it is stands in the hand's
option ``habit``, so that the record tells what the partner was used to.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from cardlab.games.record import Opening
from cardlab.games.ttt import rules
from cardlab.games.ttt.routes import ROUTES
from cardlab.games.ttt.strategies import Routinizing, best, look, way_by

ROBOTS = ("informed", *(f"always_{name}" for name in ROUTES), "routinizing")


def action(state: rules.State, seat: str, robot: str, seed: str) -> str:
    """What a robot does in the seat; ``seed`` is the hand's own. ValueError if there is no robot of the
    name."""
    if robot not in ROBOTS:
        raise ValueError(f"There is no robot called {robot}; there are {', '.join(ROBOTS)}.")
    if looks := look(state, seat):
        return looks
    if robot == "routinizing":  # the same way in the whole hand
        return best(state, seat, way_by(state.options["habit"], state, Random(f"{seed}, way of {seat}")))
    return best(state, seat, robot.removeprefix("always_"))


def habits(hands: Sequence[Opening], seed: str) -> list[dict[str, float]]:
    """For each hand how strong each way to go about it is (``Routinizing.strengths``) in somebody who has
    played those before it alone."""
    player, found = Routinizing(Random(f"{seed}, practice of the robot")), []
    for hand in hands:
        found.append({way: round(strength, 6) for way, strength in player.strengths.items()})
        state = rules.start(hand.deal, {**hand.options, "players": 1})
        while not rules.is_over(state):
            state = rules.apply(state, rules.SEAT, player(state, rules.SEAT))
        player.remember()
    return found
