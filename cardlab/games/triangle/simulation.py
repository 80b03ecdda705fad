"""Deals a simulated session of Triangle Solitaire."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import bad_setting, choose_settings, deal_hands
from cardlab.games.triangle.deal import ALLOWED_OPTIONS, complete_options, read_deal_file
from cardlab.games.triangle.dealing import openings

FIRST_ROUND = 1
DRAWN_HANDS = 3


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the hands of a session (``cardlab.games.simulation``). Without ``deals`` they are random."""
    try:
        options = complete_options(choose_settings(given, ALLOWED_OPTIONS))
    except ValueError as error:  # too many Singles in both variations together
        raise bad_setting(str(error)) from None
    config = {
        **options,
        "practice_hands": 0,
        "own_deals": False,
        "seed": seed,
        "deal_file": deals or DRAWN_BY_SEED,
    }
    return deal_hands(openings, read_deal_file, config, count, DRAWN_HANDS, read)
