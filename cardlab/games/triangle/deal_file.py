"""Deal files of Triangle Solitaire: one deal a line, as :mod:`cardlab.games.triangle.deal` writes it."""

from __future__ import annotations

from functools import lru_cache

from cardlab.games import deal_file
from cardlab.games.triangle.deal import format_deal, parse_deal


@lru_cache(maxsize=4)  # a session is checked, and then made, with the same file
def read(text: str, name: str) -> tuple[str, ...]:
    """The deals of a file in their order; BadFile names line and column of what is refused.

    Deals of the game's variations may stand side by side: each tells which it has.
    """
    return deal_file.read_deals(
        text, name, lambda line: format_deal(parse_deal(line)), "places, spares and deck"
    )
