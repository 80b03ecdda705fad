"""Deals the hands of a session from its settings file, config and show files."""

from collections.abc import Sequence
from typing import Any

from cardlab.games import dealing
from cardlab.games.contract import BadFile
from cardlab.games.record import Opening
from cardlab.games.setting import check_settings
from cardlab.games.ttt import settings_file, show_file
from cardlab.games.ttt.board import parse_deal
from cardlab.games.ttt.session_config import SOLO_SETTINGS
from cardlab.games.ttt.show_file import FAMILIAR_ROUTE, LEARNING_HANDS

# Fields of a session, with the values that leave them to the show file.
DESIGN = {LEARNING_HANDS: 0, FAMILIAR_ROUTE: ""}

# Solved by C, T, T, as in the source's sample game. At first T is illegal, because 3H is red and 4C black.
PRACTICE_DEAL = "2H 3H 2C 4C 3C 4H | 2H | ck"

# Fields of the config that are options of a hand, in addition to the keys of the settings file.
_OWN = ("settings_file", "pay_by", "time_scale_seconds", "time_limit_seconds", "feedback", *DESIGN)


def openings(
    config: dealing.Config, _participants: int, at_most: int, read: dealing.ReadFile
) -> dealing.DealtSession:
    """Returns the hands of a session, practice first, the same for everybody (``cardlab.games.dealing``)."""
    if problem := check_settings(config, SOLO_SETTINGS, practice_hands=at_most, learning_hands=at_most):
        raise BadFile("session config", problem)
    options = options_in_force(config, read)
    practice, odd = practice_openings(config, options, at_most, read)
    source = read(options["ShowFileName"], "show file")
    paid_hands, warnings = file_openings(source, options, at_most - len(practice))
    hands = dealing.number_hands(practice, paid_hands)
    notices = [*settings_file.notices(options), *odd, *hidden_goals(hands), *warnings]
    return dealing.DealtSession([[hand] for hand in hands], notices)


def practice_opening(_config: dealing.Config, first: Opening) -> Opening:
    """Returns the practice board of the tutorial. Its goal is visible, and 20 moves suffice for all tasks."""
    return Opening(PRACTICE_DEAL, {**first.options, "ViewTarget": True, "MaxRounds": 20})


def practice_openings(
    config: dealing.Config, options: dict[str, Any], at_most: int, read: dealing.ReadFile
) -> tuple[list[Opening], list[str]]:
    """Returns the practice hands of a session, and the warnings about their file. Raises BadFile."""
    count = config["practice_hands"]
    if not count:
        return [], []
    practice, warnings = file_openings(
        read(config["practice_file"], "show file"), options, at_most, practice=True
    )
    if len(practice) < count:
        raise BadFile(
            config["practice_file"],
            f"practice_hands is {count}, but the file has only {len(practice)} hands.",
        )
    return practice[:count], warnings


def hidden_goals(hands: Sequence[Opening]) -> list[str]:
    """Returns a notice for the researcher if participants cannot know the goal."""
    if (
        all(hand.options["ViewTarget"] for hand in hands)
        or len({parse_deal(opening.deal)[1] for opening in hands}) == 1
    ):
        return []
    return [
        "The goal card differs between hands, and ViewTarget is FALSE: participants cannot see the goal card."
    ]


def options_in_force(config: dealing.Config, read: dealing.ReadFile) -> dict[str, Any]:
    """Returns the options of all hands from the config and the settings file. Raises BadFile."""
    source = read(config["settings_file"], "settings file")
    ini = settings_file.read(source.text, source.name)
    values = settings_file.resolve(ini, {key: config[key] for key in settings_file.KEYS})
    return {**values, **{key: config[key] for key in _OWN}, "settings_file": source.name}


def file_openings(
    source: dealing.DealFile, options: dict[str, Any], at_most: int | None = None, practice: bool = False
) -> tuple[list[Opening], list[str]]:
    """Returns the hands of a show file and the warnings about it.

    Raises BadFile for an invalid file, or if it has more than ``at_most`` hands.
    """
    show = show_file.read(
        source.text,
        source.name,
        order=options["syntaxinput"],
        goal=options["Goal"],
        first=options["FirstMove"],
        at_most=at_most,
    )
    own_options = {LEARNING_HANDS: show.learning_hands, FAMILIAR_ROUTE: show.familiar_route}
    options = {**options, **{name: options[name] or value for name, value in own_options.items()}}
    notice = " ".join(show.warnings)
    return [
        Opening(deal, options, practice=practice, source=source.name, sha256=source.sha256, notice=notice)
        for deal in show.hands
    ], list(show.warnings)
