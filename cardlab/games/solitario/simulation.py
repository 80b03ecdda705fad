"""How a session of Solitario that is simulated is dealt."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import NO_LIMIT, choose_settings, first_hands
from cardlab.games.solitario import deal_file
from cardlab.games.solitario.deal import ALLOWED_OPTIONS
from cardlab.games.solitario.dealing import ACE_ON_TWO, openings

FIRST_ROUND = 1
DRAWN_HANDS = 3
SETTINGS = {**ALLOWED_OPTIONS, "ace_on_two": tuple(ACE_ON_TWO), "which_deals": ("any", "solvable")}


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """The hands of a session; ``cardlab.games.simulation`` says more. Without ``deals`` they are drawn."""
    config = {
        **choose_settings(given, SETTINGS),
        **{"practice_hands": 0, "own_deals": False, "ten_best": "off"},
        **{"seed": seed, "deal_file": deals or DRAWN_BY_SEED},
    }
    if config["deal_file"] == DRAWN_BY_SEED:
        number = DRAWN_HANDS if count is None else count
    else:
        file = read(config["deal_file"], "deal file")
        number = len(deal_file.read(file.text, file.name, config["pack"]))
    dealt = openings({**config, "hands": number}, 1, NO_LIMIT, read)
    return first_hands([hand for (hand,) in dealt.hands], count)
