"""Reads deal files of the matrix card game: one deal per line (:mod:`cardlab.games.matrix.deal`)."""

from functools import lru_cache
from typing import Any

from cardlab.games import deal_file
from cardlab.games.matrix.deal import complete, parse_deal


def read(text: str, name: str, options: dict[str, Any]) -> tuple[str, ...]:
    """Returns the deals of a file in order. Raises BadFile with line and column.

    Each must be a deal for the players and the pack of ``options``. Missing options have their default.
    """
    options = complete(options)
    return _read(text, name, options["players"], options["pack"])


@lru_cache(maxsize=4)  # the creation of a session reads the file twice: for validation and for dealing
def _read(text: str, name: str, players: int, pack: str) -> tuple[str, ...]:
    options = {"players": players, "pack": pack}

    def normalize(line: str) -> str:
        return " | ".join(map(" ".join, parse_deal(line, options)))

    return deal_file.read_deals(text, name, normalize, "hands, crosses and stock")
