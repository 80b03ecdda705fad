"""Tests who counts as present at a waiting page."""

from __future__ import annotations

import pytest
import without_database  # noqa: F401

from cardlab.groups import waiting_room
from cardlab.groups.waiting_room import (
    RELOADING_MS,
    SILENT_MS,
    Attempt,
    LastSeen,
    ParticipantState,
    Status,
    WaitingRoom,
)
from cardlab.live.presence import Presence

NOW_MS, PAGE = 1_000_000, 3


def is_here(seen_ms: float, is_connected: bool, page: int = PAGE) -> bool:
    person = ParticipantState(1, 1, "abcd1234", False, page, None, PAGE, False, is_connected)
    return WaitingRoom(Presence()).is_here(person, {1: LastSeen(0, seen_ms)}, PAGE, NOW_MS)


@pytest.mark.parametrize(("is_connected", "limit_ms"), [(True, SILENT_MS), (False, RELOADING_MS)])
def test_participant_is_here_until_silent(is_connected, limit_ms):
    assert is_here(NOW_MS - limit_ms + 1, is_connected)
    assert not is_here(NOW_MS - limit_ms, is_connected)


def test_participant_seen_in_the_future_may_be_gone():
    assert is_here(NOW_MS + 50, True)  # another server's clock is a little ahead
    assert not is_here(NOW_MS + SILENT_MS, True)


def test_future_request_is_not_on_the_way():
    """The clock was set back by an hour before the server started."""
    waiting = ParticipantState(1, 1, "abcd1234", False, PAGE, NOW_MS // 1000, PAGE, False, True)
    asked = waiting._replace(requested_s=NOW_MS // 1000 + 3600)
    room = WaitingRoom(Presence())
    assert room.is_on_the_way(waiting, {}, PAGE + 1, NOW_MS)
    assert not room.is_on_the_way(asked, {}, PAGE + 1, NOW_MS)


def test_loading_page_is_on_the_way():
    opened = ParticipantState(1, 1, "abcd1234", False, PAGE, NOW_MS // 1000, PAGE, False, True)
    room = WaitingRoom(Presence())
    assert room.is_on_the_way(opened, {}, PAGE, NOW_MS)
    assert not room.is_on_the_way(opened, {}, PAGE, NOW_MS + RELOADING_MS)
    assert not room.is_on_the_way(opened, {1: LastSeen(0, NOW_MS)}, PAGE, NOW_MS)
    assert not room.is_on_the_way(opened._replace(grouped=True), {}, PAGE, NOW_MS)


def test_participant_on_another_page_is_not_here():
    assert not is_here(NOW_MS, True, page=PAGE + 1)


def test_status_survives_drop_in_another_thread(monkeypatch):
    """A page that makes another attempt drops the old one while a poll of it is answered."""
    room = WaitingRoom(Presence())
    room.cache_attempt(1, Attempt(NOW_MS, {5: Status(1, 2)}))
    monkeypatch.setattr(waiting_room, "now_ms", lambda: room.drop_expired(1, NOW_MS) or NOW_MS)
    assert room.status(1, 5) == Status(1, 2)
    assert room.status(1, 5) is None
