"""Deals a simulated session of Stop in Time."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import choose_settings, deal_hands
from cardlab.games.stopping.dealing import ALLOWED_OPTIONS, openings, read_deal_file

FIRST_ROUND = 1
DRAWN_HANDS = 3


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the hands of a session (see ``cardlab.games.simulation``); without ``deals`` they are drawn."""
    config = {**choose_settings(given, ALLOWED_OPTIONS), "seed": seed, "deal_file": deals or DRAWN_BY_SEED}
    return deal_hands(openings, read_deal_file, config, count, DRAWN_HANDS, read)
