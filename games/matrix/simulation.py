"""How a session of the matrix card game that is simulated is dealt: all groups alike, no robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.matrix import deal_file, rules
from games.matrix.dealing import ALLOWED_OPTIONS
from games.simulation import SEED, Dealt, ReadFile, chosen, drawn, first

# As in the record of a session without a turn limit.
NOBODY_IS_AWAY = {"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2}

FIRST_ROUND = 2  # the first has the instructions
DRAWN_HANDS = 2


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, file: ReadFile
) -> list[Dealt]:
    """The hands of a session; ``games.simulation`` says more. Without ``deals`` they are drawn."""
    options = {**chosen(given, ALLOWED_OPTIONS), **NOBODY_IS_AWAY}
    name = sha256 = ""
    if deals in (None, SEED):
        dealt: Sequence[str] = drawn(rules.deal, seed, options, DRAWN_HANDS if count is None else count)
    else:
        source = file(deals)
        name, sha256 = source.name, source.sha256
        dealt = first(deal_file.read(source.text, name, options), count, name)
    return [
        Dealt(deal, {**options, "seed": f"{seed}, game {game}, deal 1", "robots": {}}, name, sha256)
        for game, deal in enumerate(dealt, 1)
    ]
