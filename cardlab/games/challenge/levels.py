"""Defines the levels of the computer player of Challenge: a search depth and a rate of deliberate errors.

An error is a legal move other than the best one found: the pick-up if it is allowed, else a random one.
Pick-ups are used because weak players hardly ever win against random cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from cardlab.games.challenge.position import PICK_UP


class Level(NamedTuple):
    """A search depth, and the percentage of moves that are deliberate errors."""

    depth: int
    errors: int


FIRST_ADAPTIVE = 5  # the adaptive computer's first level if the config has none
FIRST_STEP = 5  # levels after the first game

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
    """Returns the depth and errors of the computer: those of its level, or of the option ``depth``."""
    return LEVELS[options["level"]] if options["level"] else Level(options["depth"], 0)


def adapted_level(level: int, outcome: str, games: int) -> int:
    """Returns the adaptive computer's level after a game at ``level``, the participant's ``games``-th.

    It rises if the participant won, falls if they lost or drew, and stays after other outcomes. The first
    step is large, so that participants win about half of their games even if these are few. Later steps are
    one level.
    """
    direction = {"won": 1, "lost": -1, "drawn": -1}.get(outcome, 0)
    step = FIRST_STEP if games == 1 else 1
    return min(max(LEVELS), max(min(LEVELS), level + direction * step))


def draw_error(best: str, moves: Sequence[str], errors: int, seed: object) -> str:
    """Returns the erroneous move to play instead of the best one; "" if no error is drawn."""
    chance, others = Random(f"{seed}, error"), [move for move in moves if move != best]
    if chance.randrange(100) >= errors or not others:
        return ""
    return PICK_UP if PICK_UP in others else chance.choice(others)
