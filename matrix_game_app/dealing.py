"""The hands of a session: the form and a deal file, or the seed, made into openings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from experiment.config import check_choices, check_names, check_whole_numbers
from experiment.deal_files import deals
from games.contract import BadFile
from games.matrix import deal_file, rules
from games.matrix.dealing import ALLOWED_OPTIONS
from games.matrix.robots import ROBOTS
from games.record import Opening
from games.text_file import short

WAITING = ("turn_limit_seconds", "gather_seconds", "absent_after")  # how long who stays away is waited for
PARTNERS = ("kept", "rematched")
NO_SHOWS = ("leave_out", "robot")


def openings(config: dict[str, Any], participants: int, at_most: int) -> list[list[Opening]]:
    """The openings of each game: one for all groups, or one for each group that there may be.

    Raises BadFile, also if the form asks for what cannot be.
    """
    if wrong := _check_own(config, participants, at_most):
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in (*ALLOWED_OPTIONS, *WAITING)}
    games = config["games"]
    groups = 1 if config["same_deals"] else participants  # each alone, if nobody else comes
    drawn = deals("matrix", rules, lambda text, name: deal_file.read(text, name, options), config, options)
    of_groups = [[next(drawn) for _game in range(games)] for _group in range(groups)]
    return [
        [
            replace(
                hands[game],
                # The seed of what the server plays, for robots and for those who stay away.
                options={**options, "seed": f"{config['seed']}, game {game + 1}, deal {group}"},
                number=game + 1,
                of=games,
                hands=games,
            )
            for group, hands in enumerate(of_groups, 1)
        ]
        for game in range(games)
    ]


def _check_own(config: dict[str, Any], participants: int, at_most: int) -> str | None:
    choices = {**ALLOWED_OPTIONS, "partners": PARTNERS, "no_shows": NO_SHOWS, "robot": tuple(ROBOTS)}
    numbers = {"games": (1, at_most), "group_size": (1, config["players"]), "absent_after": (0, 99)}
    if wrong := check_choices(config, choices) or check_whole_numbers(config, numbers):
        return wrong
    for key in ("turn_limit_seconds", "gather_seconds"):
        if type(config[key]) not in (int, float) or not 0 <= config[key] < 1e6:
            return f"{key} must be a number of seconds, 0 for no limit, not '{short(config[key])}'."
    if participants % config["group_size"]:
        size = config["group_size"]
        return (
            f"{participants} participants cannot be put into groups of {size}: create the session with a "
            f"multiple of {size}. Who does not come is seen to by no_shows."
        )
    if config["pay_hands"] == "one" and (config["partners"], config["no_shows"]) == (
        "rematched",
        "leave_out",
    ):
        return (
            "pay_hands one does not go with partners rematched and no_shows leave_out: a game might be drawn "
            "for payment that somebody was left out of. Let robots play, or pay all games."
        )
    return check_names(config, ("deal_file",))
