"""Defines the value of a move and the best line of a position as the board shows them."""

from typing import NamedTuple


class MoveValue(NamedTuple):
    """The value of an action to its seat, as text.

    ``source`` says how the value was found, and ``detail`` adds other facts. ``key`` sorts the actions of a
    position, the best highest; None if the value is unknown.
    """

    action: str
    text: str
    source: str
    key: float | None
    detail: str = ""


class BestLine(NamedTuple):
    """The best that a seat can still reach from a position, as text, and the actions that lead to it."""

    text: str
    actions: tuple[str, ...]
