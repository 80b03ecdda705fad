"""Notices to, about and from participants: messages, pauses, dropouts, requests for help.

Each is a table row with its start and end: a message is confirmed, a pause ends, a participant returns. It is
deleted only with its session. A notice about a hand is also a note in the hand's record, in the same
transaction (``cardlab.games.events``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy
from otree.database import AnyModel

from cardlab.live.table_columns import owner_column

if TYPE_CHECKING:
    from cardlab.live.record_store import Records

MESSAGE, PAUSE, DROPPED, ADVANCED, STOPPED = "message", "pause", "dropped out", "advanced", "stopped"
RELEASED = "seat released"  # ends when another browser takes over the seat
NEW_BROWSER = "new browser"  # written by the server when another browser takes over a seat
ENDED = "ended"  # the researcher took the participant to the results or past the last page (the text)
HELP = "help"  # a participant asks (the text); ends when it is answered or withdrawn
ANSWER = "answer"  # begins when the request ends; "" if the researcher closed it without a text
KINDS = (MESSAGE, PAUSE, DROPPED, ADVANCED, STOPPED, RELEASED, NEW_BROWSER, ENDED, HELP, ANSWER)
BY_PARTICIPANT = "by the participant"  # the text of the dropout of a participant who left the study
MAX_MESSAGE_LENGTH = 500  # characters of a message

NOTICES = sqlalchemy.Table(
    "card_lab_notice",
    AnyModel.metadata,
    sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
    owner_column("session"),
    owner_column("participant"),
    sqlalchemy.Column("kind", sqlalchemy.String(20), nullable=False),
    sqlalchemy.Column("text", sqlalchemy.Text, nullable=False),
    sqlalchemy.Column("ms", sqlalchemy.BigInteger, nullable=False),  # Unix milliseconds
    sqlalchemy.Column("over_ms", sqlalchemy.BigInteger, nullable=True),  # None while it stands
)

_ADD = """
    INSERT INTO card_lab_notice (session_id, participant_id, kind, text, ms, over_ms)
    VALUES (:session_id, :participant_id, :kind, :text, :ms, :over_ms)
"""
_END = """
    UPDATE card_lab_notice SET over_ms = :ms
    WHERE participant_id = :participant_id AND kind = :kind AND over_ms IS NULL
"""
_CONFIRM = """
    UPDATE card_lab_notice SET over_ms = :ms
    WHERE id = :number AND participant_id = :participant_id AND over_ms IS NULL
        AND kind IN ('message', 'answer')
"""
_END_ONE = """
    UPDATE card_lab_notice SET over_ms = :ms
    WHERE id = :number AND participant_id = :participant_id AND over_ms IS NULL
"""
_LATEST = """
    SELECT id, participant_id, kind, text, ms, over_ms FROM card_lab_notice
    WHERE participant_id = :participant_id AND kind = :kind ORDER BY id DESC LIMIT :limit
"""
_STANDING = """
    SELECT id, participant_id, kind, text, ms, over_ms FROM card_lab_notice
    WHERE participant_id = :participant_id AND over_ms IS NULL ORDER BY id
"""
_STANDING_KINDS = """
    SELECT participant_id, kind FROM card_lab_notice
    WHERE session_id = :session_id AND over_ms IS NULL AND kind IN ('pause', 'dropped out')
"""
_STOPPED = """
    SELECT participant_id FROM card_lab_notice
    WHERE session_id = :session_id AND ((kind = 'stopped' AND text = :app) OR kind = 'ended')
"""
_ENDED = "SELECT 1 FROM card_lab_notice WHERE participant_id = :participant_id AND kind = 'ended'"
_OF_SESSION = """
    SELECT id, participant_id, kind, text, ms, over_ms FROM card_lab_notice
    WHERE session_id = :session_id ORDER BY id
"""


class Notice(NamedTuple):
    """A row of the table; times are Unix milliseconds. ``over_ms`` is None while the notice stands."""

    number: int
    participant_id: int
    kind: str
    text: str
    ms: int
    over_ms: int | None


def add(
    records: Records,
    session_id: int,
    participant_ids: Iterable[int],
    kind: str,
    ms: int,
    text: str = "",
    over_ms: int | None = None,
) -> None:
    """Adds the same notice for several participants."""
    row = {"session_id": session_id, "kind": kind, "text": text, "ms": ms, "over_ms": over_ms}
    records.write(_ADD, [{**row, "participant_id": participant_id} for participant_id in participant_ids])


def end(records: Records, participant_ids: Iterable[int], kind: str, ms: int) -> None:
    """Ends the standing notices of this kind about these participants."""
    records.write(
        _END,
        [{"participant_id": participant_id, "kind": kind, "ms": ms} for participant_id in participant_ids],
    )


def confirm(records: Records, participant_id: int, number: int, ms: int) -> None:
    """Ends a message or an answer that its participant has read. Ignores messages to others."""
    records.write(_CONFIRM, [{"participant_id": participant_id, "number": number, "ms": ms}])


def end_one(records: Records, participant_id: int, number: int, ms: int) -> None:
    """Ends one standing notice about a participant."""
    records.write(_END_ONE, [{"participant_id": participant_id, "number": number, "ms": ms}])


def latest_notices(records: Records, participant_id: int, kind: str, limit: int) -> list[Notice]:
    """Returns at most ``limit`` notices of this kind about a participant, the latest first."""
    rows = records.rows(_LATEST, participant_id=participant_id, kind=kind, limit=limit)
    return [Notice(*row) for row in rows]


def standing_notices(records: Records, participant_id: int) -> list[Notice]:
    """Returns the standing notices about a participant, in order."""
    return [Notice(*row) for row in records.rows(_STANDING, participant_id=participant_id)]


def standing_since_ms(records: Records, participant_id: int, kind: str) -> int | None:
    """Returns the start of a participant's standing notice of this kind, Unix milliseconds, or None."""
    notices = standing_notices(records, participant_id)
    return next((notice.ms for notice in notices if notice.kind == kind), None)


def standing_kinds(records: Records, session_id: int) -> dict[int, set[str]]:
    """Returns the kinds of standing pauses and dropouts in a session, by participant id."""
    kinds: dict[int, set[str]] = defaultdict(set)
    for participant_id, kind in records.rows(_STANDING_KINDS, session_id=session_id):
        kinds[participant_id].add(kind)
    return dict(kinds)


def stopped_participants(records: Records, session_id: int, app: str) -> set[int]:
    """Returns the ids of the participants who play no more hands of an app.

    They chose to stop in it, or the researcher has ended the study for them.
    """
    return {participant_id for (participant_id,) in records.rows(_STOPPED, session_id=session_id, app=app)}


def has_been_ended(records: Records, participant_id: int) -> bool:
    """Returns whether the researcher has ended the study for a participant."""
    return bool(records.rows(_ENDED, participant_id=participant_id))


def notices_of_session(records: Records, session_id: int) -> list[Notice]:
    """Returns all notices of a session, in order."""
    return [Notice(*row) for row in records.rows(_OF_SESSION, session_id=session_id)]
