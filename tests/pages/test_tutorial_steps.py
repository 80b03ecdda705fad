"""Tests the steps of the instructions as read from the practice board's record."""

from __future__ import annotations

from cardlab.exports.tables import step_cells
from cardlab.games.events import TUTORIAL_STEP, Event, server_note
from cardlab.games.record import Opening, write_event, write_opening
from cardlab.games.ttt import board, rules

DEAL = "2H 3H 2C 4C 3C 4H | 2H | ck"
BEGUN = 1_700_000_000_000  # ms


def acted(number: int, action: str, after_ms: int, accepted: bool = True) -> str:
    reason = "" if accepted else "It is not allowed."
    return write_event(Event(number, board.SEAT, action, after_ms, BEGUN + after_ms, accepted, reason))


def done(name: str, after_ms: int) -> str:
    return write_event(Event(None, board.SEAT, f"{TUTORIAL_STEP}{name}", after_ms, BEGUN + after_ms, None))


def opened(after_ms: int) -> str:
    return write_opening(Opening(DEAL, rules.DEFAULT_OPTIONS, shown_ms=BEGUN + after_ms))


def test_each_step_has_attempts_and_seconds():
    record = [
        opened(0),
        acted(1, "pick c", 800),  # no attempt: the card was not dropped on a place
        acted(1, "T", 1_000, accepted=False),
        acted(1, "C", 2_000),
        done("exchange", 2_100),
        write_event(server_note(board.SEAT, "reconnect", BEGUN + 3_000)),
        acted(2, "P", 4_000),
        opened(5_000),  # restarted: earlier attempts count
        acted(1, "C", 6_000),
        acted(2, "T", 7_000),
        done("number", 7_350),
        done("exchange", 8_000),  # reported twice
    ]
    cells = list(step_cells(rules, record))
    assert cells == [
        ["exchange", "2023-11-14T22:13:22.100Z", 2.1, 2, 1],
        ["number", "2023-11-14T22:13:27.350Z", 5.25, 3, 0],
    ]


def test_no_row_without_a_step():
    assert list(step_cells(rules, [])) == []
    assert list(step_cells(rules, [opened(0), acted(1, "C", 500)])) == []
