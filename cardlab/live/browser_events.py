"""Stores what participants' browsers report: hidden pages, lost focus, sizes, heartbeats and the like.

A page sends its events in batches (``_static/cardlab/browser_events.js``), and resends a batch until it is
confirmed. The primary key prevents duplicates. Browsers are not trusted: events that are not declared in
:mod:`cardlab.games.browser_events`, or exceed the limits of rate and number, are dropped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy
from otree.database import AnyModel, session_scope
from otree.models import Participant

from cardlab.core import clock
from cardlab.games.browser_events import POINTER, Batch, BrowserEvent, read_batch
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.table_columns import owner_column

if TYPE_CHECKING:
    from cardlab.live.presence import OpenPage
    from cardlab.live.record_store import Records

MAX_BATCH_LENGTH = 8000  # characters of a message with events
MAX_EVENTS = 20_000  # rows of one participant; more are dropped
MAX_AGE_MS = 24 * 60 * 60 * 1000  # of an event that the page kept while it had no connection

BROWSER_EVENTS = sqlalchemy.Table(
    "card_lab_browser_event",
    AnyModel.metadata,
    sqlalchemy.Column(
        "participant_id", sqlalchemy.ForeignKey("otree_participant.id", ondelete="CASCADE"), primary_key=True
    ),
    sqlalchemy.Column("tab", sqlalchemy.String(20), primary_key=True),
    sqlalchemy.Column("number", sqlalchemy.Integer, primary_key=True, autoincrement=False),
    owner_column("session"),
    sqlalchemy.Column("page", sqlalchemy.Integer, nullable=False),  # its index
    sqlalchemy.Column("event", sqlalchemy.String(20), nullable=False),
    sqlalchemy.Column("details", sqlalchemy.Text, nullable=False),  # JSON
    sqlalchemy.Column("client_ms", sqlalchemy.BigInteger, nullable=False),  # Unix, by the browser's clock
    sqlalchemy.Column("ms", sqlalchemy.BigInteger, nullable=False),  # the same, by the server's clock
)

_COUNT = "SELECT count(*) FROM card_lab_browser_event WHERE participant_id = :participant_id"
_ADD = """
    INSERT INTO card_lab_browser_event
        (participant_id, tab, number, session_id, page, event, details, client_ms, ms)
    VALUES (:participant_id, :tab, :number, :session_id, :page, :event, :details, :client_ms, :ms)
    ON CONFLICT (participant_id, tab, number) DO NOTHING
"""
_OF_PARTICIPANT = """
    SELECT participant_id, tab, number, page, event, details, client_ms, ms
    FROM card_lab_browser_event WHERE participant_id = :participant_id ORDER BY ms, tab, number
"""


class StoredEvent(NamedTuple):
    """A row of the table; times are in Unix milliseconds, ``page`` is the index of the page."""

    participant_id: int
    tab: str
    number: int
    page: int
    event: str
    details: str
    client_ms: int
    ms: int


def accept(open_page: OpenPage, fields: dict[str, Any]) -> Batch | None:
    """Returns the events of a message that may be stored; None if the message has none."""
    batch = read_batch(fields)
    if batch is None:
        return None
    return batch._replace(events=[event for event in batch.events if _is_within_rate(open_page, event)])


def _is_within_rate(open_page: OpenPage, event: BrowserEvent) -> bool:
    limits, code = LAB.rate_limits, open_page.person.code
    if event.event == POINTER and limits.seat_paths.delay(code, len(event.details["path"])) is None:
        return False
    return limits.seat_events.delay(code) is not None


def store(open_page: OpenPage, batch: Batch) -> Answer:
    """Stores events if the session records them; the answer confirms the batch."""
    person, now_ms = open_page.person, clock.now_ms()
    if open_page.events_left is None:
        open_page.events_left, open_page.keeps_paths = _read_limits(open_page)
    events = [event for event in batch.events if event.event != POINTER or open_page.keeps_paths]
    events = events[: max(0, open_page.events_left)]
    open_page.events_left -= len(events)
    same = {"participant_id": person.id, "session_id": person.session_id, "tab": batch.tab}
    LAB.records.write(_ADD, [{**same, **_cells(event, batch.sent_ms, now_ms)} for event in events])
    return Answer({"standings": {}, "kept": True})


def _read_limits(open_page: OpenPage) -> tuple[int, bool]:
    """Returns how many more events may be stored for a participant, and whether paths may be."""
    with session_scope():
        config = Participant.objects_get(id=open_page.person.id).session.config
    if not config.get("browser_events"):
        return 0, False
    ((count,),) = LAB.records.rows(_COUNT, participant_id=open_page.person.id)
    return MAX_EVENTS - int(count), bool(config.get("pointer_path_hz"))


def _cells(event: BrowserEvent, sent_ms: int, now_ms: int) -> dict[str, Any]:
    age_ms = min(max(0, sent_ms - event.client_ms), MAX_AGE_MS)
    details = json.dumps(event.details, separators=(",", ":"))
    return {**event._asdict(), "details": details, "ms": now_ms - age_ms}


def events_of_participant(records: Records, participant_id: int) -> list[StoredEvent]:
    """Returns all events of a participant, in order of time."""
    return [StoredEvent(*row) for row in records.rows(_OF_PARTICIPANT, participant_id=participant_id)]
