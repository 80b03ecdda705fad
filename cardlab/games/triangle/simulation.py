"""How a session of Triangle Solitaire that is simulated is dealt."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import NO_LIMIT, bad_setting, choose_settings, first_hands
from cardlab.games.triangle import deal_file
from cardlab.games.triangle.deal import ALLOWED_OPTIONS, complete
from cardlab.games.triangle.dealing import openings

FIRST_ROUND = 1
DRAWN_HANDS = 3


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """The hands of a session; ``cardlab.games.simulation`` says more. Without ``deals`` they are drawn.

    Which variation a deal of a file has, the file decides by itself.
    """
    try:
        options = complete(choose_settings(given, ALLOWED_OPTIONS))
    except ValueError as error:  # too many Singles in both variations together
        raise bad_setting(str(error)) from None
    config = {
        **options,
        "practice_hands": 0,
        "own_deals": False,
        "seed": seed,
        "deal_file": deals or DRAWN_BY_SEED,
    }
    if config["deal_file"] == DRAWN_BY_SEED:
        number = DRAWN_HANDS if count is None else count
    else:
        file = read(config["deal_file"], "deal file")
        number = len(deal_file.read(file.text, file.name))
    dealt = openings({**config, "hands": number}, 1, NO_LIMIT, read)
    return first_hands([hand for (hand,) in dealt.hands], count)
