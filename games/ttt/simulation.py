"""How a session of Target the Two Solo that is simulated is dealt: settings file, show file, settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.simulation import SEED, Dealt, ReadFile, check_names, drawn, first, refused
from games.text_file import quote
from games.ttt import rules, settings_file, show_file
from games.ttt.settings_file import KEYS

FIRST_ROUND = 1
DRAWN_HANDS = 40

_PAY_BY = ("moves", "time")
_OWN = ("settings_file", "pay_by", "time_scale_seconds")  # what a session sets besides the keys of the file


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, file: ReadFile
) -> list[Dealt]:
    """The hands of a session; ``games.simulation`` says more. Without ``deals``, those of ShowFileName."""
    options = _in_force(given, file)
    deals = deals or options["ShowFileName"]
    if deals == SEED:
        options["ShowFileName"] = SEED
        dealt = drawn(rules.deal, seed, options, DRAWN_HANDS if count is None else count)
        return [Dealt(deal, options) for deal in dealt]
    source = file(deals)
    options["ShowFileName"] = source.name
    show = show_file.read(
        source.text,
        source.name,
        order=options["syntaxinput"],
        goal=options["Goal"],
        first=options["FirstMove"],
    )
    return [
        Dealt(deal, options, source.name, source.sha256, " ".join(show.warnings))
        for deal in first(show.hands, count, source.name)
    ]


def _in_force(given: Mapping[str, str], file: ReadFile) -> dict[str, Any]:
    """The settings, in the order in which the server has them in the record."""
    check_names(given, (*KEYS, *_OWN))
    source = file(given.get("settings_file", "CardLab.ini"))
    values = settings_file.resolve(settings_file.read(source.text, source.name), {})
    for key in [key for key in KEYS if key in given]:
        try:
            values[key] = settings_file.parse_value(key, given[key])
        except ValueError as error:
            raise refused(str(error)) from None
    return {
        **values,
        "settings_file": source.name,
        "pay_by": _pay_by(given.get("pay_by", "moves")),
        "time_scale_seconds": _scale(given.get("time_scale_seconds", "60")),
        "time_limit_seconds": 0,
        "feedback": True,
    }


def _pay_by(text: str) -> str:
    if text not in _PAY_BY:
        raise refused(f"pay_by must be {' or '.join(_PAY_BY)}, not {quote(text)}.")
    return text


def _scale(text: str) -> float:
    try:
        seconds = float(text)
        if not 0 < seconds < 1e9:
            raise ValueError
    except ValueError:
        raise refused(f"time_scale_seconds must be a number more than 0, not {quote(text)}.") from None
    return int(seconds) if seconds.is_integer() else seconds
