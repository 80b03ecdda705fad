"""Deals the games of a session from its config and a deal file or its seed."""

from collections.abc import Sequence
from dataclasses import replace

from cardlab.games import dealing
from cardlab.games.contract import BadFile
from cardlab.games.matrix import deal_file, rules
from cardlab.games.matrix.deal import ALLOWED_OPTIONS
from cardlab.games.matrix.seating import seats
from cardlab.games.matrix.session_config import SETTINGS
from cardlab.games.record import Opening
from cardlab.games.seating import GroupRules, Member, Seating
from cardlab.games.setting import check_settings


def openings(
    config: dealing.Config, participants: int, at_most: int, read: dealing.ReadFile
) -> dealing.DealtSession:
    """Returns the games of a session, the same for all groups or one sequence per possible group.

    See ``cardlab.games.dealing``. :func:`assign_seats` assigns seats and robots when a group begins. Raises
    BadFile.
    """
    if problem := _check_own(config, participants, at_most):
        raise BadFile("session config", problem)
    options = {key: config[key] for key in ALLOWED_OPTIONS} | dealing.waiting_options(config)
    games = config["games"]
    groups = 1 if config["same_deals"] else participants  # each participant may become a group of one
    dealt = dealing.draw_or_read_deals(
        rules.deal, lambda text, name: deal_file.read(text, name, options), config, options, read
    )
    by_group = [[next(dealt) for _game in range(games)] for _group in range(groups)]
    hands = [
        [
            replace(
                dealt_games[game],
                # The seed is for the actions of robots and of the server for absent participants.
                options={**options, "seed": f"{config['seed']}, game {game + 1}, deal {group}"},
                number=game + 1,
                of=games,
                hands=games,
            )
            for group, dealt_games in enumerate(by_group, 1)
        ]
        for game in range(games)
    ]
    return dealing.DealtSession(hands, [])


def _check_own(config: dealing.Config, participants: int, at_most: int) -> str | None:
    if problem := check_settings(config, SETTINGS, games=at_most, group_size=config["players"]):
        return problem
    if participants % config["group_size"]:
        size = config["group_size"]
        return (
            f"{participants} participants cannot be put into groups of {size}. Create the "
            f"session with a multiple of {size}. The setting no_shows decides what happens if a "
            "participant does not arrive."
        )
    return dealing.check_paid_game(config, "robots")


def assign_seats(config: dealing.Config, members: Sequence[Member], game: Opening) -> Seating:
    """Returns the seats of a group's members in a game, and the robots in the other seats."""
    own_seats, robots = seats(len(members), config["players"], game.number, config["rotate_dealer"])
    name: str = config["robot"]
    return own_seats, dict.fromkeys(robots, name)


GROUPS = GroupRules(assign_seats)


def practice_opening(config: dealing.Config, _first: Opening) -> Opening:
    """Returns a practice game: the participant deals, and random robots have the other seats."""
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    _own, robots = seats(1, options["players"], 1, rotate=False)
    options |= {"robots": dict.fromkeys(robots, "random"), "seed": "a game to try"}
    return Opening(rules.deal("a game to try", options), options)
