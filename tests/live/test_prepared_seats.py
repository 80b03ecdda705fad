"""Tests the seats that a server keeps ready for hand sockets."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from cardlab.live import seat


@dataclass(frozen=True)
class PreparedSeat:
    participant_code: str
    page_index: int


@pytest.fixture
def prepare(monkeypatch):
    """Prepares seats without a database: a function of a participant's code and page."""
    monkeypatch.setattr(seat, "MAX_SEATS", 3)
    monkeypatch.setattr(seat, "seat_of_player", lambda _page, player: PreparedSeat(*player))
    monkeypatch.setattr(seat, "config_of", lambda _player: {})
    monkeypatch.setattr(seat, "_choices", lambda _config: {})
    page = SimpleNamespace(row=lambda player: player, opening=lambda _player: "an opening")
    seats = seat.PreparedSeats()
    return seats, lambda code, index: seats.prepare(page, (code, index))


def test_only_latest_seats_are_kept(prepare):
    seats, show_page = prepare
    for code, index in [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("d", 1)]:
        show_page(code, index)
    assert list(seats._seats.values()) == [PreparedSeat("c", 1), PreparedSeat("a", 2), PreparedSeat("d", 1)]
