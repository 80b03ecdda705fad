"""The Transform summary: each hand's layout and, on the line below, its move sequence (ruling 10)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote
from cardlab.games.ttt import rules

NO_MOVE = "-"


def summary(hands: Iterable[tuple[rules.Layout, str]]) -> list[str]:
    """Two lines a hand, from pairs of layout (linear order) and sequence; unfinished hands too."""
    lines: list[str] = []
    for layout, sequence in hands:
        lines += ["\t".join(layout), sequence or NO_MOVE]
    return lines


def read_summary(lines: Iterable[str], name: str) -> list[tuple[rules.Layout, str]]:
    """The pairs that :func:`summary` wrote. Blank lines, blanks for tabs and any case are taken too.

    BadFile names line and column of a card or move that is none, and of a layout without a sequence.
    """
    hands: list[tuple[rules.Layout, str]] = []
    layout: rules.Layout | None = None
    number = 0
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        if not line.strip():
            continue
        if layout is None:
            layout = _layout(line, name, number)
        else:
            hands.append((layout, _sequence(line, name, number)))
            layout = None
    if layout is not None:
        raise BadFile(name, "The last layout has no sequence on the line below it.", number, 1)
    return hands


def _layout(line: str, name: str, number: int) -> rules.Layout:
    cards: list[str] = []
    for found in re.finditer(r"\S+", line):
        card, column = found.group().upper(), found.start() + 1
        if card not in TTT_PACK:
            raise BadFile(
                name,
                f"{quote(found.group())} is not a card; a layout is the six cards {' '.join(TTT_PACK)}.",
                number,
                column,
            )
        if card in cards:
            raise BadFile(name, f"The card {card} is there twice.", number, column)
        cards.append(card)
    if len(cards) != len(TTT_PACK):
        column = len(line.rstrip()) + 1
        raise BadFile(name, f"A layout has six cards, and this line {len(cards)}.", number, column)
    return tuple(cards)


def _sequence(line: str, name: str, number: int) -> str:
    if line.strip() == NO_MOVE:
        return ""
    for column, letter in enumerate(line, start=1):
        if letter.upper() not in rules.MOVES and not letter.isspace():
            raise BadFile(
                name,
                f"{quote(letter)} is not a move; a sequence is made of {' '.join(rules.MOVES)}, "
                f"or is {NO_MOVE} for a hand without a move.",
                number,
                column,
            )
    return "".join(line.split()).upper()
