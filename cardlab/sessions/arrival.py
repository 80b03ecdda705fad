"""Records which participants arrived and finished, for oTree's monitor, payments and REST interface.

A participant has arrived once a browser opened their start link. oTree also counts participants whom the
researcher advanced, so the payments page would add fees for empty slots.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from otree.database import db
from otree.models import Participant, Session
from otree.views.participant import InitializeParticipant

from cardlab.core import clock
from cardlab.core.patch import Wrapper
from cardlab.games.pay import EARLY_STATUSES
from cardlab.sessions import participant_language, recruiting

FINISHED = "finished"
WITHDRAWN = "withdrawn"  # the participant's data were removed (cardlab.live.personal_data)
FIRST_ARRIVAL = "first_arrival"  # in the vars of a session that closes: a withdrawal empties the row's time


def has_arrived(participant: Participant) -> bool:
    """Returns whether a browser opened the participant's start link."""
    return participant.time_started_utc is not None


def has_withdrawn(participant: Participant) -> bool:
    """Returns whether the participant's data were removed, so that only an empty row is left."""
    return bool(participant.status == WITHDRAWN)


def is_closed(session: Session) -> bool:
    """Returns whether new participants come too late: the session's ``late_after_minutes`` have passed."""
    if not (minutes := session.config["late_after_minutes"]):
        return False
    first = session._vars.get(FIRST_ARRIVAL) or _first_arrival(session)
    return bool(first) and _now_utc() - datetime.fromisoformat(first) > timedelta(minutes=minutes)


def _first_arrival(session: Session) -> str:
    """Returns the earliest start of a participant as oTree stores it; "" if nobody has arrived."""
    return min((str(one.time_started_utc) for one in session.pp_set if has_arrived(one)), default="")


def has_ended_early(participant: Participant) -> bool:
    """Returns whether the session has ended early for the participant (``cardlab.sessions.completion``)."""
    return participant.status in EARLY_STATUSES


def mark_finished(participant: Participant) -> None:
    """Marks the participant as finished in the monitor and the REST interface.

    Does nothing if the session has ended early for them (``cardlab.sessions.completion``).
    """
    if not participant.status:
        participant.status = FINISHED
        participant.finished = True  # a field of PARTICIPANT_FIELDS that oTree's REST interface reads
        participant._update_monitor_table()


def _advance(
    advance: Callable[[Session, list[Participant]], None], self: Session, participants: list[Participant]
) -> None:
    away = [participant for participant in participants if not has_arrived(participant)]
    advance(self, participants)
    for participant in away:
        participant.time_started_utc = None


def _start(start: Callable[..., Any], self: InitializeParticipant, request: Any) -> Any:
    participant = db.get_or_404(Participant, code=request.path_params["code"])
    is_new = not has_arrived(participant)
    request = recruiting.with_label(request)
    answer = start(self, request)
    if is_new and not participant.label:  # oTree sets none if the researcher has advanced them before
        participant.set_label(request.query_params.get("participant_label"))
    recruiting.store_parameters(participant, request.query_params)
    participant_language.store_language(participant, request.query_params, answer)
    if is_new:  # oTree has the time of the computer's clock, which may be set
        participant.time_started_utc = str(_now_utc())
        _note_arrival(participant)
    return answer


def _note_arrival(participant: Participant) -> None:
    """Notes the earliest arrival in a session that closes.

    A later arrival is earlier if the clock was set back while the server was stopped. Then the time until the
    session closes begins again.
    """
    session = participant.session
    if session.config["late_after_minutes"]:
        noted = session._vars.get(FIRST_ARRIVAL) or _first_arrival(session)
        if (first := min(noted, str(participant.time_started_utc))) != session._vars.get(FIRST_ARRIVAL):
            session.vars[FIRST_ARRIVAL] = first


def _now_utc() -> datetime:
    return datetime.fromtimestamp(clock.time(), timezone.utc).replace(tzinfo=None)  # as oTree writes it


_REASON = "Participants whom the researcher advanced have not arrived."
ARRIVAL = Wrapper(InitializeParticipant, "get", _start, "correctness", "22cb6fdc30bf97ab", _REASON)
PATCHES = (
    Wrapper(
        *(Session, "advance_selected_participants", _advance, "correctness", "a8e35c8fabebe96c"),
        _REASON,
    ),
    ARRIVAL,
)
