"""Ends the study for participants: takes them to the results of the last game, or past the last page.

Each participant, or the chosen members of a group, moves in a separate transaction under oTree's lock.
Moves of others and pages come in between, so 300 participants block nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import otree.middleware
from otree.api import WaitPage
from otree.channels.utils import auto_advance_group
from otree.common import get_pages_module
from otree.database import session_scope
from otree.lookup import get_min_idx_for_app, get_page_lookup
from otree.models import Participant
from starlette.concurrency import run_in_threadpool

from cardlab.core.clock import now_ms
from cardlab.core.hand_cache import UnreadableRecord
from cardlab.games.contract import STOPPED
from cardlab.live import notices
from cardlab.live.co_players import begun_hands, player_of, shared_page
from cardlab.live.interventions import current_seats
from cardlab.live.lab import LAB
from cardlab.live.read_session import read_session
from cardlab.live.seat import Seat, seat_with_stopped
from cardlab.pages.results import ResultsPage
from cardlab.sessions.arrival import has_ended_early, mark_finished
from cardlab.sessions.early_end import skip_to

logger = logging.getLogger("cardlab.steering")

RESULTS, END = "results", "end"  # where participants are taken to
PLACES = (RESULTS, END)


class Ended(NamedTuple):
    """The codes of the participants who were moved, and the numbers of those for whom an error occurred."""

    moved: list[str]
    failed: list[int]


async def end_now(session: str, codes: Sequence[str], place: str) -> Ended:
    """Takes participants who have arrived to one of ``PLACES``, unless they are already there or beyond."""
    result = Ended([], [])
    queue: Any = otree.middleware.lock2  # a PageQueue
    for team in await LAB.monitors.run_in_thread(_find_teams, session, codes):
        async with queue.hold_between_pages():
            try:
                codes = await run_in_threadpool(_move_team, team, place)
            except Exception:
                logger.exception("The study could not be ended for participants %s.", list(team.values()))
                result.failed.extend(team.values())
                continue
        for code in codes:
            LAB.page_notifier.send(auto_advance_group(code), {"auto_advanced": True})
        LAB.presence.reload_pages(codes)
        result.moved.extend(codes)
    return result


def _find_teams(session: str, codes: Sequence[str]) -> list[dict[str, int]]:
    """Returns the codes and numbers of participants to be moved together: those of a group, or one alone."""
    teams: dict[Any, dict[str, int]] = {}
    with read_session():
        participants = Participant.objects_filter(
            Participant._session_code == session, Participant.code.in_(codes), Participant._index_in_pages > 0
        )
        for participant in participants.order_by("id_in_session"):
            teams.setdefault(_team(participant), {})[participant.code] = participant.id_in_session
    return list(teams.values())


def _team(participant: Participant) -> Any:
    player = player_of(participant)
    if player is None or not shared_page(player.get_folder_name()) or not player.seat:
        return participant.code
    return player.get_folder_name(), player.group.id_in_subsession


def _move_team(team: dict[str, int], place: str) -> list[str]:
    """Moves the participants of a team in one transaction; returns the codes of those who moved."""
    with session_scope():
        participants = Participant.objects_filter(Participant.code.in_(team)).order_by("id_in_session")
        targets = [
            (participant, target)
            for participant in participants
            if (target := _target(participant, place)) is not None
        ]
        _note_end([participant for participant, _target in targets], place)
        _leave_shared_hands([participant for participant, _target in targets])
        for participant, target in targets:
            _move(participant, target)
        return [participant.code for participant, _target in targets]


def _target(participant: Participant, place: str) -> int | None:
    """Returns the index of the page to which a participant is taken; None if they do not move."""
    current_index, last_index = participant._index_in_pages, participant._max_page_index
    if not 0 < current_index <= last_index:
        return None
    target: int = _results_index(participant) if place == RESULTS else last_index + 1
    return target if target > current_index else None


def _results_index(participant: Participant) -> int:
    """Returns the index of the results of the session's last game, in the round that the participant plays.

    It is past the last page if no app has results.
    """
    current_page = get_page_lookup(participant._session_code, participant._index_in_pages)
    for app in reversed(participant.session.config["app_sequence"]):
        pages = get_pages_module(app).page_sequence
        for number, page in enumerate(pages):
            if issubclass(page, ResultsPage):
                rounds_before = current_page.round_number - 1 if app == current_page.app_name else 0
                first_index: int = get_min_idx_for_app(participant._session_code, app)
                return first_index + rounds_before * len(pages) + number
    last_index: int = participant._max_page_index
    return last_index + 1


def _note_end(participants: Sequence[Participant], place: str) -> None:
    """Adds the notices by which hands that begin later leave the participants out; ends their pauses."""
    now = now_ms()
    for participant in participants:
        ids = [participant.id]
        notices.add(LAB.page_records, participant.session_id, ids, notices.ENDED, now, place, now)
        notices.end(LAB.page_records, ids, notices.PAUSE, now)


def _leave_shared_hands(participants: Sequence[Participant]) -> None:
    """Closes the shared hands of a team in one step each, so that the server plays for no member in between.

    In a hand that only a co-player has begun, a member gets the same outcome as one who stopped before it.
    """
    leaving: dict[str, dict[str, tuple[Seat, str]]] = {}  # by hand and seat
    for participant in participants:
        player = player_of(participant)
        seats = current_seats(participant) if shared_page(player.get_folder_name()) else []
        shown_seats = [seat_with_stopped(seat.page, player) for seat in seats]
        keys = [seat.key for seat in shown_seats]
        for seat in [
            *shown_seats,
            *(begun_seat for begun_seat in begun_hands(participant) if begun_seat.key not in keys),
        ]:
            outcome = "advanced" if seat in shown_seats else STOPPED
            leaving.setdefault(seat.key.hand, {})[seat.name] = seat, outcome
    for by_name in leaving.values():
        (name, (seat, outcome)), *other_seats = by_name.items()
        try:
            further = {other_name: its_outcome for other_name, (_seat, its_outcome) in other_seats}
            LAB.service.leave_and_write(seat, outcome, LAB.page_records, further)
        except UnreadableRecord as damage:  # a damaged record is not changed and pays nothing
            logger.error("hand %s: %s", seat.key.hand, damage)


def _move(participant: Participant, target: int) -> None:
    """Leaves a participant's page as if its time were up, and skips to the page ``target``."""
    page: Any = participant._get_page_instance()
    if not isinstance(page, WaitPage):
        page.call_user_defined("before_next_page", timeout_happened=True)
        page._record_page_completion_time()
    participant.is_on_wait_page = False
    last_index: int = participant._max_page_index
    skip_to(page, last_index + 1 if has_ended_early(participant) else target)
    page = participant._get_page_instance()  # names the page in the monitor
    if page is None or participant.session.config["app_sequence"][-1] == page.player.get_folder_name():
        mark_finished(participant)
