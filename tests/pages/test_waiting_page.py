"""Tests how long a participant has waited at the waiting page."""

from types import SimpleNamespace

import pytest

from cardlab.pages import waiting_page


@pytest.mark.parametrize(
    ("since_ms", "expected_ms"),
    [(None, 60_000), (20_000, 20_000), (1_200_000, 60_000)],
    ids=["first poll", "waits already", "clock was set back"],
)
def test_wait_never_begins_in_the_future(monkeypatch, since_ms, expected_ms):
    monkeypatch.setattr(waiting_page, "now_ms", lambda: 60_000)
    player = SimpleNamespace(waiting_since_ms=since_ms, field_maybe_none=lambda _name: since_ms)
    waiting_page._note_presence(player)
    assert player.waiting_since_ms == expected_ms
    assert player.seen_waiting_ms == 60_000
