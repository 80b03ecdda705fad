"""Tests the seats that a server keeps ready for hand sockets."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.live import seat

CLOCK = [0.0]  # seconds


@dataclass(frozen=True)
class PreparedSeat:
    participant_code: str
    page_index: int


@pytest.fixture
def prepare(monkeypatch):
    """Provides prepared seats without a database, and a function that prepares one by code and page."""
    monkeypatch.setattr(seat, "MAX_SEATS", 3)
    monkeypatch.setattr(seat, "seat_of_player", lambda _page, player: PreparedSeat(*player))
    monkeypatch.setattr(seat, "config_of", lambda _player: {})
    monkeypatch.setattr(seat, "_choices", lambda _config: {})
    monkeypatch.setattr(seat, "time", SimpleNamespace(monotonic=lambda: CLOCK[0]))
    CLOCK[0] = 1000.0
    page = SimpleNamespace(row=lambda player: player, opening=lambda _player: "an opening")
    seats = seat.PreparedSeats()
    return seats, lambda code, index: seats.prepare(page, (code, index))


def test_only_latest_seats_are_kept(prepare):
    seats, show_page = prepare
    for code, index in [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("d", 1)]:
        show_page(code, index)
    kept = [prepared.seat for prepared in seats._seats.values()]
    assert kept == [PreparedSeat("c", 1), PreparedSeat("a", 2), PreparedSeat("d", 1)]


def test_seats_of_earlier_pages_are_dropped(prepare):
    seats, show_page = prepare
    show_page("a", 1)
    CLOCK[0] += seat.PREPARED_SECONDS
    show_page("b", 1)
    assert list(seats._seats) == ["a", "b"]
    CLOCK[0] += 1
    show_page("b", 2)
    assert list(seats._seats) == ["b"]
