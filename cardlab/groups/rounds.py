"""The rounds of a multiplayer game: the games of a player or group, and where groups change.

The app's first round has the instructions, each further one a game. A game's
:class:`cardlab.games.seating.GroupRules` name the games before which groups are matched again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from otree.common import get_models_module
from otree.settings import OTREE_APPS

from cardlab.games.dealing import Config
from cardlab.games.record import Opening, read_opening, read_shared_opening
from cardlab.games.seating import GroupRules, Member, PastGame
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import lines_by_round
from cardlab.sessions.treatments import row_treatment


def game_number(player: Any) -> int:
    """Returns 1 for the first game; the first round has the instructions."""
    number: int = player.round_number - 1
    return number


def group_rules(row: Any) -> GroupRules:
    """Returns the group rules of an oTree row's game."""
    rules: GroupRules = get_models_module(row.get_folder_name()).Gather.groups
    return rules


def is_matched_here(app: str) -> bool:
    """Returns whether Card Lab, and not oTree, matches the groups of an app."""
    return app in OTREE_APPS and hasattr(getattr(get_models_module(app), "Gather", None), "groups")


@lru_cache(maxsize=256)
def _games(app: str, session_code: str, treatment: str) -> tuple[Opening, ...]:
    """Returns the games of a session's treatment: those of its first group, which never change."""
    rounds = lines_by_round(app, session_code, treatment)
    return tuple(read_shared_opening(lines[0]) for lines in rounds if lines)


def _last_and_first_games(row: Any, config: Config) -> tuple[int, list[int]]:
    """Returns the last game of a player or group, and the games before which groups are matched."""
    games = _games(row.get_folder_name(), row.session.code, row_treatment(row))
    return len(games), list(group_rules(row).games_with_new_groups(config, games))


def last_round_together(row: Any) -> int:
    """Returns the last round of a group that is formed in the round of this row."""
    last, first_games = _last_and_first_games(row, config_of(row))
    game = row.round_number - 1
    return min((first for first in first_games if first > game), default=last + 1)


def is_matching_due(player: Any) -> bool:
    """Returns whether groups are matched before this round's game, and the player needs one."""
    game = game_number(player)
    if game < 1 or game not in _last_and_first_games(player, config_of(player))[1]:
        return False
    return game == 1 or not group_rules(player).role or bool(player.in_round(player.round_number - 1).seat)


def is_last_game(player: Any) -> bool:
    """Returns whether the player has no game after this round."""
    game = game_number(player)
    last, first_games = _last_and_first_games(player, config_of(player))
    if player.seat or (len(first_games) > 1 and not group_rules(player).role):
        return game == last
    return is_matching_due(player)  # a player who was left out never plays again


def members_so_far(
    subsession: Any, treatment: str, config: Config, numbers: Mapping[int, int]
) -> list[Member]:
    """Returns the participants who have had a seat in every game before this round, with these games.

    Args:
        subsession: the round of the app.
        treatment: the treatment's name, "" without treatments.
        config: the session config in this treatment.
        numbers: ids of the participants to look at, each with its number in the session.
    """
    app = subsession.get_folder_name()
    games = _games(app, subsession.session.code, treatment)
    games_with_new_groups = group_rules(subsession).games_with_new_groups(config, games)
    first_games = [game for game in games_with_new_groups if game < subsession.round_number]
    player_class = get_models_module(app).Player
    played: dict[int, list[PastGame]] = defaultdict(list)
    for first in first_games[1:]:
        last = subsession.in_round(first)  # the game before ``first`` has the round of its number
        seated = last.player_set.filter(
            player_class.participant_id.in_(numbers), player_class.seat != ""
        ).all()
        groups: dict[int, list[int]] = defaultdict(list)
        for player in seated:
            groups[player.group_id].append(numbers[player.participant_id])
        for player in seated:
            number = numbers[player.participant_id]
            partners = tuple(other for other in groups[player.group_id] if other != number)
            played[number].append(PastGame(player.seat, partners, read_opening(player.group.opening).source))
    return [
        Member(number, tuple(past)) for number, past in played.items() if len(past) == len(first_games) - 1
    ]
