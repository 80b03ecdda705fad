"""Two-way help: a participant asks in one line, and the researcher answers on the participant's page.

A request is a standing notice until it is answered, closed or withdrawn; a participant has one at a time. The
functions are submitted like those of :mod:`cardlab.live.interventions`.
"""

from __future__ import annotations

import unicodedata

from otree.database import session_scope
from otree.models import Participant

from cardlab.core.clock import now_ms
from cardlab.live import notices
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.presence import MAX_REQUESTS, ParticipantIds, standing_of

MAX_LENGTH = 200  # characters of a request
BURST, BURST_MS = 3, 60_000  # requests in this many milliseconds

# Characters that change the direction of the text after them, also of the researcher's page.
_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_DROPPED_CATEGORIES = ("Cc", "Cs")  # control characters, and surrogates, which no database stores


def clean_line(text: str) -> str:
    """Returns a text as one line, without control characters; at most ``MAX_LENGTH`` characters."""
    kept = "".join(character for character in text if character.isspace() or not _is_dropped(character))
    return " ".join(kept.split())[:MAX_LENGTH].strip()


def _is_dropped(character: str) -> bool:
    return unicodedata.category(character) in _DROPPED_CATEGORIES or ord(character) in _DIRECTIONS


def ask(person: ParticipantIds, text: str) -> Answer:
    """Stores a participant's request, if the session has the button.

    The answer has ``help_refused`` if they have a request already, or have asked too often.
    """
    line, now = clean_line(text), now_ms()
    with session_scope():
        config = Participant.objects_get(id=person.id).session.config
    if not line or not config.get("help_button"):
        return Answer({"standings": {}})
    requests = notices.latest_notices(LAB.records, person.id, notices.HELP, MAX_REQUESTS)
    is_open = bool(requests) and requests[0].over_ms is None
    # A later time is from before somebody set the clock back.
    is_flood = len(requests) >= BURST and 0 <= now - requests[BURST - 1].ms < BURST_MS
    if is_open or is_flood or len(requests) >= MAX_REQUESTS:
        return Answer({"standings": {}, "help_refused": not is_open})
    notices.add(LAB.records, person.session_id, [person.id], notices.HELP, now, line)
    return Answer({"standings": {person.code: standing_of(person.id)}})


def withdraw(person: ParticipantIds) -> Answer:
    """Ends a request that the participant no longer needs answered."""
    notices.end(LAB.records, [person.id], notices.HELP, now_ms())
    return Answer({"standings": {person.code: standing_of(person.id)}})


def answer_request(session: str, code: str, number: int, text: str) -> Answer:
    """Ends the request with this number and shows its answer; without a text it is only ended.

    Changes nothing if the request is no longer open.
    """
    now = now_ms()
    with session_scope():
        participant = Participant.objects_filter(_session_code=session, code=code).one_or_none()
        person = participant and ParticipantIds(participant.id, participant.session_id, code, session)
    standing = notices.standing_notices(LAB.records, person.id) if person else []
    if not person or (number, notices.HELP) not in [(notice.number, notice.kind) for notice in standing]:
        return Answer({"standings": {}})
    over_ms = None if text else now
    notices.end_one(LAB.records, person.id, number, now)
    notices.add(LAB.records, person.session_id, [person.id], notices.ANSWER, now, text, over_ms)
    return Answer({"standings": {person.code: standing_of(person.id)}})
