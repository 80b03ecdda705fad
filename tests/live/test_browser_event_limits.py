"""Tests that a browser cannot store too many events, an event twice, or one with a future time."""

import contextlib
import sqlite3

import pytest
import sqlalchemy
import without_database  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st

from cardlab.core import clock
from cardlab.games.browser_events import MAX_PER_BATCH, Batch, BrowserEvent
from cardlab.guard.rate_limits import RateLimits
from cardlab.live import browser_events
from cardlab.live.browser_events import BROWSER_EVENTS, MAX_AGE_MS
from cardlab.live.lab import LAB
from cardlab.live.presence import OpenPage, ParticipantIds
from cardlab.live.record_store import Records

SENT, NOW = 1_000_000, 1_764_000_000_000
SECONDS_OF_PLAY = 600


@pytest.fixture
def page(monkeypatch):
    """Provides a page of a session that records events, with a new database."""
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        dialect = sqlalchemy.create_engine("sqlite://").dialect
        database.execute(str(sqlalchemy.schema.CreateTable(BROWSER_EVENTS).compile(dialect=dialect)))
        monkeypatch.setattr(LAB, "records", Records(lambda: database), raising=False)
        page = OpenPage(None, ParticipantIds(3, 2, "code", "session"))
        page.events_left = 100
        yield page


def batch_of(*numbers: int, client_ms: int = SENT) -> Batch:
    return Batch("tab", SENT, [BrowserEvent(number, 5, "blur", client_ms, {}) for number in numbers])


def stored(page):
    return browser_events.events_of_participant(LAB.records, page.person.id)


def test_an_event_is_stored_once(page):
    for _again in range(2):
        assert browser_events.store(page, batch_of(1, 2)).message["kept"] is True
    assert [(row.participant_id, row.tab, row.number) for row in stored(page)] == [
        (3, "tab", 1),
        (3, "tab", 2),
    ]


def test_rows_of_a_participant_are_limited(page):
    page.events_left = 3
    for first in (1, 3, 5):
        assert browser_events.store(page, batch_of(first, first + 1)).message["kept"] is True
    assert [row.number for row in stored(page)] == [1, 2, 3]


def test_events_of_a_minute_are_limited(monkeypatch):
    now = 0.0
    monkeypatch.setattr(LAB, "rate_limits", RateLimits(clock=lambda: now), raising=False)
    page = OpenPage(None, ParticipantIds(3, 2, "code", "session"))
    events = [[number, 5, "blur", SENT, {}] for number in range(1, MAX_PER_BATCH + 1)]
    accepted = 0
    while now < SECONDS_OF_PLAY:
        batch = browser_events.accept(page, {"tab": "tab", "now": SENT, "events": events})
        accepted += len(batch.events)
        now += 0.5
    assert accepted == pytest.approx(120 + SECONDS_OF_PLAY, abs=2)


def test_paths_of_a_minute_are_limited(monkeypatch):
    now = 0.0
    monkeypatch.setattr(LAB, "rate_limits", RateLimits(clock=lambda: now), raising=False)
    page = OpenPage(None, ParticipantIds(3, 2, "code", "session"))
    path = "0,0" + " 1,1" * 400
    accepted = 0
    while now < SECONDS_OF_PLAY:
        events = [[1, 5, "pointer", SENT, {"hz": 10, "path": path}]]
        batch = browser_events.accept(page, {"tab": "tab", "now": SENT, "events": events})
        accepted += sum(len(event.details["path"]) for event in batch.events)
        now += 1
    assert accepted <= 20_000 + 2000 * SECONDS_OF_PLAY / 60
    assert accepted > 2000 * SECONDS_OF_PLAY / 60


def test_paths_are_stored_only_where_wanted(page):
    batch = Batch("tab", SENT, [BrowserEvent(1, 5, "pointer", SENT, {"hz": 5, "path": "1,1"})])
    browser_events.store(page, batch)
    assert stored(page) == []
    page.keeps_paths = True
    browser_events.store(page, batch)
    assert [row.event for row in stored(page)] == ["pointer"]


@given(st.integers(-(10**12), 10**12))
def test_times_are_neither_future_nor_long_past(age_ms):
    cells = browser_events._cells(BrowserEvent(1, 5, "blur", SENT - age_ms, {}), SENT, NOW)
    assert NOW - MAX_AGE_MS <= cells["ms"] <= NOW
    if 0 <= age_ms <= MAX_AGE_MS:
        assert cells["ms"] == NOW - age_ms
