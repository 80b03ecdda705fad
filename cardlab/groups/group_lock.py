"""Rejects changes to a group whose hand has begun.

A hand with several seats belongs to oTree's group. oTree deletes groups that become empty when it forms new
ones; the record would stay, but nothing would point to it. Only the deletion of the session deletes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otree.models import BaseGroup, BaseSubsession
from sqlalchemy import event

from cardlab.core.patch import Wrapper
from cardlab.live.lab import LAB
from cardlab.live.seat import hand_id


class HandHasBegun(Exception):
    """Raised when a change would take a player out of a hand that has begun, or delete its group."""


def has_begun(group: Any) -> bool:
    """Returns whether the group's hand has begun."""
    return bool(LAB.page_records.end(hand_id(group, group.id_in_subsession, group.round_number)).lines)


def refuse_if_begun(group: Any) -> None:
    """Raises HandHasBegun if the group's hand has begun."""
    if has_begun(group):
        session, number = group.session.code, group.id_in_subsession
        where = f"group {number} of round {group.round_number} in session {session}"
        raise HandHasBegun(f"The hand of {where} has begun: its players and its record stay together.")


def _set_players(set_players: Callable[..., Any], self: BaseGroup, players_list: list[Any]) -> Any:
    for player in players_list:
        group = player.field_maybe_none("group")  # none while a new matrix is set
        if group is not None and group is not self:
            refuse_if_begun(group)
    return set_players(self, players_list)


def _set_group_matrix(set_group_matrix: Callable[..., Any], self: BaseSubsession, matrix: Any) -> Any:
    for group in self.get_groups():
        refuse_if_begun(group)
    return set_group_matrix(self, matrix)


def _refuse_deletion(_mapper: Any, _connection: Any, group: Any) -> None:
    refuse_if_begun(group)


def listen() -> None:
    """Rejects the deletion of a group whose hand has begun; oTree deletes empty groups one by one."""
    if not event.contains(BaseGroup, "before_delete", _refuse_deletion):
        event.listen(BaseGroup, "before_delete", _refuse_deletion, propagate=True)


_REASON = "Keeps the members of a group whose hand has begun, because its record depends on them."
PATCHES = (
    Wrapper(BaseGroup, "set_players", _set_players, "correctness", "d3cc6af7d921a344", _REASON),
    Wrapper(
        *(BaseSubsession, "set_group_matrix", _set_group_matrix, "correctness", "f3d0b10373f88bfa"),
        _REASON,
    ),
)
