"""Tests the waiting page: how long a participant has waited, and what follows."""

from types import SimpleNamespace

import pytest

from cardlab.pages import waiting_page
from cardlab.pages.texts import waiting_sentences


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


@pytest.mark.parametrize(
    ("per_minute", "fee", "expected"),
    [
        (0, 0, []),
        (0.2, 0, ["You are then paid €0.20 for each minute of waiting."]),
        (0, 5, ["You then receive nothing for taking part."]),
        (0.2, 5, ["You are then paid €0.20 for each minute of waiting, instead of €5.00 for taking part."]),
    ],
)
def test_pay_without_a_partner_is_stated(per_minute, fee, expected):
    config = {
        **{"gather_seconds": 60, "group_size": 2, "no_shows": "leave"},
        **{"waiting_fee_per_minute": per_minute, "participation_fee": fee},
    }
    _wait, _end, *pay = waiting_sentences(config, "")
    assert pay == expected
