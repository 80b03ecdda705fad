"""Defines the two packs of the matrix card game: the points and the column of each card (ruling 11).

The standard pack has 52 cards. The special pack has 40, written as column, sign and points: ``L+7``, ``R-3``.
The points of each pack sum to 0, because every red card has a black card of the same points.
"""

from functools import cache
from typing import Any

from cardlab.games.cards import FRENCH_PACK, colour, rank, suit

COLUMNS = ("left", "right")

SPECIAL_PACK = tuple(f"{side}{sign}{points}" for side in "LR" for sign in "+-" for points in range(1, 11))
PACKS = {"standard": FRENCH_PACK, "special": SPECIAL_PACK}
COURTS = {"10": {"J": 10, "Q": 10, "K": 10}, "ladder": {"J": 11, "Q": 12, "K": 13}}

COLUMN = {"S": "left", "H": "left", "L": "left", "C": "right", "D": "right", "R": "right"}


def is_special(card: str) -> bool:
    """Returns whether it is a card of the special pack, such as ``L+7``."""
    return card[1] in "+-"


@cache
def column(card: str) -> str:
    """Returns the column that the card selects from its holder's side, ``left`` or ``right``."""
    return COLUMN[card[0] if is_special(card) else suit(card)]


def value(card: str, options: dict[str, Any]) -> int:
    """Returns the points of a card. Red is negative, and the option ``court`` sets those of court cards."""
    return int(card[1:]) if is_special(card) else _worth(card, options["court"])


@cache  # each view needs the points of all visible cards
def _worth(card: str, court: str) -> int:
    points = {"A": 1, **COURTS[court]}.get(rank(card)) or int(rank(card))
    return -points if colour(card) == "red" else points
