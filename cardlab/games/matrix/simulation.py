"""Deals a simulated session of the matrix card game: the same hands for all groups, no robots."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.matrix import deal_file
from cardlab.games.matrix.deal import ALLOWED_OPTIONS
from cardlab.games.matrix.dealing import openings
from cardlab.games.record import Opening
from cardlab.games.simulation import choose_settings, deal_hands

# The other fields of a session config. Nobody is absent or late.
SESSION: dict[str, Any] = {
    **{"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2, "same_deals": True},
    **{"partners": "kept", "no_shows": "leave_out", "robot": "random", "pay_hands": "all"},
}

FIRST_ROUND = 2  # the first round has the instructions
DRAWN_HANDS = 2


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the hands of a session (``cardlab.games.simulation``). Without ``deals`` they are random."""
    options = choose_settings(given, ALLOWED_OPTIONS)
    config = {
        **SESSION,
        **options,
        "group_size": options["players"],
        "seed": seed,
        "deal_file": deals or DRAWN_BY_SEED,
    }
    session = deal_hands(openings, partial(deal_file.read, options=options), config, count, DRAWN_HANDS, read)
    return [replace(hand, options={**hand.options, "robots": {}}) for hand in session]
