"""How a session of Challenge that is simulated is dealt: against the computer, or two with each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardlab.games.challenge import deal_file
from cardlab.games.challenge.deal import SIDES
from cardlab.games.challenge.dealing import ALTERNATE, openings
from cardlab.games.challenge.options import ALLOWED_OPTIONS, DEFAULT_OPTIONS, NUMBERS
from cardlab.games.challenge.packs import SUITS
from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import NO_LIMIT, bad_setting, check_setting_names, choose_settings, first_hands
from cardlab.games.text_file import quote

# The other fields of a session's config: nobody is away, and nobody is waited for.
SESSION: dict[str, Any] = {
    **{"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2, "same_deals": True},
    **{"partners": "kept", "no_shows": "robot", "pay_hands": "all"},
    "analysing": False,
}

# The first value is the default.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "players": (1, 2),
    **{name: allowed for name, allowed in ALLOWED_OPTIONS.items() if name != "analysing"},
    "trumps": ("SH", *(one + other for one in SUITS for other in SUITS if one != other)),
    "dealer": (ALTERNATE, *SIDES),
}

FIRST_ROUND = 2  # the first has the instructions
DRAWN_HANDS = 4


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """The games of a session; ``cardlab.games.simulation`` says more. Without ``deals`` they are drawn."""
    check_setting_names(given, (*SETTINGS, *NUMBERS))
    of_a_few = {name: text for name, text in given.items() if name in SETTINGS}
    settings = {
        **choose_settings(of_a_few, SETTINGS),
        **{name: _number(name, given.get(name)) for name in NUMBERS},
    }
    players = settings.pop("players")
    config = {**SESSION, **settings, "group_size": players, "seed": seed, "deal_file": deals or DRAWN_BY_SEED}
    if config["deal_file"] == DRAWN_BY_SEED:
        games = DRAWN_HANDS if count is None else count
    else:
        file = read(config["deal_file"], "deal file")
        games = len(deal_file.read(file.text, file.name))
    dealt = openings({**config, "games": games}, players, NO_LIMIT, read)
    return first_hands([hand for (hand,) in dealt.hands], count)


def _number(name: str, text: str | None) -> int:
    """The value of a setting that is a whole number."""
    least, most = NUMBERS[name]
    if text is None:
        default: int = DEFAULT_OPTIONS[name]
        return default
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise bad_setting(f"{name} must be a whole number from {least} to {most}, not {quote(text)}.")
    return number
