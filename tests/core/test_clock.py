"""Tests that the server's clock ignores changes of the computer's clock."""

import pytest
from record_builder import action_events, append_events, fold, opening_record

from cardlab.core.clock import Clock, Jump
from cardlab.core.protocol import Message
from cardlab.core.transitions import clock_notes, message_to_seat
from cardlab.games.record import Opening, read_record
from cardlab.games.ttt import rules

SECOND = 1_000_000_000
NOON = 1_800_000_000 * SECOND  # Unix time, ns
DEAL = "2H 3C 3H 4C 2C 4H | 2H | ck"


class Computer:
    """A computer's wall clock and monotonic clock, which the test sets and advances."""

    def __init__(self):
        self.wall, self.steady = NOON, 77 * SECOND
        self.clock = Clock(self.wall - self.steady, lambda: self.wall, lambda: self.steady)

    def pass_by(self, seconds):
        self.wall += round(seconds * SECOND)
        self.steady += round(seconds * SECOND)

    def set_wall(self, seconds):
        self.wall += round(seconds * SECOND)

    @property
    def elapsed(self):
        """Seconds since noon, by the server's clock."""
        return self.clock.now_ms() / 1000 - NOON // SECOND


@pytest.mark.parametrize("seconds", [7200, -3600])
def test_setting_the_clock_changes_no_duration(seconds):
    computer = Computer()
    computer.pass_by(3)
    computer.set_wall(seconds)
    assert computer.elapsed == 3
    computer.pass_by(4)
    assert computer.elapsed == 7
    assert computer.clock.jumps == [Jump(NOON // 1_000_000 + 3000, float(seconds))]


def test_drift_does_not_count_as_a_jump():
    computer = Computer()
    for _hour in range(24):
        computer.pass_by(3600)
        computer.set_wall(0.07)  # 20 parts in a million
        computer.clock.now_ms()
    assert computer.clock.jumps == []


def begun():
    return opening_record(Opening(DEAL, {}), 10_000)


def test_clock_jump_is_noted_once_per_open_hand():
    jumps = [Jump(12_000, 7200.0)]
    hand = fold(rules, begun())
    notes = clock_notes(hand, 12_500, jumps)
    assert [(note.action, note.server_ms, note.accepted) for note in notes] == [
        ("clock +7200.0", 12_000, None)
    ]
    record = append_events(
        rules, begun(), [*notes, *action_events(hand, "solo", Message(1, 1, "C", 2_500), 12_500)[0]]
    )
    assert clock_notes(fold(rules, record), 13_000, jumps) == []
    later = fold(rules, opening_record(Opening(DEAL, {}), 12_001))
    assert clock_notes(later, 13_000, jumps) == []


def test_a_clock_set_back_gives_no_negative_time():
    hand = fold(rules, begun())
    (note,) = clock_notes(hand, 10_000 - 3_600_000, [])
    assert (note.action, note.server_ms) == ("clock -3600.0", 10_000)
    record = append_events(rules, begun(), [note])
    hand = fold(rules, record)
    now = 10_000 - 3_599_000
    assert clock_notes(hand, now, []) == []
    assert message_to_seat(hand, "solo", 1, hand.time_at(now))["clock"] == 1_000
    record = append_events(rules, record, action_events(hand, "solo", Message(1, 1, "C", 5), 11_000)[0])
    hand = fold(rules, record)
    assert (hand.clock_behind_ms, hand.latest_ms) == (3_600_000, 11_000)
    assert [event.action for event in read_record(record)[1]] == ["clock -3600.0", "C"]
