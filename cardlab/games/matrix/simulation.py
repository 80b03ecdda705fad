"""How a session of the matrix card game that is simulated is dealt: all groups alike, no robots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.matrix import deal_file
from cardlab.games.matrix.deal import ALLOWED_OPTIONS
from cardlab.games.matrix.dealing import openings
from cardlab.games.record import Opening
from cardlab.games.simulation import NO_LIMIT, choose_settings, first_hands

# The other fields of a session's config: nobody is away, and nobody is waited for.
SESSION: dict[str, Any] = {
    **{"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2, "same_deals": True},
    **{"partners": "kept", "no_shows": "leave_out", "robot": "random", "pay_hands": "all"},
}

FIRST_ROUND = 2  # the first has the instructions
DRAWN_HANDS = 2


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """The hands of a session; ``cardlab.games.simulation`` says more. Without ``deals`` they are drawn."""
    options = choose_settings(given, ALLOWED_OPTIONS)
    config = {
        **SESSION,
        **options,
        "group_size": options["players"],
        "seed": seed,
        "deal_file": deals or DRAWN_BY_SEED,
    }
    if config["deal_file"] == DRAWN_BY_SEED:
        games = DRAWN_HANDS if count is None else count
    else:
        file = read(config["deal_file"], "deal file")
        games = len(deal_file.read(file.text, file.name, options))
    dealt = openings({**config, "games": games}, options["players"], NO_LIMIT, read)
    seated = [replace(hand, options={**hand.options, "robots": {}}) for (hand,) in dealt.hands]
    return first_hands(seated, count)
