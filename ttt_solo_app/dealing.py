"""The hands of a session: settings file, form and show files made into openings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiment.config import check_choices, check_names, check_whole_numbers
from experiment.deal_files import numbered, read_deal_file
from games.contract import BadFile
from games.record import Opening
from games.text_file import short
from games.ttt import settings_file, show_file
from games.ttt.rules import parse_deal

BACKS = Path(__file__).resolve().parent.parent / "_static" / "backs"


def back_image(back: str) -> str:
    """The static file of a CardsBackFile: ours are SVG, a lab's own image is named in full."""
    return back if "." in back else f"{back}.svg"


def settings_in_force(config: dict[str, Any]) -> dict[str, Any]:
    """Every key of the settings file, as the form and the settings file resolve it. Raises BadFile."""
    source = read_deal_file("ttt", config["settings_file"], "settings file")
    ini = settings_file.read(source.text, source.name)
    values = settings_file.resolve(ini, {key: config[key] for key in settings_file.KEYS})
    there = sorted(path.name for path in BACKS.iterdir() if path.is_file())
    if back_image(values["CardsBackFile"]) not in there:
        raise BadFile(
            "session config",
            f"CardsBackFile {short(values['CardsBackFile'])} is not in _static/backs/. There are: "
            f"{', '.join(there)}.",
        )
    return values


def openings(config: dict[str, Any], at_most: int) -> tuple[list[Opening], list[str]]:
    """The hands in order, practice first, and what the researcher should know. Raises BadFile."""
    if wrong := _check_own(config, at_most):
        raise BadFile("session config", wrong)
    values = settings_in_force(config)
    own = ("settings_file", "pay_by", "time_scale_seconds", "time_limit_seconds", "feedback")
    options = {**values, **{key: config[key] for key in own}}
    practice: list[Opening] = []
    notices = settings_file.notices(values)
    if config["practice_hands"]:
        practice, warnings = _from_file(config["practice_file"], options, True, at_most)
        notices += warnings
        if len(practice) < config["practice_hands"]:
            raise BadFile(
                config["practice_file"],
                f"practice_hands asks for {config['practice_hands']} hands, the file has {len(practice)}.",
            )
        practice = practice[: config["practice_hands"]]
    paid, warnings = _from_file(values["ShowFileName"], options, False, at_most - len(practice))
    hands = numbered(practice, paid)
    if not values["ViewTarget"] and len({parse_deal(hand.deal)[1] for hand in hands}) > 1:
        notices.append(
            "The goal card differs from hand to hand, and ViewTarget is FALSE: participants do not see it."
        )
    return hands, [*notices, *warnings]


def _check_own(config: dict[str, Any], at_most: int) -> str | None:
    if type(config["time_scale_seconds"]) not in (int, float) or not 0 < config["time_scale_seconds"] < 1e9:
        return (
            f"time_scale_seconds must be a number more than 0, not '{short(config['time_scale_seconds'])}'."
        )
    return (
        check_choices(config, {"pay_by": ("moves", "time")})
        or check_whole_numbers(config, {"practice_hands": (0, at_most)})
        or check_names(config, ("settings_file", "practice_file"))
    )


def _from_file(
    name: str, options: dict[str, Any], practice: bool, at_most: int
) -> tuple[list[Opening], list[str]]:
    source = read_deal_file("ttt", name, "show file")
    show = show_file.read(
        source.text,
        source.name,
        order=options["syntaxinput"],
        goal=options["Goal"],
        first=options["FirstMove"],
        at_most=at_most,
    )
    notice = " ".join(show.warnings)
    return [
        Opening(deal, options, practice=practice, source=name, sha256=source.sha256, notice=notice)
        for deal in show.hands
    ], list(show.warnings)
