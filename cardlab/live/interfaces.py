"""The interface through which the hand service learns which seats are connected."""

from __future__ import annotations

from typing import Protocol


class Connections(Protocol):
    """The connections to hands."""

    def connected_seats(self, hand: str) -> set[str]:
        """Returns the seats at a hand whose participants are connected."""

    def silent_seats(self, hand: str) -> set[str]:
        """Returns the seats at a hand whose browsers have missed too many pings."""

    def last_seen_ms(self, participant_code: str) -> int:
        """Returns when a participant was last connected, Unix milliseconds."""

    def record_changed(self, hand: str) -> None:
        """Called when a record has changed; from a page, before its commit and from its thread."""


class NoConnections:
    """The connections of a server without clients."""

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
