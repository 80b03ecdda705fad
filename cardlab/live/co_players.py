"""Finds a participant's co-players, who are paused with the participant or wait for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from otree.common import get_pages_module
from otree.models import Participant

from cardlab.live.lab import LAB
from cardlab.live.seat import Playable, Seat, seat_of_player


@cache
def shared_page(app: str) -> type[Playable] | None:
    """Returns the app's page of a hand with several seats; None if it has none."""
    pages = (page for page in get_pages_module(app).page_sequence if issubclass(page, Playable))
    own_row = Playable.row.__func__  # type: ignore[attr-defined]  # the function of a class method
    return next((page for page in pages if getattr(page.row, "__func__", None) is not own_row), None)


def player_of(participant: Participant) -> Any:
    """Returns the player of a participant's current page; None before the first page and after the last."""
    is_on_a_page = 0 < participant._index_in_pages <= participant._max_page_index
    return participant._get_current_player() if is_on_a_page else None


def with_co_players(participants: Iterable[Participant]) -> list[Participant]:
    """Returns the participants and, transitively, all their co-players, by number in the session.

    A member of a participant's group who is already in another app or group no longer plays with them.
    """
    found: dict[int, Participant] = {}
    queue = list(participants)
    while queue:
        participant = queue.pop()
        if participant.id not in found:
            found[participant.id] = participant
            queue += [other for other in _group_members(participant) if participant in _group_members(other)]
    return sorted(found.values(), key=lambda participant: participant.id_in_session)


def _group_members(participant: Participant) -> list[Participant]:
    """Returns the members of a participant's group in the round of their page; none without a hand."""
    player = player_of(participant)
    page = player and shared_page(player.get_folder_name())
    if not page or not page.opening(player):
        return []
    return [other.participant for other in page.row(player).get_players()]


def shared_hands(participant: Participant) -> list[Seat]:
    """Returns the participant's seats at hands with co-players, from the current round on."""
    player = player_of(participant)
    page = player and shared_page(player.get_folder_name())
    if not page:
        return []
    rows = player.in_rounds(player.round_number, last_round(player))  # the participant's player in each round
    return [seat_of_player(page, row) for row in rows if page.opening(row)]


def begun_hands(participant: Participant) -> list[Seat]:
    """Returns the participant's seats at begun hands with co-players: of the page, and of later rounds.

    A later hand may have begun, because a co-player is ahead.
    """
    player = player_of(participant)
    page = player and shared_page(player.get_folder_name())
    if not page:
        return []
    seats: list[Seat] = []
    for number in range(player.round_number, last_round(player) + 1):
        row = player.in_round(number)
        if page.opening(row) and LAB.page_records.end(page.hand_id(row)).lines:
            seats.append(seat_of_player(page, row))
        elif number > player.round_number:
            break  # hands begin in order
    return seats


def last_round(player: Any) -> int:
    """Returns the number of the last round of the player's app."""
    count: int = type(player).objects_filter(participant=player.participant).count()
    return count
