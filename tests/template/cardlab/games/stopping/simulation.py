"""How a session of Stop in Time that is simulated is dealt."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import NO_LIMIT, choose_settings, first_hands
from cardlab.games.stopping.dealing import ALLOWED_OPTIONS, openings, read

FIRST_ROUND = 1
DRAWN_HANDS = 3


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read_file: ReadFile
) -> list[Opening]:
    """The hands of a session; ``cardlab.games.simulation`` says more. Without ``deals`` they are drawn."""
    config = {**choose_settings(given, ALLOWED_OPTIONS), "seed": seed, "deal_file": deals or DRAWN_BY_SEED}
    if config["deal_file"] == DRAWN_BY_SEED:
        number = DRAWN_HANDS if count is None else count
    else:
        file = read_file(config["deal_file"], "deal file")
        number = len(read(file.text, file.name))
    dealt = openings({**config, "hands": number}, 1, NO_LIMIT, read_file)
    return first_hands([hand for (hand,) in dealt.hands], count)
