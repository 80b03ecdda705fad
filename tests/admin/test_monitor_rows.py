"""Tests the cells of rows on the Progress tab."""

from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.admin import monitor_rows
from cardlab.admin.monitor_rows import ParticipantRow, Position, seconds_inactive
from cardlab.core import clock

NOW, BACK = 1_800_000_000_000, 3_600_000  # the time, and how far the clock was set back, ms


@pytest.mark.parametrize(
    ("page_since", "acted", "behind", "seconds"),
    [
        (-60, None, 0, 60),
        (-60, -20_000, 0, 20),
        (-60, 200, 0, 30),  # before the change is noted in the hand
        (-60, BACK - 20_000, BACK, 20),
        (3_000, None, 0, 30),
        (3_000, BACK - 20_000, BACK, 20),
    ],
)
def test_inactive_seconds_after_clock_is_back(monkeypatch, page_since, acted, behind, seconds):
    monkeypatch.setattr(monitor_rows.clock, "now_ms", lambda: NOW)
    monkeypatch.setattr(clock, "STARTED_MS", NOW - 30_000)
    person = ParticipantRow(1, 1, "code", None, True, 3, 9, "app", "Hand", NOW // 1000 + page_since, 0, "")
    seat = SimpleNamespace(last_acted_ms=acted and NOW + acted)
    hand = SimpleNamespace(seats={"solo": seat}, clock_behind_ms=behind)
    position = Position("code", 3, "app", SimpleNamespace(name="solo"), False, "", "", 1)
    assert seconds_inactive(person, position, hand) == seconds
