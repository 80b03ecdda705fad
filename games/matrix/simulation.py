"""How a session of the matrix card game that is simulated is dealt: all groups alike, no robots."""

from __future__ import annotations

from collections.abc import Mapping

from games.matrix import deal_file, rules
from games.matrix.dealing import ALLOWED_OPTIONS
from games.simulation import SEED, Dealt, ReadFile, chosen, drawn, first

FIRST_ROUND = 2  # the first has the instructions
DRAWN_HANDS = 2


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, file: ReadFile
) -> list[Dealt]:
    """The hands of a session; ``games.simulation`` says more. Without ``deals`` they are drawn."""
    options = {**chosen(given, ALLOWED_OPTIONS), "turn_limit_seconds": 0, "gather_seconds": 0}
    name = sha256 = ""
    if deals in (None, SEED):
        dealt = drawn(rules.deal, seed, options, DRAWN_HANDS if count is None else count)
    else:
        source = file(deals)
        name, sha256 = source.name, source.sha256
        dealt = first(deal_file.read(source.text, name, options), count, name)
    return [
        Dealt(deal, {**options, "seed": f"{seed}, game {game}, deal 1", "robots": {}}, name, sha256)
        for game, deal in enumerate(dealt, 1)
    ]
