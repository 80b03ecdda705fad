"""What a move is worth, as the board shows it."""

from typing import NamedTuple


class MoveValue(NamedTuple):
    """The value of an action to its seat, in words.

    ``source`` says how the value is known, and ``detail`` what else is known. ``key`` orders the actions of a
    position, the best highest; None if the value is unknown.
    """

    action: str
    text: str
    source: str
    key: float | None
    detail: str = ""
