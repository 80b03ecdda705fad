"""Deal files of Solitario: one deal a line, as :mod:`cardlab.games.solitario.deal` writes it."""

from __future__ import annotations

from functools import lru_cache

from cardlab.games import deal_file
from cardlab.games.solitario.deal import format_deal, parse_deal
from cardlab.games.solitario.packs import PACKS


@lru_cache(maxsize=4)  # a session is checked, and then made, with the same file
def read(text: str, name: str, pack: str) -> tuple[str, ...]:
    """The deals of a file in their order; BadFile names line and column of what is refused."""
    spelled = PACKS[pack]
    return deal_file.read_deals(
        text, name, lambda line: format_deal(parse_deal(line, spelled)), "seven columns and the stock"
    )
