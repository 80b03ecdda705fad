"""The researcher's interventions on chosen participants: message, pause, dropout, return, seat release.

Each function is submitted like a move (:mod:`cardlab.live.group_commit`): it runs under oTree's lock, perhaps
twice, in one transaction. After the commit, :func:`notify` sends its answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from otree.database import session_scope
from otree.models import Participant

from cardlab.core.clock import now_ms
from cardlab.core.hand_cache import UnreadableRecord
from cardlab.games.events import BACK, DROPPED_OUT, PAUSE, RESUME
from cardlab.games.shared_settings import OFF
from cardlab.live import co_players, notices, pauses, seat
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.presence import ParticipantIds, standing_of
from cardlab.live.seat import Seat
from cardlab.sessions.arrival import LEFT

logger = logging.getLogger("cardlab.steering")

DROPPED_STATUS = notices.DROPPED  # in oTree's ``participant.status``

_STATUS = "UPDATE otree_participant SET status = :status WHERE id = :id AND status = :before"

Chosen = list[tuple[ParticipantIds, list[Seat]]]  # participants, with their seats at the hands concerned


def send_message(session: str, codes: Sequence[str], text: str) -> Answer:
    """Shows a message on the participants' pages until they confirm it."""
    chosen = _find_chosen(session, codes)
    for person, _seats in chosen:
        notices.add(LAB.records, person.session_id, [person.id], notices.MESSAGE, now_ms(), text)
    return _standing_notices(chosen)


def pause(session: str, codes: Sequence[str]) -> Answer:
    """Pauses participants, their co-players and their time limits."""
    chosen, now = _find_chosen(session, codes, current_seats, co_players.with_co_players), now_ms()
    held = _ids_with_notice(chosen, notices.PAUSE)
    for person, seats in chosen:
        if person.id not in held:
            notices.add(LAB.records, person.session_id, [person.id], notices.PAUSE, now)
            pauses.suspend_limits(LAB.records, [person.id])
        _write_note(seats, PAUSE)
    return _standing_notices(chosen)


def resume(session: str, codes: Sequence[str]) -> Answer:
    """Ends the pause of participants and their co-players, and extends their time limits by its length."""
    chosen, now = _find_chosen(session, codes, current_seats, co_players.with_co_players), now_ms()
    held, ends = _ids_with_notice(chosen, notices.PAUSE), {}
    for person, seats in chosen:
        if person.id in held:
            since_ms = notices.standing_since_ms(LAB.records, person.id, notices.PAUSE) or now
            notices.end(LAB.records, [person.id], notices.PAUSE, now)
            ends[person.code] = pauses.resume_limits(LAB.records, person.id, since_ms, now)
        _write_note(seats, RESUME)
    answer = _standing_notices(chosen)
    return Answer({**answer.message, "ends": {code: end for code, end in ends.items() if end is not None}})


def drop_out(session: str, codes: Sequence[str], text: str = "") -> Answer:
    """Marks participants as dropped out, so that their co-players do not wait for them (ruling 14).

    ``text`` is stored with the notice: who decided, if not the researcher.
    """
    chosen, now = _find_chosen(session, codes, co_players.shared_hands), now_ms()
    held = _ids_with_notice(chosen, notices.DROPPED)
    for person, seats in chosen:
        if person.id not in held:
            notices.add(LAB.records, person.session_id, [person.id], notices.DROPPED, now, text)
            LAB.records.write(_STATUS, [{"id": person.id, "before": "", "status": DROPPED_STATUS}])
        _write_note(seats, DROPPED_OUT)
    return _standing_notices(chosen)


def leave_study(person: ParticipantIds) -> Answer:
    """Lets a participant leave the study, where the session has a button for it.

    They drop out of hands with co-players. Their page reloads, and ``cardlab.sessions.early_end`` ends it.
    """
    with session_scope():
        participant = Participant.objects_get(id=person.id)
        may_leave = participant.session.config["leave_button"] != OFF and not participant.status
    if not may_leave:
        return Answer({"standings": {}})
    answer = drop_out(person.session, [person.code], notices.BY_PARTICIPANT)
    LAB.records.write(_STATUS, [{"id": person.id, "before": DROPPED_STATUS, "status": LEFT}])
    return Answer({**answer.message, "advanced": [person.code]})


def come_back(session: str, codes: Sequence[str]) -> Answer:
    """Marks dropped-out participants as returned, so that they play again."""
    chosen, now = _find_chosen(session, codes, co_players.shared_hands), now_ms()
    held = _ids_with_notice(chosen, notices.DROPPED)
    for person, seats in chosen:
        if person.id in held:
            notices.end(LAB.records, [person.id], notices.DROPPED, now)
            LAB.records.write(_STATUS, [{"id": person.id, "before": DROPPED_STATUS, "status": ""}])
        _write_note(seats, BACK)
    return _standing_notices(chosen)


def release_seats(session: str, codes: Sequence[str]) -> Answer:
    """Lets the next browser take over each participant's seat (``cardlab.live.seat_browser``)."""
    chosen, now = _find_chosen(session, codes), now_ms()
    for person, _seats in chosen:
        if notices.standing_since_ms(LAB.records, person.id, notices.RELEASED) is None:
            notices.add(LAB.records, person.session_id, [person.id], notices.RELEASED, now)
    answer = _standing_notices(chosen)
    return Answer({**answer.message, "released": list(answer.message["standings"])})


def notify(answer: Answer) -> None:
    """Notifies the pages, and extends the time limits of connected clients. Call it after the commit."""
    for code, ends in answer.message.get("ends", {}).items():
        LAB.hub.extend(code, ends)
    LAB.seat_browsers.release(answer.message.get("released", ()))
    LAB.presence.send(answer.message["standings"])
    LAB.presence.lead_on(answer.message.get("advanced", ()))


def current_seats(participant: Participant) -> list[Seat]:
    """Returns the participant's seat at the hand of their page, if there is one."""
    current = seat.current_seat(participant)
    return [current] if current else []


def _find_chosen(
    session: str,
    codes: Sequence[str],
    seats: Callable[[Participant], list[Seat]] = lambda participant: [],
    widened: Callable[[Iterable[Participant]], list[Participant]] = list,
) -> Chosen:
    """Returns the participants with these codes and their seats. Reads everything before any write."""
    with session_scope():
        participants = Participant.objects_filter(
            Participant._session_code == session, Participant.code.in_(codes)
        ).order_by("id_in_session")
        return [
            (ParticipantIds(one.id, one.session_id, one.code, one._session_code), seats(one))
            for one in widened(list(participants))
        ]


def _ids_with_notice(chosen: Chosen, kind: str) -> set[int]:
    """Returns the ids of the session's participants who have a standing notice of this kind."""
    held = notices.standing_kinds(LAB.records, chosen[0][0].session_id) if chosen else {}
    return {one for one, kinds in held.items() if kind in kinds}


def _write_note(seats: list[Seat], name: str) -> None:
    for one in seats:
        try:
            LAB.service.note_and_write(one, name)
        except UnreadableRecord as damage:
            logger.error("hand %s: %s", one.key.hand, damage)


def _standing_notices(chosen: Chosen) -> Answer:
    return Answer({"standings": {person.code: standing_of(person.id) for person, _seats in chosen}})
