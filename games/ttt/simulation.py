"""How a session of Target the Two that is simulated is dealt: settings file, show file, settings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from games.dealing import SEED, ReadFile, drawn, numbered
from games.record import Opening
from games.simulation import check_known, first, refused
from games.text_file import quote
from games.ttt import rules, settings_file
from games.ttt.dealing import DESIGN, of_file, options_in_force
from games.ttt.routes import ROUTES
from games.ttt.settings_file import KEYS
from games.ttt.show_file import FAMILIAR_ROUTE, LEARNING_HANDS

FIRST_ROUND = 1
DRAWN_HANDS = 40

_PAY_BY = ("moves", "time")
_OWN = (
    "settings_file",
    "pay_by",
    "time_scale_seconds",
    *DESIGN,
)  # what a session sets besides the keys of the file


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> list[Opening]:
    """The hands of a session; ``games.simulation`` says more. Without ``deals``, those of ShowFileName."""
    options = options_in_force(_config(given), read)
    deals = deals or options["ShowFileName"]
    if deals == SEED:
        options["ShowFileName"] = SEED
        number = DRAWN_HANDS if count is None else count
        return numbered((), list(islice(drawn(rules.deal, seed, options), number)))
    source = read(deals, "show file")
    options["ShowFileName"] = source.name
    return first(of_file(source, options)[0], count)


def _config(given: Mapping[str, str]) -> dict[str, Any]:
    """The config of a session with these settings. Raises BadFile."""
    check_known(given, (*KEYS, *_OWN))
    for key in [key for key in KEYS if key in given]:
        try:
            settings_file.parse_value(key, given[key])
        except ValueError as error:
            raise refused(str(error)) from None
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
        raise refused(f"pay_by must be {' or '.join(_PAY_BY)}, not {quote(text)}.")
    return text


def _learning_hands(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise refused(f"{LEARNING_HANDS} must be a whole number, 0 or more, not {quote(text)}.")
    return int(text)


def _familiar_route(text: str) -> str:
    if text and text not in ROUTES:
        raise refused(f"{FAMILIAR_ROUTE} must be {' or '.join(ROUTES)}, not {quote(text)}.")
    return text


def _scale(text: str) -> float:
    try:
        seconds = float(text)
        if not 0 < seconds < 1e9:
            raise ValueError
    except ValueError:
        raise refused(f"time_scale_seconds must be a number more than 0, not {quote(text)}.") from None
    return int(seconds) if seconds.is_integer() else seconds
