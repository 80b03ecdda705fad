"""Who sits at one hand with whom: who is paused with a participant, and for whom others would wait."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from otree.common import get_pages_module
from otree.models import Participant

from cardlab.live.seat import Playable, Seat, seat_of_player


@cache
def shared_page(app: str) -> type[Playable] | None:
    """The page of an app on which several participants play one hand; None if it has none."""
    pages = (page for page in get_pages_module(app).page_sequence if issubclass(page, Playable))
    return next((page for page in pages if page.row.__func__ is not Playable.row.__func__), None)


def player_of(participant: Participant) -> Any:
    """The player of the page that a participant is on; None before the first and after the last."""
    there = 0 < participant._index_in_pages <= participant._max_page_index
    return participant._get_current_player() if there else None


def with_co_players(participants: Iterable[Participant]) -> list[Participant]:
    """These participants, and all who play with them, with those, and so on: whoever is waited for."""
    found: dict[int, Participant] = {}
    waiting = list(participants)
    while waiting:
        one = waiting.pop()
        if one.id not in found:
            found[one.id] = one
            waiting += _beside(one)
    return sorted(found.values(), key=lambda one: one.id_in_session)


def _beside(participant: Participant) -> list[Participant]:
    player = player_of(participant)
    page = player and shared_page(player.get_folder_name())
    if not page or not page.opening(player):
        return []
    return [other.participant for other in page.row(player).get_players()]


def shared_hands(participant: Participant) -> list[Seat]:
    """The participant's seats at the hands, from that of their round on, at which others sit too."""
    player = player_of(participant)
    page = player and shared_page(player.get_folder_name())
    if not page:
        return []
    rounds = [one for one in player.in_rounds(player.round_number, last_round(player)) if page.opening(one)]
    return [seat_of_player(page, one) for one in rounds]


def last_round(player: Any) -> int:
    """The number of the last round of the player's app."""
    return type(player).objects_filter(participant=player.participant).count()
