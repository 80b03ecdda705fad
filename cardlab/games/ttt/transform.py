"""Writes the Transform summary: each hand's layout and, on the next line, its move sequence (ruling 10)."""

from collections.abc import Iterable

from cardlab.games.ttt import board

NO_MOVE = "-"


def summary(hands: Iterable[tuple[board.Layout, str]]) -> list[str]:
    """Returns two lines per hand, also if it is unfinished, from its layout (linear order) and sequence."""
    lines: list[str] = []
    for layout, sequence in hands:
        lines += ["\t".join(layout), sequence or NO_MOVE]
    return lines
