"""A hand that has begun stays with its group, and the group with its session.

Where several play, the hand is oTree's group's, and oTree takes groups apart: whenever it puts a new one
together it deletes those that are left empty. The record does not go with them, but nobody would find it any
more. Here that fails loudly for a hand that has begun; nothing but the deletion of its session deletes one.
Who is put together with whom is the games' own affair.
"""

from __future__ import annotations

from functools import wraps

from otree.models import BaseGroup, BaseSubsession
from sqlalchemy import event

from cardlab.live.record_store import ON_THE_PAGE
from cardlab.live.seat import hand_id


class HandHasBegun(Exception):
    """Somebody would be taken out of a hand that has begun, or its record be deleted."""


def has_begun(group) -> bool:
    """Whether the group has a hand, and it has begun."""
    return bool(ON_THE_PAGE.end(hand_id(group, group.id_in_subsession, group.round_number)).lines)


def refuse_if_begun(group) -> None:
    """HandHasBegun if the group has a hand that has begun."""
    if has_begun(group):
        session, number = group.session.code, group.id_in_subsession
        where = f"group {number} of round {group.round_number} in session {session}"
        raise HandHasBegun(f"The hand of {where} has begun: its players and its record stay together.")


def keep_together() -> None:
    """oTree regroups by ``set_players`` and ``set_group_matrix``, and deletes emptied groups one by one."""
    set_players, set_group_matrix = BaseGroup.set_players, BaseSubsession.set_group_matrix

    @wraps(set_players)
    def set_players_of_no_hand(self, players_list):
        for player in players_list:
            group = player.field_maybe_none("group")  # none while a new matrix is set
            if group is not None and group is not self:
                refuse_if_begun(group)
        return set_players(self, players_list)

    @wraps(set_group_matrix)
    def set_matrix_of_no_hand(self, matrix):
        for group in self.get_groups():
            refuse_if_begun(group)
        return set_group_matrix(self, matrix)

    BaseGroup.set_players, BaseSubsession.set_group_matrix = set_players_of_no_hand, set_matrix_of_no_hand

    @event.listens_for(BaseGroup, "before_delete", propagate=True)
    def keep_record(_mapper, _connection, group):
        refuse_if_begun(group)
