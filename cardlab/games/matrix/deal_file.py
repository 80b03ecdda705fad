"""Deal files of the matrix card game: one deal a line, as :mod:`cardlab.games.matrix.deal` writes it."""

from functools import lru_cache
from typing import Any

from cardlab.games import deal_file
from cardlab.games.matrix.deal import complete, parse_deal


def read(text: str, name: str, options: dict[str, Any]) -> tuple[str, ...]:
    """Returns the deals of a file in their order; BadFile names line and column of what is refused.

    Each must be a deal for the players and the pack of ``options``; those left out have their default.
    """
    options = complete(options)
    return _read(text, name, options["players"], options["pack"])


@lru_cache(maxsize=4)  # a session is checked, and then made, with the same file
def _read(text: str, name: str, players: int, pack: str) -> tuple[str, ...]:
    options = {"players": players, "pack": pack}

    def spelled(line: str) -> str:
        return " | ".join(map(" ".join, parse_deal(line, options)))

    return deal_file.read_deals(text, name, spelled, "hands, crosses and stock")
