"""What the hand service needs of the store, the clock and the connections."""

from __future__ import annotations

from typing import Protocol

from cardlab.core.clock import Jump
from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine


class Records(Protocol):
    """Keeps records; :class:`cardlab.live.record_store.Records` is one implementation."""

    def end(self, hand: str) -> RecordEnd:
        """Returns the end of a hand's record."""

    def end_and_page(self, key: HandKey) -> tuple[RecordEnd, int] | None:
        """Returns the end of a record and its participant's page index; None without participant."""

    def lines(self, hand: str) -> list[RecordLine]:
        """Returns all lines of a hand's record."""

    def append(self, key: HandKey, end: RecordEnd, lines: list[RecordLine]) -> None:
        """Appends lines to the record with this end; fails if it has another."""

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        """Adds a sentence to the session's comment."""

    def commit(self) -> None:
        """Commits what was added."""

    def rollback(self) -> bool:
        """Discards what was added; returns whether the connection was lost and replaced."""


class Clock(Protocol):
    """Tells the time, and when it jumped."""

    jumps: list[Jump]

    def now_ms(self) -> int:
        """Returns Unix milliseconds."""


class Connections(Protocol):
    """Knows who is connected to which hand."""

    def connected_seats(self, hand: str) -> set[str]:
        """Returns the seats at a hand whose participants are connected."""

    def silent_seats(self, hand: str) -> set[str]:
        """Returns the seats at a hand whose browsers have sent nothing for some seconds."""

    def last_seen_ms(self, participant_code: str) -> int:
        """Returns when a participant was last connected, Unix milliseconds."""

    def record_changed(self, hand: str) -> None:
        """Called when a page has written a record, which is committed with the page."""


class NoConnections:
    """Nobody is connected."""

    def connected_seats(self, hand: str) -> set[str]:
        """Returns no seat."""
        return set()

    def silent_seats(self, hand: str) -> set[str]:
        """Returns no seat."""
        return set()

    def last_seen_ms(self, participant_code: str) -> int:
        """Returns 0: never."""
        return 0

    def record_changed(self, hand: str) -> None:
        """Does nothing."""
