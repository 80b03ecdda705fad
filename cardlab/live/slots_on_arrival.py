"""Creates the slots of visitors, in sessions with ``slots`` ``on_arrival``.

A visitor takes the place of a lost participant, so that treatments stay balanced among participants who
finish. In all sessions, a visitor who is excluded or too late gets no slot at the link of the session or its
room.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

import otree.views.participant
from otree.models import Participant, Session

from cardlab.core.clock import now_ms, past_ms
from cardlab.core.patch import Wrapper
from cardlab.live.lab import LAB
from cardlab.sessions import study_register
from cardlab.sessions.add_participants import add_slot_for_visitor
from cardlab.sessions.arrival import is_closed

MINUTE_MS = 60_000

_UNFINISHED_PARTICIPANTS = """
    SELECT id, code, _last_request_timestamp FROM otree_participant
    WHERE session_id = :session_id AND _index_in_pages > 0 AND status = ''
"""


def lost_participants(session: Session) -> set[int]:
    """Returns the ids of participants who have not finished, and have been disconnected for too long.

    The time counts from the last connection or request, whichever was later.
    """
    minutes: float = session.config.get("lost_after_minutes", 0)  # a session of an older version has none
    if not minutes:
        return set()
    now = now_ms()
    rows = LAB.page_records.rows(_UNFINISHED_PARTICIPANTS, session_id=session.id)
    return {
        participant_id
        for participant_id, code, requested_s in rows
        if now - max(LAB.presence.last_seen_ms(code), past_ms(requested_s, now)) > MINUTE_MS * minutes
    }


def _add_slot(session: Session) -> Participant | None:
    return add_slot_for_visitor(session, lost_participants(session))


def _participant_by_label(
    original: Callable[..., Any], session: Session, label: str | None
) -> Participant | None:
    if label and (known := session.pp_set.filter_by(label=label).order_by("id").first()):
        return known  # oTree raises if two start links were opened with the same label
    if _is_kept_out(session, label):
        return None
    return original(session, label) or _add_slot(session)


def _participant_by_cookies(
    original: Callable[..., Participant | None], session: Session, cookies: MutableMapping[str, str]
) -> Participant | None:
    cookie = f"session_{session.code}_participant"
    if cookie not in cookies and _is_kept_out(session, None):
        return None
    participant = original(session, cookies)
    if participant is None and (participant := _add_slot(session)):
        cookies[cookie] = participant.code
    return participant


def _is_kept_out(session: Session, label: str | None) -> bool:
    """Returns whether a visitor without a slot is excluded or too late. Bots never are."""
    if session.config.get("use_browser_bots"):
        return False
    return is_closed(session) or study_register.exclusion(session, label) is not None


_REASON = (
    "With `slots` `on_arrival`, a visitor gets a new slot when no free one is left. An excluded or late "
    "visitor gets none."
)
PATCHES = tuple(
    Wrapper(otree.views.participant, name, replacement, "feature", source, _REASON)
    for name, replacement, source in (
        ("get_participant_by_label", _participant_by_label, "3e57fcf3f3ed38e2"),
        ("get_participant_by_cookies", _participant_by_cookies, "673c0e030dc47ba9"),
    )
)
