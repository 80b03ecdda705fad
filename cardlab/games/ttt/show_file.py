"""Reads and writes show files: layouts, goals and first movers of hands, one row per hand (rulings 2, 9).

A row has six cards in linear or circular order, then optionally the goal card and ck or nk. The setting
``syntaxinput`` gives the order, unless the file does. A file may also describe its design: the number of
learning hands, and the route that becomes familiar in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.text_file import is_blank_or_comment, numbered_lines, quote
from cardlab.games.ttt import board

ORDERS = {"LINEAR": board.PLACES, "CIRCULAR": ("Nk", "N", "UP", "C", "Ck", "T")}  # ruling 2

LEARNING_HANDS, FAMILIAR_ROUTE = "learning_hands", "familiar_route"  # the fields of a design

_HEADINGS = {"LINEAR": "C Ck UP T N Nk G FirstMove", "CIRCULAR": "NK N UP C CK T G FirstMove"}
_HEADING_ENDS = {"", "g", "goal", "firstmove", "gfirstmove", "goalfirstmove"}
_ORDER_LINE = re.compile(r"\s*(?://|;|#)\s*order\s*:\s*(.*)", re.IGNORECASE)
_DESIGN_LINE = re.compile(rf"\s*(?://|;|#)\s*({LEARNING_HANDS}|{FAMILIAR_ROUTE})\s*:\s*(.*)", re.IGNORECASE)
_CARDS = " ".join(TTT_PACK)


@dataclass(frozen=True)
class ShowFile:
    """The hands as deals (``board.format_deal``), the order of their cards, and warnings.

    ``learning_hands`` is the number of hands at the beginning in which a route becomes familiar (0 if the
    file does not say), ``familiar_route`` the route, 422 or 442 ("" if it does not say).
    """

    hands: tuple[str, ...]
    order: str
    warnings: tuple[str, ...] = ()
    learning_hands: int = 0
    familiar_route: str = ""


class _Row(NamedTuple):
    """One line of the file, with its fields and their columns from 1."""

    file: str
    line: int
    fields: list[str]
    columns: list[int]
    end: int

    @classmethod
    def from_text(cls, file: str, line: int, text: str) -> _Row:
        matches = list(re.finditer(r"\S+", text))
        return cls(
            file, line, [m.group() for m in matches], [m.start() + 1 for m in matches], len(text.rstrip()) + 1
        )

    def error(self, field: int, message: str) -> BadFile:
        column = self.columns[field] if field < len(self.columns) else self.end
        return BadFile(self.file, message, self.line, column)


@lru_cache(maxsize=4)  # the creation of a session reads the files twice: for validation and for dealing
def read(
    text: str,
    name: str,
    *,
    order: str = "LINEAR",
    goal: str = "2H",
    first: str = "ck",
    at_most: int | None = None,
) -> ShowFile:
    """Reads a show file (ruling 9).

    Parameters:
        text: the text of the file.
        name: its name, for messages.
        order: the order of the cards, unless the file has a line ``// order: …``.
        goal: the goal of rows without one.
        first: the first mover of rows without one.
        at_most: the maximum number of hands.

    Raises:
        BadFile: with the line and column of the error.
    """
    lines = list(numbered_lines(text, name))
    order = _find_order(lines, name) or order
    hands: list[str] = []
    warnings: list[str] = []
    too_many: _Row | None = None
    for number, line in lines:
        if is_blank_or_comment(line):
            continue
        row = _Row.from_text(name, number, line)
        if heading := _heading_order(row.fields):
            warnings = warnings or _heading_warning(row, heading, order)  # only one, for many headings
            continue
        _reject_wrong_heading(row)
        hands.append(_hand(row, order, goal, first))
        if len(hands) - 1 == at_most:
            too_many = row
    if not hands:
        raise BadFile(name, "This file has no hands. Write one hand per line: six cards.", 1, 1)
    if too_many:
        raise too_many.error(0, _too_many_hands(len(hands), at_most))
    return ShowFile(tuple(hands), order, tuple(warnings), **_design(lines, name, len(hands)))


def write(
    hands: Iterable[str],
    order: str,
    *,
    comments: Iterable[str] = (),
    design: Mapping[str, object] | None = None,
) -> str:
    """Returns the text of a show file: comments, design, order, heading, and a tab-separated row per hand.

    ``hands`` are deals as ``board.format_deal`` writes them; ``design`` has ``learning_hands`` and
    ``familiar_route``.
    """
    rows = [f"// {comment}".rstrip() for comment in comments]
    rows += [f"// {name}: {value}" for name, value in (design or {}).items()]
    rows += [f"// order: {order}", "\t".join(_HEADINGS[order].split())]
    for hand in hands:
        layout, goal, first = board.parse_deal(hand)
        cards = dict(zip(board.PLACES, layout, strict=True))
        rows.append("\t".join([*(cards[place] for place in ORDERS[order]), goal, first]))
    return "\n".join(rows) + "\n"


def _find_order(lines: list[tuple[int, str]], name: str) -> str | None:
    """Returns the order that the file sets for all its rows; None if it sets none."""
    named_order: str | None = None
    for number, line in lines:
        match = _ORDER_LINE.fullmatch(line.rstrip())
        if not match:
            continue
        order, column = match[1].upper(), match.start(1) + 1
        if order not in ORDERS:
            raise BadFile(
                name, f"The order must be LINEAR or CIRCULAR, not {quote(match[1])}.", number, column
            )
        if named_order not in (None, order):
            raise BadFile(name, f"An earlier line sets the order to {named_order}.", number, column)
        named_order = order
    return named_order


def _design(lines: list[tuple[int, str]], name: str, hands: int) -> dict[str, Any]:
    """Returns the design in the file: ``learning_hands`` and ``familiar_route``."""
    design: dict[str, Any] = {}
    for number, line in lines:
        match = _DESIGN_LINE.fullmatch(line.rstrip())
        if not match:
            continue
        field, text, column = match[1].lower(), match[2], match.start(2) + 1
        if field == FAMILIAR_ROUTE and text not in ("422", "442"):
            raise BadFile(name, f"{field} must be 422 or 442, not {quote(text)}.", number, column)
        if field == LEARNING_HANDS and not (text.isascii() and text.isdecimal() and 1 <= int(text) <= hands):
            allowed = f"a whole number from 1 to {hands} (the hands in the file)"
            sentence = f"{field} must be {allowed}, not {quote(text)}."
            raise BadFile(name, sentence, number, column)
        value = int(text) if field == LEARNING_HANDS else text
        if design.setdefault(field, value) != value:
            raise BadFile(name, f"An earlier line sets {field} to {design[field]}.", number, column)
    return design


def _heading_order(fields: list[str]) -> str | None:
    """Returns the order of a heading, None for other rows. G and FirstMove may be missing."""
    words = [field.lower() for field in fields]
    if "".join(words[6:]) not in _HEADING_ENDS:
        return None
    for order, places in ORDERS.items():
        if words[:6] == [place.lower() for place in places]:
            return order
    return None


def _heading_warning(row: _Row, heading: str, order: str) -> list[str]:
    """Returns a warning if the heading contradicts the order.

    A heading never sets the order, because the source has linear rows under a circular heading (ruling 2).
    """
    if heading == order:
        return []
    return [
        f"{row.file}, line {row.line}: the heading is in {heading} order, but the rows are read "
        f"in {order} order, as set by syntaxinput or an order line. To read them in {heading} "
        f"order, add the line '// order: {heading}'."
    ]


def _reject_wrong_heading(row: _Row) -> None:
    """Raises BadFile for a row that begins with a place, but is not a heading."""
    if row.fields[0].lower() in {place.lower() for place in board.PLACES}:
        known = " or ".join(_HEADINGS.values())
        raise row.error(0, f"This heading is misspelt. Write {known}. G and FirstMove may be missing.")


def _hand(row: _Row, order: str, goal: str, first: str) -> str:
    """Returns the deal of a row. ``goal`` and ``first`` are the defaults if the row has none."""
    cards = _six_cards(row, order)
    if len(row.fields) > 6:
        goal = row.fields[6].upper()
        if goal not in TTT_PACK:
            raise row.error(6, f"The goal card must be one of {_CARDS}, not {quote(row.fields[6])}.")
    if len(row.fields) > 7:
        first = row.fields[7].lower()
        if first not in board.KEEPERS:
            raise row.error(7, f"The first mover must be ck or nk, not {quote(row.fields[7])}.")
    if cards["T"] == goal:
        raise row.error(
            ORDERS[order].index("T"),
            f"The goal card {goal} is already in Target (order {order}). Change the goal, the "
            "layout or the order.",
        )
    return board.format_deal(tuple(cards[place] for place in board.PLACES), goal, first)


def _six_cards(row: _Row, order: str) -> dict[str, str]:
    """Returns the cards by place. Checks the cards before their number, because '2 H' is a misspelt card."""
    cards: dict[str, str] = {}
    for field, place in zip(range(len(row.fields)), ORDERS[order], strict=False):
        card = row.fields[field].upper()
        if card not in TTT_PACK:
            raise row.error(
                field,
                f"{quote(row.fields[field])} is not a card. The cards are {_CARDS}, separated by "
                "tabs or spaces.",
            )
        if card in cards.values():
            raise row.error(field, f"The card {card} appears twice. A hand has each of {_CARDS} once.")
        cards[place] = card
    if not 6 <= len(row.fields) <= 8:
        raise row.error(
            8,
            "A hand has six cards, then optionally the goal card and the first mover. This row "
            f"has {len(row.fields)} fields.",
        )
    return cards


def _too_many_hands(hands: int, at_most: int | None) -> str:
    return (
        f"This file has {hands} hands, but a session can have at most {at_most}. Delete hands, "
        "starting with this one. Or raise NUM_ROUNDS in the app's __init__.py."
    )
