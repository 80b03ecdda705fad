"""Deal files of the matrix card game: one deal a line, as :mod:`games.matrix.dealing` writes it.

Blank lines and comments (``//``, ``;`` or ``#``) say nothing; cards may be in small letters.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import Any

from games.contract import BadFile
from games.matrix.dealing import BadDeal, complete, parse_deal
from games.text_file import numbered_lines, says_nothing

_CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)


def read(text: str, name: str, options: dict[str, Any]) -> tuple[str, ...]:
    """The deals of a file in their order; BadFile names line and column of what is refused.

    Each must be a deal for the players and the pack of ``options``; those left out have their default.
    """
    options = complete(options)
    deals = tuple(
        _deal(line, name, number, options) for number, line in numbered_lines(text) if not says_nothing(line)
    )
    if not deals:
        raise BadFile(
            name, "There is no deal in this file; a deal is a line of hands, crosses and stock.", 1, 1
        )
    return deals


def _deal(line: str, name: str, number: int, options: dict[str, Any]) -> str:
    try:
        sections = parse_deal(line.translate(_CAPITALS), options)
    except BadDeal as wrong:
        raise BadFile(name, str(wrong), number, wrong.at + 1) from None
    return " | ".join(map(" ".join, sections))
