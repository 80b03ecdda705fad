"""Tests when a participant was last connected, and when they count as absent."""

from __future__ import annotations

import without_database  # noqa: F401

from cardlab.core import clock
from cardlab.groups.waiting_room import ParticipantState, WaitingRoom
from cardlab.live.presence import OpenPage, Presence
from cardlab.live.presence import ParticipantIds as Participant

CONFIG = {"gone_after_seconds": 30}
PAGE = 7  # index of the waiting page
READING = ParticipantState(1, 1, "code", False, 3, 0, None, None, None)


def test_last_moment_of_a_connection_is_kept(monkeypatch):
    now = clock.STARTED_MS + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    presence = Presence()
    one, other = (OpenPage(None, Participant(1, 1, "code", "session")) for _page in range(2))
    assert presence.last_seen_ms("code") == clock.STARTED_MS
    presence.join(one)
    presence.join(other)
    presence.leave(one)
    now += 5000
    assert presence.last_seen_ms("code") == now
    presence.leave(other)
    now += 5000
    presence.leave(one)  # leaving twice changes nothing
    assert presence.last_seen_ms("code") == now - 5000


def is_gone(person: ParticipantState, seconds: float) -> bool:
    """Returns whether the participant counts as absent so many seconds after the server's start."""
    return WaitingRoom(Presence()).is_gone(person, CONFIG, PAGE, clock.STARTED_MS + round(1000 * seconds))


def test_participants_may_reconnect_after_a_server_restart():
    assert not is_gone(READING, 29)
    assert is_gone(READING, 31)


def test_a_request_counts_as_a_connection():
    asked = READING._replace(requested_s=clock.STARTED_MS / 1000 + 20)
    assert not is_gone(asked, 49)
    assert is_gone(asked, 51)


def test_a_request_in_the_future_is_no_connection():
    """The computer's clock was set back by an hour before the server started."""
    asked = READING._replace(requested_s=clock.STARTED_MS / 1000 + 3600)
    assert not is_gone(asked, 29)
    assert is_gone(asked, 31)


def test_only_participants_before_matching_count_as_gone():
    assert is_gone(READING._replace(page=PAGE), 31)
    assert not is_gone(READING._replace(page=0), 31)
    assert not is_gone(READING._replace(page=PAGE + 1), 31)
    assert not is_gone(READING._replace(page=PAGE, waiting_page=PAGE, grouped=True), 31)
    assert not is_gone(READING._replace(is_bot=True), 31)
