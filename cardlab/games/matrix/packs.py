"""The two packs of the matrix card game: what a card is worth and which column it selects (ruling 11).

The standard pack has 52 cards; the special pack 40, spelled as column, sign and points: ``L+7``, ``R-3``.
Both are worth 0 in all, for every red card has a black one of the same points.
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
    """Whether it is a card of the special pack, such as ``L+7``."""
    return card[1] in "+-"


@cache
def column(card: str) -> str:
    """``left`` or ``right``: the column that the card selects, as its holder sees the table."""
    return COLUMN[card[0] if is_special(card) else suit(card)]


def value(card: str, options: dict[str, Any]) -> int:
    """Returns the points of a card; red is negative, ``options["court"]`` is the value of courts."""
    return int(card[1:]) if is_special(card) else _worth(card, options["court"])


@cache  # each view asks for it, of each card that lies open
def _worth(card: str, court: str) -> int:
    points = {"A": 1, **COURTS[court]}.get(rank(card)) or int(rank(card))
    return -points if colour(card) == "red" else points
