"""Writes new groups into oTree's tables, and assigns seats and deals to their members.

The player model needs a field ``seat``, the group ``opening``, and the subsession ``openings``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from otree.common import get_models_module
from otree.constants import get_role, get_roles
from otree.database import db
from otree.models import BaseSubsession
from sqlalchemy import func

from cardlab.core.clock import now_ms
from cardlab.core.patch import Wrapper
from cardlab.games.pay import ALONE
from cardlab.games.record import read_opening, write_opening
from cardlab.games.seating import Member
from cardlab.groups import group_lock
from cardlab.groups.rounds import group_rules, is_matched_here, last_round_together, members_so_far
from cardlab.live.query_cache import cache_players
from cardlab.sessions import completion, money, study_register
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import lines_of
from cardlab.sessions.treatments import row_treatment


def _try_to_make_new_group(original: Callable[..., Any], self: BaseSubsession, page_index: int) -> Any:
    app_name = self.get_folder_name()
    if not is_matched_here(app_name):
        return original(self, page_index)
    players = get_models_module(app_name).group_by_arrival_time_method(self, [])
    return create_group(self, players) if players else None


PATCHES = (
    Wrapper(
        *(BaseSubsession, "_gbat_try_to_make_new_group", _try_to_make_new_group, "speed", "a15af91a606fd358"),
        "Forms a group for all rounds in the page's commit. oTree commits for every round: half a second "
        "for 60 rounds, in which nobody else is served.",
    ),
)


def create_group(subsession: Any, players: Sequence[Any]) -> Any:
    """Creates a group of the players in this round and the following ones that they play together.

    Deletes groups that become empty. Returns the group of this round. Raises
    :class:`group_lock.HandHasBegun` if a player would leave a hand that has begun.
    """
    app = get_models_module(subsession.get_folder_name())
    number = subsession._gbat_next_group_id_in_subsession()
    rounds = subsession.in_rounds(subsession.round_number, last_round_together(players[0]))
    ids_in_group = {player.participant_id: number for number, player in enumerate(players, 1)}
    in_rounds = app.Player.round_number.between(rounds[0].round_number, rounds[-1].round_number)
    members = app.Player.objects_filter(in_rounds, app.Player.participant_id.in_(ids_in_group)).all()
    cache_players(members)
    emptied_groups = _groups_without_others(app, {player.group_id for player in members}, ids_in_group)
    groups = {
        row.round_number: app.Group(
            subsession=row,
            id_in_subsession=number,
            session=subsession.session,
            round_number=row.round_number,
        )
        for row in rounds
    }
    db.add_all(groups.values())
    roles = get_roles(subsession._Constants)
    for player in members:
        player.group = groups[player.round_number]
        player.id_in_group = ids_in_group[player.participant_id]
        player._role = get_role(roles, player.id_in_group)
    for group in emptied_groups:
        db.delete(group)
    for player in players:
        player.participant._gbat_grouped, player.participant._waitpage_is_connected = True, False
    return groups[subsession.round_number]


def _groups_without_others(app: Any, group_ids: Collection[int], leaving: Collection[int]) -> list[Any]:
    """Returns the groups that are empty without the participants ``leaving``, given by their ids.

    Raises :class:`group_lock.HandHasBegun` if the hand of any group has begun.
    """
    groups = app.Group.objects_filter(app.Group.id.in_(group_ids)).all()
    for group in groups:
        group_lock.refuse_if_begun(group)
    others = app.Player.objects_filter(
        app.Player.group_id.in_(group_ids), app.Player.participant_id.notin_(leaving)
    )
    kept_ids = {group_id for (group_id,) in others.with_entities(app.Player.group_id).distinct()}
    return [group for group in groups if group.id not in kept_ids]


def assign_seats(group: Any) -> None:
    """Assigns the members of a new group their seats and deals in all games that they play together.

    A group that is too small gets none unless ``no_shows`` is ``robot``; with ``leave`` its members leave the
    study.
    """
    config, players, rules = config_of(group), group.get_players(), group_rules(group)
    if len(players) < config["group_size"] and config["no_shows"] != "robot":
        if config["no_shows"] == "leave":
            _end_study(players)
        return
    if len(players) > 1:
        people, app = [player.participant for player in players], group.get_folder_name()
        name = f"{config['app_sequence'].index(app)}-{group.id_in_subsession}"  # unique in the session
        study_register.note_team(people, f"{people[0]._session_code} {name}")
    treatment, game = row_treatment(group), group.round_number - 1
    numbers = {player.participant_id: player.participant.id_in_session for player in players}
    members = [Member(number) for number in numbers.values()]
    if rules.role and game > 1:
        past_members = members_so_far(group.subsession, treatment, config, numbers)
        by_number = {member.number: member for member in past_members}
        members = [by_number[number] for number in numbers.values()]
    group_index = _count_seated_groups(group, treatment)
    for number in range(group.round_number, last_round_together(group) + 1):
        round_players = [player.in_round(number) for player in players]
        lines = lines_of(round_players[0].subsession.openings, treatment)
        opening = read_opening(lines[group_index % len(lines)])
        seats, robots = rules.assign_seats(config, members, opening)
        for player, seat in zip(round_players, seats):
            player.seat = seat
        round_players[0].group.opening = write_opening(
            replace(opening, options={**opening.options, "robots": robots})
        )


def _end_study(players: Sequence[Any]) -> None:
    """Ends the study for players without a partner, with the pay for waiting."""
    for player in players:
        money.keep_waiting_fee(player.participant, _minutes_waited(player))
        completion.end_early(player.participant, ALONE)


def _minutes_waited(player: Any) -> float:
    """Returns for how many minutes a player has waited in this round."""
    since_ms = player.field_maybe_none("waiting_since_ms")
    return 0.0 if since_ms is None else max(0.0, now_ms() - since_ms) / 60_000


def _count_seated_groups(group: Any, treatment: str) -> int:
    """Returns the number of a treatment's groups that have their deals of this round."""
    group_class = get_models_module(group.get_folder_name()).Group
    groups = group_class.objects_filter(group_class.opening != "", subsession_id=group.subsession_id)
    if not treatment:
        count: int = groups.with_entities(func.count(group_class.id)).scalar()
        return count
    return sum(row_treatment(other) == treatment for other in groups)
