"""The levels of the computer player of Challenge: a search depth, and a rate of deliberate errors.

An error is another legal move than the one that the search has found: the pick-up where it is allowed, else
one drawn by the seed. Against random cards weak players would hardly win; against pick-ups they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from cardlab.games.challenge.position import PICK_UP


class Level(NamedTuple):
    """A search depth, and how many of a hundred moves are errors on purpose."""

    depth: int
    errors: int


FIRST_ADAPTIVE = 4  # the adaptive computer's level in the first game, without a level in the config

LEVELS = {
    1: Level(0, 70),
    2: Level(0, 60),
    3: Level(0, 50),
    4: Level(0, 40),
    5: Level(2, 30),
    6: Level(4, 22),
    7: Level(4, 14),
    8: Level(6, 8),
    9: Level(6, 3),
    10: Level(8, 0),
}


def strength_of(options: Mapping[str, Any]) -> Level:
    """Returns the depth and the errors of a game's computer: those of its level, or its own depth."""
    return LEVELS[options["level"]] if options["level"] else Level(options["depth"], 0)


def adapted_level(level: int, outcome: str) -> int:
    """Returns the adaptive computer's level after a game of this level.

    It rises by one if the participant won and falls by one if they lost or drew. So half of the games are
    won, but for fewer than the number of levels, as long as the participant is neither stronger nor weaker
    than all of them. A game that was ended changes nothing.
    """
    step = {"won": 1, "lost": -1, "drawn": -1}.get(outcome, 0)
    return min(max(LEVELS), max(min(LEVELS), level + step))


def draw_error(best: str, moves: Sequence[str], errors: int, seed: object) -> str:
    """Returns the move that is played by error instead of the best one; "" if there is none."""
    chance, others = Random(f"{seed}, error"), [move for move in moves if move != best]
    if chance.randrange(100) >= errors or not others:
        return ""
    return PICK_UP if PICK_UP in others else chance.choice(others)
