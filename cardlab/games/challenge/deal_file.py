"""Deal files of Challenge: one deal a line, as :mod:`cardlab.games.challenge.deal` writes it."""

from __future__ import annotations

from functools import lru_cache

from cardlab.games import deal_file
from cardlab.games.challenge.deal import format_deal, parse_deal


@lru_cache(maxsize=4)  # a session is checked, and then made, with the same file
def read(text: str, name: str) -> tuple[str, ...]:
    """The deals of a file in their order; BadFile names line and column of what is refused.

    Deals of several sizes may stand side by side, and any two hands are one, alike or not.
    """
    return deal_file.read_deals(
        text, name, lambda line: format_deal(parse_deal(line)), "two hands and who leads, parted by ' | '"
    )
