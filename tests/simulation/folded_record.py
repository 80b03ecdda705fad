"""Folds a record line by line as it is committed, without a cache, and checks each line."""

from __future__ import annotations

from collections import Counter

from cardlab.core.record_chain import RecordLine, chain
from cardlab.games.contract import Rules
from cardlab.games.events import UNSEARCHED, Event
from cardlab.games.hand import Hand
from cardlab.games.record import is_opening_line, read_event, read_opening


class FoldedRecord:
    """Folds a hand on disk line by line without a cache."""

    def __init__(self, rules: Rules, name: str) -> None:
        self.rules, self.name = rules, name
        self.lines = 0
        self.digest = ""
        self.hand: Hand | None = None
        self.stood: list[Hand] = []  # after each line since the queue was last served
        self.accepted: Counter[tuple[str, int]] = Counter()  # by seat and client milliseconds
        self.is_unsearched = False  # whether the robot's next action has no search
        self.searched: list[tuple[str, str]] = []  # the questions to the engine, with the actions played

    def take(self, lines: list[RecordLine]) -> None:
        """Folds and checks the new lines on disk. Earlier lines must be unchanged."""
        assert len(lines) >= self.lines, f"{self.name} has lost lines"
        if len(lines) == self.lines:
            assert not lines or lines[-1].digest == self.digest, f"{self.name} was changed"
            return
        for line in lines[self.lines :]:
            (written,) = chain(self.name, self.digest, [line.text])
            assert written == line, f"{self.name}: a line does not follow the one before"
            self.digest = line.digest
            if is_opening_line(line.text):
                assert self.hand is None, f"{self.name} began twice"
                self.hand = Hand(self.rules, read_opening(line.text))
            else:
                self.event(read_event(line.text))
            self.stood.append(self.hand)
        self.lines = len(lines)

    def event(self, event: Event) -> None:
        assert event.server_ms >= self.hand.latest_ms, "the clock of a record went back"
        if event.accepted:
            assert event.end_outcome or self.hand.paused_ms is None, f"{event} while {self.name} stands still"
            assert event.number == self.hand.next_number, f"{self.name}: a number is missing, or there twice"
            self.note_search(event)
            if event.client_ms and event.seat:
                self.accepted[event.seat, event.client_ms] += 1
                assert self.accepted[event.seat, event.client_ms] == 1, f"{event} was accepted twice"
        self.is_unsearched = event.action == UNSEARCHED
        self.hand = self.hand.after(event)

    def note_search(self, event: Event) -> None:
        """Notes a robot's action with its engine question; "" for an action without a search."""
        question = self.hand.engine_questions.get(event.seat) if event.seat in self.hand.robots else None
        if question and self.rules.forced_action(self.hand.state) is None:
            self.searched.append((question, "" if self.is_unsearched else event.action))
