"""What the hand service needs to know of connections."""

from __future__ import annotations

from typing import Protocol


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
    """Stands for a server without connections."""

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
