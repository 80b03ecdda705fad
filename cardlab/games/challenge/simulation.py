"""Deals a simulated session of Challenge, against the computer or with two players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardlab.games.challenge.deal import SIDES, read_deal_file
from cardlab.games.challenge.dealing import openings
from cardlab.games.challenge.options import ALLOWED_OPTIONS, DEFAULT_OPTIONS, NUMBERS
from cardlab.games.challenge.packs import SUITS
from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile
from cardlab.games.record import Opening
from cardlab.games.simulation import bad_setting, check_setting_names, choose_settings, deal_hands
from cardlab.games.text_file import quote

# The other fields of a session config. Nobody is absent.
SESSION: dict[str, Any] = {
    **{"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2, "same_deals": True},
    **{"partners": "kept", "no_shows": "robot", "pay_hands": "all"},
    "computer": "fixed",
    **{"analysing": False, "commands": False, "lessons": False},
}

# The values of each setting, the default first.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "players": (1, 2),
    **{name: allowed for name, allowed in ALLOWED_OPTIONS.items() if name != "analysing"},
    "trumps": ("SH", *(one + other for one in SUITS for other in SUITS if one != other)),
    "dealer": ("alternate", *SIDES),
}

FIRST_ROUND = 2  # the first round has the instructions
DRAWN_HANDS = 4


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the games of a session (``cardlab.games.simulation``). Without ``deals`` they are random."""
    check_setting_names(given, (*SETTINGS, *NUMBERS))
    choices = {name: text for name, text in given.items() if name in SETTINGS}
    settings = {
        **choose_settings(choices, SETTINGS),
        **{name: _number(name, given.get(name)) for name in NUMBERS},
    }
    players = settings.pop("players")
    config = {**SESSION, **settings, "group_size": players, "seed": seed, "deal_file": deals or DRAWN_BY_SEED}
    return deal_hands(openings, read_deal_file, config, count, DRAWN_HANDS, read)


def _number(name: str, text: str | None) -> int:
    """Returns the value of a setting that is a whole number. Raises BadFile."""
    minimum, maximum = NUMBERS[name]
    if text is None:
        default: int = DEFAULT_OPTIONS[name]
        return default
    try:
        number = int(text)
    except ValueError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        raise bad_setting(f"{name} must be a whole number from {minimum} to {maximum}, not {quote(text)}.")
    return number
