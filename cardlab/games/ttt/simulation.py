"""Deals a simulated session of Target the Two from its settings, settings file and show files.

With ``players`` 2 it is a session of pairs, with blocks, partners, roles and robots like those of a session
on the server (``cardlab.games.ttt.pairs``).
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from cardlab.games.dealing import DRAWN_BY_SEED, ReadFile, draw_deals, number_hands
from cardlab.games.record import Opening
from cardlab.games.simulation import Session, bad_setting, check_setting_names, choose_settings, first_hands
from cardlab.games.text_file import quote
from cardlab.games.ttt import pairs, rules, settings_file
from cardlab.games.ttt.dealing import DESIGN, file_openings, options_in_force
from cardlab.games.ttt.robots import ROBOTS
from cardlab.games.ttt.routes import ROUTES
from cardlab.games.ttt.session_config import PAIR_SETTINGS
from cardlab.games.ttt.settings_file import KEYS
from cardlab.games.ttt.show_file import FAMILIAR_ROUTE, LEARNING_HANDS

DRAWN_HANDS = 40

_PAY_BY = ("moves", "time")
# Settings of a session in addition to the keys of the settings file.
_OWN = ("settings_file", "pay_by", "time_scale_seconds", *DESIGN)

# Settings that only sessions of pairs have, the default first.
_PAIR_SETTINGS: dict[str, tuple[Any, ...]] = {
    "group_size": (2, 1),
    "robot": ROBOTS,
    "robot_seat": ("nk", "ck"),
    "partners": tuple(PAIR_SETTINGS["partners"].values.listed()),
    "roles": tuple(PAIR_SETTINGS["roles"].values.listed()),
}
_BLOCKS, _PLAYERS = "blocks", "players"
# The other fields of a session of pairs. Nobody is absent.
_NOBODY_ABSENT = {
    **{"turn_limit_seconds": 0, "gather_seconds": 0, "absent_after": 2},
    **{"no_shows": "leave_out", "pay_hands": "all"},
}


def session(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> Session:
    """Returns a simulated session; see ``cardlab.games.simulation``.

    Without ``deals`` its hands are those of ShowFileName, or of ``blocks``.
    """
    known_names = (*KEYS, *_OWN, _PLAYERS, *_PAIR_SETTINGS, _BLOCKS)
    check_setting_names(given, known_names)
    own_settings = {name: text for name, text in given.items() if name in (*KEYS, *_OWN)}
    other_settings = {name: text for name, text in given.items() if name not in own_settings}
    (players,) = choose_settings(
        {k: v for k, v in other_settings.items() if k == _PLAYERS}, {_PLAYERS: (1, 2)}
    ).values()
    if players == 1:
        for name in (_BLOCKS, *_PAIR_SETTINGS):
            if name in other_settings:
                raise bad_setting(f"{name} goes with {_PLAYERS} 2.")
        hands = number_hands(
            (), _hands(options_in_force(_config(own_settings), read), deals, count, seed, read)
        )
        return Session([hands], first_round=1)
    blocks = other_settings.get(_BLOCKS, "")
    chosen = {name: text for name, text in other_settings.items() if name in _PAIR_SETTINGS}
    pair_settings = choose_settings(chosen, _PAIR_SETTINGS)
    config = {**_config(own_settings), **_NOBODY_ABSENT, **pair_settings, _BLOCKS: blocks, "seed": seed}
    if problem := pairs.check(config, config["group_size"]):
        raise bad_setting(problem)
    options = pairs.options_of(config, read)
    if blocks:
        if deals or count is not None:
            raise bad_setting(
                "blocks says which show files there are and how many of their hands, nothing else."
            )
        hands_by_group, _warnings = pairs.dealt_blocks(config, options, read)
    else:
        hands_by_group = [[_hands(options, deals, count, seed, read)]]
    return Session(
        pairs.combine_blocks(config, (), hands_by_group), first_round=2, groups=pairs.GROUPS, config=config
    )


def _hands(
    options: dict[str, Any], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """Returns the hands of a show file, or random hands."""
    deals = deals or options["ShowFileName"]
    if deals == DRAWN_BY_SEED:
        options = {**options, "ShowFileName": DRAWN_BY_SEED}
        return [*islice(draw_deals(rules.deal, seed, options), DRAWN_HANDS if count is None else count)]
    source = read(deals, "show file")
    return first_hands(file_openings(source, {**options, "ShowFileName": source.name})[0], count)


def _config(given: Mapping[str, str]) -> dict[str, Any]:
    """Returns the config of a session with these settings. Raises BadFile."""
    for key in [key for key in KEYS if key in given]:
        try:
            settings_file.parse_value(key, given[key])
        except ValueError as error:
            raise bad_setting(str(error)) from None
    return {
        **dict.fromkeys(KEYS, settings_file.AS_THE_FILE_SAYS),
        "settings_file": "CardLab.ini",
        **given,
        "pay_by": _pay_by(given.get("pay_by", "moves")),
        "time_scale_seconds": _scale(given.get("time_scale_seconds", "60")),
        "time_limit_seconds": 0,
        "feedback": True,
        LEARNING_HANDS: _learning_hands(given.get(LEARNING_HANDS, "0")),
        FAMILIAR_ROUTE: _familiar_route(given.get(FAMILIAR_ROUTE, "")),
    }


def _pay_by(text: str) -> str:
    if text not in _PAY_BY:
        raise bad_setting(f"pay_by must be {' or '.join(_PAY_BY)}, not {quote(text)}.")
    return text


def _learning_hands(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise bad_setting(f"{LEARNING_HANDS} must be a whole number, 0 or more, not {quote(text)}.")
    return int(text)


def _familiar_route(text: str) -> str:
    if text and text not in ROUTES:
        raise bad_setting(f"{FAMILIAR_ROUTE} must be {' or '.join(ROUTES)}, not {quote(text)}.")
    return text


def _scale(text: str) -> float:
    try:
        seconds = float(text)
        if not 0 < seconds < 1e9:
            raise ValueError
    except ValueError:
        raise bad_setting(f"time_scale_seconds must be a number more than 0, not {quote(text)}.") from None
    return int(seconds) if seconds.is_integer() else seconds
