"""Plays hands step by step as the server does, for random sessions.

Their records are made by the functions that the hand socket and the pages call: no server, no database.
"""

from __future__ import annotations

import random
from types import ModuleType
from typing import NamedTuple

from record_builder import (
    Record,
    action_events,
    append_events,
    closing_events,
    due_events,
    fold,
    leaving_events,
    opening_record,
)

from cardlab.core.protocol import Message
from cardlab.games.events import Event
from cardlab.games.record import Opening

CREATED_MS = 1_795_183_200_123  # 20 November 2026, 14:00 UTC
# Texts that are not moves, or that could be mistaken for something else in a table.
WORDS = ["=1+1", "'keep", "+", "@x", 'a,"b"', "end completed", "leave advanced", "reconnect", "place 99"]


class Table:
    """A hand, played step by step as the server does; the test provides the clock and the random numbers."""

    def __init__(self, rules: ModuleType, opening: Opening, now_ms: int | None, chance: random.Random):
        self.rules, self.chance = rules, chance
        self.record = opening_record(opening, now_ms)
        self.now = now_ms or CREATED_MS + 5_000
        if now_ms:
            self.add([])  # forced first moves and robots' moves happen when the hand is shown

    @property
    def hand(self):
        return fold(self.rules, self.record)

    def add(self, events: list[Event]) -> None:
        self.record = append_events(self.rules, self.record, events)
        self.record = append_events(self.rules, self.record, due_events(self.hand, self.now))

    def wait(self, seconds: float) -> None:
        self.now += int(1000 * seconds)
        self.add([])

    def note(self, seat: str, action: str) -> None:
        self.add([Event(None, seat, action, None, self.now, None)])

    def send_action(self, seat: str, action: str, off: int = 0) -> None:
        """Sends an action from the seat's browser, whose clock is up to 300 ms off."""
        place = self.hand.seats[seat]
        ms = max(0, self.now - (self.hand.shown_ms or self.now) + self.chance.randint(-300, 300))
        message = Message(1, max(0, place.next_number + off), action, ms)
        self.add(action_events(self.hand, seat, message, self.now)[0])

    def leave(self, seat: str, outcome: str = "advanced") -> None:
        self.add(leaving_events(self.hand, seat, outcome, self.now))

    def close(self, outcome: str) -> None:
        """Ends a single-player hand, unless it is over."""
        self.record = append_events(self.rules, self.record, closing_events(self.hand, outcome, self.now))


class Played(NamedTuple):
    """A hand's record, and its participants' numbers by seat."""

    record: Record
    seated: dict[str, int]
