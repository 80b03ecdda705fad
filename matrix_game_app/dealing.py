"""The hands of a session: the form and a deal file, or the seed, made into openings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from experiment.config import check_common
from experiment.deal_files import read_deal_file
from experiment.record import Opening
from games.contract import BadFile
from games.matrix import deal_file, rules
from games.matrix.dealing import ALLOWED_OPTIONS
from games.matrix.robots import ROBOTS

PARTNERS = ("kept", "rematched")
SEED = "seed"  # as deal_file: the deals are drawn by the seed
NO_SHOWS = ("leave_out", "robot")


def openings(config: dict[str, Any], participants: int, at_most: int) -> list[list[Opening]]:
    """The openings of each game: one for all groups, or one for each group that there may be.

    Raises BadFile, also if the form asks for what cannot be.
    """
    if wrong := check_common(config) or _check_own(config, participants, at_most):
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in (*ALLOWED_OPTIONS, "turn_limit_seconds", "gather_seconds")}
    games = config["games"]
    groups = 1 if config["same_deals"] else participants  # each alone, if nobody else comes
    drawn = _from_seed(config, options) if config["deal_file"] == SEED else _from_file(config, options)
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


def _from_seed(config: dict[str, Any], options: dict[str, Any]) -> Iterator[Opening]:
    number = 0
    while True:
        number += 1
        yield Opening(rules.deal(f"{config['seed']}, deal {number}", options), options)


def _from_file(config: dict[str, Any], options: dict[str, Any]) -> Iterator[Opening]:
    """The deals in the order of the file; after the last comes the first again."""
    source = read_deal_file("matrix", config["deal_file"], "deal file")
    deals = deal_file.read(source.text, source.name, options)
    while True:
        for deal in deals:
            yield Opening(deal, options, source=source.name, sha256=source.sha256)


def _check_own(config: dict[str, Any], participants: int, at_most: int) -> str | None:
    for key, allowed in (
        *ALLOWED_OPTIONS.items(),
        ("partners", PARTNERS),
        ("no_shows", NO_SHOWS),
        ("robot", tuple(ROBOTS)),
    ):
        if config[key] not in allowed:
            return f"{key} must be {' or '.join(map(str, allowed))}, not '{config[key]}'."
    for key in ("turn_limit_seconds", "gather_seconds"):
        if type(config[key]) not in (int, float) or not 0 <= config[key] < 1e6:
            return f"{key} must be a number of seconds, 0 for no limit, not '{config[key]}'."
    if type(config["games"]) is not int or not 1 <= config["games"] <= at_most:
        return f"games must be a whole number from 1 to {at_most}, not '{config['games']}'."
    size = config["group_size"]
    if type(size) is not int or not 1 <= size <= config["players"]:
        return f"group_size must be from 1 to {config['players']} (players), not '{size}'."
    if participants % size:
        return (
            f"{participants} participants cannot be put into groups of {size}: create the session with a "
            f"multiple of {size}. Who does not come is seen to by no_shows."
        )
    if not isinstance(config["deal_file"], str):
        return f"deal_file must be the bare name of a file, or seed, not '{config['deal_file']}'."
    return None
