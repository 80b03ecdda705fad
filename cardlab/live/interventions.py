"""The researcher's interventions on chosen participants: message, pause, dropout, return, seat release.

Each function is submitted like a move (:mod:`cardlab.live.group_commit`): it runs under oTree's lock in one
transaction, which may be retried. After the commit, :func:`notify` sends its answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from otree.database import session_scope
from otree.models import Participant

from cardlab.core.clock import now_ms
from cardlab.core.hand_cache import UnreadableRecord
from cardlab.games.events import BACK, DROPPED_OUT, PAUSE, RESUME
from cardlab.games.pay import LEFT
from cardlab.games.shared_settings import OFF
from cardlab.live import co_players, notices, pauses, seat
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.presence import ParticipantIds, standing_of
from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.steering")

DROPPED_STATUS = notices.DROPPED  # in oTree's ``participant.status``

_STATUS = "UPDATE otree_participant SET status = :status WHERE id = :id AND status = :before"

Targets = list[tuple[ParticipantIds, list[Seat]]]  # participants, with their seats at the hands concerned


def send_message(session: str, codes: Sequence[str], text: str) -> Answer:
    """Shows a message on the participants' pages until they confirm it."""
    targets = _find_targets(session, codes)
    for person, _seats in targets:
        notices.add(LAB.records, person.session_id, [person.id], notices.MESSAGE, now_ms(), text)
    return _standing_notices(targets)


def pause(session: str, codes: Sequence[str]) -> Answer:
    """Pauses participants, their co-players and their time limits."""
    targets, now = _find_targets(session, codes, current_seats, co_players.with_co_players), now_ms()
    holder_ids = _ids_with_notice(targets, notices.PAUSE)
    for person, seats in targets:
        if person.id not in holder_ids:
            notices.add(LAB.records, person.session_id, [person.id], notices.PAUSE, now)
            pauses.suspend_limits(LAB.records, [person.id])
        _write_note(seats, PAUSE)
    return _standing_notices(targets)


def resume(session: str, codes: Sequence[str]) -> Answer:
    """Ends the pause of participants and their co-players, and extends their time limits by its length."""
    targets, now = _find_targets(session, codes, current_seats, co_players.with_co_players), now_ms()
    holder_ids, end_by_code = _ids_with_notice(targets, notices.PAUSE), {}
    for person, seats in targets:
        if person.id in holder_ids:
            since_ms = notices.standing_since_ms(LAB.records, person.id, notices.PAUSE) or now
            notices.end(LAB.records, [person.id], notices.PAUSE, now)
            end_by_code[person.code] = pauses.resume_limits(LAB.records, person.id, since_ms, now)
        _write_note(seats, RESUME)
    answer = _standing_notices(targets)
    ends = {code: end for code, end in end_by_code.items() if end is not None}
    return Answer({**answer.message, "ends": ends})


def drop_out(session: str, codes: Sequence[str], text: str = "") -> Answer:
    """Marks participants as dropped out, so that their co-players do not wait for them (ruling 14).

    ``text`` is stored with the notice: who decided, if not the researcher.
    """
    targets, now = _find_targets(session, codes, co_players.shared_hands), now_ms()
    holder_ids = _ids_with_notice(targets, notices.DROPPED)
    for person, seats in targets:
        if person.id not in holder_ids:
            notices.add(LAB.records, person.session_id, [person.id], notices.DROPPED, now, text)
            LAB.records.write(_STATUS, [{"id": person.id, "before": "", "status": DROPPED_STATUS}])
        _write_note(seats, DROPPED_OUT)
    return _standing_notices(targets)


def leave_study(person: ParticipantIds) -> Answer:
    """Lets a participant leave the study, if the session has the button.

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
    targets, now = _find_targets(session, codes, co_players.shared_hands), now_ms()
    holder_ids = _ids_with_notice(targets, notices.DROPPED)
    for person, seats in targets:
        if person.id in holder_ids:
            notices.end(LAB.records, [person.id], notices.DROPPED, now)
            LAB.records.write(_STATUS, [{"id": person.id, "before": DROPPED_STATUS, "status": ""}])
        _write_note(seats, BACK)
    return _standing_notices(targets)


def release_seats(session: str, codes: Sequence[str]) -> Answer:
    """Lets the next browser take over each participant's seat (``cardlab.live.seat_browser``)."""
    targets, now = _find_targets(session, codes), now_ms()
    for person, _seats in targets:
        if notices.standing_since_ms(LAB.records, person.id, notices.RELEASED) is None:
            notices.add(LAB.records, person.session_id, [person.id], notices.RELEASED, now)
    answer = _standing_notices(targets)
    return Answer({**answer.message, "released": list(answer.message["standings"])})


def notify(answer: Answer) -> None:
    """Notifies the pages, and extends the time limits of connected clients. Call it after the commit."""
    for code, end in answer.message.get("ends", {}).items():
        LAB.hub.extend(code, end)
    LAB.seat_browsers.release(answer.message.get("released", ()))
    LAB.presence.send(answer.message["standings"])
    LAB.presence.reload_pages(answer.message.get("advanced", ()))


def current_seats(participant: Participant) -> list[Seat]:
    """Returns the participant's seat at the hand of their page, if there is one."""
    current = seat.current_seat(participant)
    return [current] if current else []


def _find_targets(
    session: str,
    codes: Sequence[str],
    seats: Callable[[Participant], list[Seat]] = lambda participant: [],
    extend: Callable[[Iterable[Participant]], list[Participant]] = list,
) -> Targets:
    """Returns the participants with these codes, and their seats. Reads everything before any write.

    Args:
        session: the session's code.
        codes: the participants' codes.
        seats: returns a participant's seats at the hands concerned.
        extend: adds further participants, such as co-players.
    """
    with session_scope():
        participants = Participant.objects_filter(
            Participant._session_code == session, Participant.code.in_(codes)
        ).order_by("id_in_session")
        return [
            (ParticipantIds(person.id, person.session_id, person.code, person._session_code), seats(person))
            for person in extend(list(participants))
        ]


def _ids_with_notice(targets: Targets, kind: str) -> set[int]:
    """Returns the ids of the session's participants who have a standing notice of this kind."""
    standing = notices.standing_kinds(LAB.records, targets[0][0].session_id) if targets else {}
    return {participant_id for participant_id, kinds in standing.items() if kind in kinds}


def _write_note(seats: list[Seat], name: str) -> None:
    for hand_seat in seats:
        try:
            LAB.service.note_and_write(hand_seat, name)
        except UnreadableRecord as damage:
            logger.error("hand %s: %s", hand_seat.key.hand, damage)


def _standing_notices(targets: Targets) -> Answer:
    return Answer({"standings": {person.code: standing_of(person.id) for person, _seats in targets}})
