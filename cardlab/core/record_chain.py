"""The stored lines of a record, each with a digest of all lines up to it.

The last digest shows whether a cached hand matches the disk, because after a rollback two records can have
the same length. Digests also reveal altered lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cardlab.row_chain import next_digest


class HandKey(NamedTuple):
    """The ids of a hand, its session, and the participant whose client it is."""

    hand: str
    session_id: int
    participant_id: int


class RecordEnd(NamedTuple):
    """The end of a record: the number of its lines and the last digest; 0 and "" before it begins."""

    lines: int = 0
    digest: str = ""


class RecordLine(NamedTuple):
    """A line of a record, and the digest of all lines up to it."""

    text: str
    digest: str


def chain(hand: str, digest: str, texts: Iterable[str]) -> list[RecordLine]:
    """Returns the record lines of ``texts``, which follow the line with this digest ("" for the first)."""
    chained = []
    for text in texts:
        digest = next_digest(digest or hand, text)
        chained.append(RecordLine(text, digest))
    return chained
