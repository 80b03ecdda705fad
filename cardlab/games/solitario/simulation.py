"""Deals a simulated session of Solitario."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import choose_settings, deal_hands
from cardlab.games.solitario.deal import ALLOWED_OPTIONS, read_deal_file
from cardlab.games.solitario.dealing import ACE_ON_TWO, openings

FIRST_ROUND = 1
DRAWN_HANDS = 3
SETTINGS = {**ALLOWED_OPTIONS, "ace_on_two": tuple(ACE_ON_TWO), "which_deals": ("any", "solvable")}


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the hands of a session (``cardlab.games.simulation``). Without ``deals`` they are random."""
    config = {
        **choose_settings(given, SETTINGS),
        **{"practice_hands": 0, "own_deals": False, "ten_best": "off"},
        **{"seed": seed, "deal_file": deals or DRAWN_BY_SEED},
    }
    read_deals = partial(read_deal_file, pack=config["pack"])
    return deal_hands(openings, read_deals, config, count, DRAWN_HANDS, read)
