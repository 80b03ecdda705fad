"""The Transform summary: each hand's layout and, on the line below, its move sequence (ruling 10)."""

from collections.abc import Iterable

from cardlab.games.ttt import board

NO_MOVE = "-"


def summary(hands: Iterable[tuple[board.Layout, str]]) -> list[str]:
    """Returns two lines per hand from layout (linear order) and sequence; unfinished hands too."""
    lines: list[str] = []
    for layout, sequence in hands:
        lines += ["\t".join(layout), sequence or NO_MOVE]
    return lines
