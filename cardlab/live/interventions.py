"""What the researcher does to chosen participants: a message, a pause, dropped out, back.

Each function is asked of the service as a move is (:mod:`cardlab.live.group_commit`): under oTree's lock, all
of it with one commit, perhaps twice. What it gives says who is to be told what by :func:`spread`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from otree.database import session_scope
from otree.models import Participant

from cardlab.core.clock import now_ms
from cardlab.core.hand_cache import UnreadableRecord
from cardlab.games.events import BACK, DROPPED_OUT, PAUSE, RESUME
from cardlab.live import co_players, notices, pauses, seat, seat_browser
from cardlab.live.lab import LAB
from cardlab.live.presence import Person, standing_of
from cardlab.live.seat import Seat
from cardlab.live.service import Answer

logger = logging.getLogger("cardlab.steering")

DROPPED_STATUS = notices.DROPPED  # oTree's own word for it, in the status of a participant

_STATUS = "UPDATE otree_participant SET status = :status WHERE id = :id AND status = :before"

Chosen = list[tuple[Person, list[Seat]]]  # participants with their seats at the hands that it is about


def message(session: str, codes: Sequence[str], text: str) -> Answer:
    """A message on the pages of participants, until they have confirmed it."""
    chosen = _chosen(session, codes)
    for person, _seats in chosen:
        notices.add(LAB.records, person.session_id, [person.id], notices.MESSAGE, now_ms(), text)
    return _standing(chosen)


def pause(session: str, codes: Sequence[str]) -> Answer:
    """Participants and all who play with them stand still, and their clocks with them."""
    chosen, now = _chosen(session, codes, current_seats, co_players.with_co_players), now_ms()
    held = _held(chosen, notices.PAUSE)
    for person, seats in chosen:
        if person.id not in held:
            notices.add(LAB.records, person.session_id, [person.id], notices.PAUSE, now)
            pauses.stop(LAB.records, [person.id])
        _note(seats, PAUSE)
    return _standing(chosen)


def resume(session: str, codes: Sequence[str]) -> Answer:
    """Participants and all who play with them go on; their clocks have stood still meanwhile."""
    chosen, now = _chosen(session, codes, current_seats, co_players.with_co_players), now_ms()
    held, ends = _held(chosen, notices.PAUSE), {}
    for person, seats in chosen:
        if person.id in held:
            since_ms = notices.since(LAB.records, person.id, notices.PAUSE)
            notices.end(LAB.records, [person.id], notices.PAUSE, now)
            ends[person.code] = pauses.resume(LAB.records, person.id, since_ms, now)
        _note(seats, RESUME)
    answer = _standing(chosen)
    return Answer({**answer.said, "ends": {code: end for code, end in ends.items() if end is not None}})


def drop_out(session: str, codes: Sequence[str], text: str = "") -> Answer:
    """Participants have dropped out: whoever plays with them plays on and waits no more (ruling 14).

    ``text`` says whose decision it was, if it was not the researcher's.
    """
    chosen, now = _chosen(session, codes, co_players.shared_hands), now_ms()
    held = _held(chosen, notices.DROPPED)
    for person, seats in chosen:
        if person.id not in held:
            notices.add(LAB.records, person.session_id, [person.id], notices.DROPPED, now, text)
            LAB.records.write(_STATUS, [{"id": person.id, "before": "", "status": DROPPED_STATUS}])
        _note(seats, DROPPED_OUT)
    return _standing(chosen)


def come_back(session: str, codes: Sequence[str]) -> Answer:
    """Participants who had dropped out are there again, and play themselves."""
    chosen, now = _chosen(session, codes, co_players.shared_hands), now_ms()
    held = _held(chosen, notices.DROPPED)
    for person, seats in chosen:
        if person.id in held:
            notices.end(LAB.records, [person.id], notices.DROPPED, now)
            LAB.records.write(_STATUS, [{"id": person.id, "before": DROPPED_STATUS, "status": ""}])
        _note(seats, BACK)
    return _standing(chosen)


def release_seats(session: str, codes: Sequence[str]) -> Answer:
    """The next other browser takes over the seat of each participant (``cardlab.live.seat_browser``)."""
    chosen, now = _chosen(session, codes), now_ms()
    for person, _seats in chosen:
        if notices.since(LAB.records, person.id, notices.RELEASED) is None:
            notices.add(LAB.records, person.session_id, [person.id], notices.RELEASED, now)
    answer = _standing(chosen)
    return Answer({**answer.said, "released": list(answer.said["told"])})


def notify(answer: Answer) -> None:
    """After the commit: tell the pages, and let time limits be later where somebody plays."""
    for code, ends in answer.said.get("ends", {}).items():
        LAB.hub.extend(code, ends)
    seat_browser.release(answer.said.get("released", ()))
    LAB.presence.send(answer.said["told"])


def current_seats(participant: Participant) -> list[Seat]:
    found = seat.current_seat(participant)
    return [found] if found else []


def _chosen(
    session: str,
    codes: Sequence[str],
    seats: Callable[[Participant], list[Seat]] = lambda participant: [],
    widened: Callable[[Iterable[Participant]], list[Participant]] = list,
) -> Chosen:
    """The participants of a session with these codes, and their seats; all are looked up before anything is
    written."""
    with session_scope():
        found = Participant.objects_filter(
            Participant._session_code == session, Participant.code.in_(codes)
        ).order_by("id_in_session")
        return [
            (Person(one.id, one.session_id, one.code, one._session_code), seats(one))
            for one in widened(list(found))
        ]


def _held(chosen: Chosen, kind: str) -> set[int]:
    """Of whom this stands already."""
    held = notices.held(LAB.records, chosen[0][0].session_id) if chosen else {}
    return {one for one, kinds in held.items() if kind in kinds}


def _note(seats: list[Seat], name: str) -> None:
    for one in seats:
        try:
            LAB.service.note_and_write(one, name)
        except UnreadableRecord as damage:
            logger.error("hand %s: %s", one.key.hand, damage)


def _standing(chosen: Chosen) -> Answer:
    return Answer({"told": {person.code: standing_of(person.id) for person, _seats in chosen}})
