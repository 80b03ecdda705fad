"""The lines of a record as they are stored, each with a digest of all lines up to it.

The digest of the last line shows whether a cached hand is still the one on disk (a rollback can leave two
records of one length). A line that was altered is found when the record is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple


class HandKey(NamedTuple):
    """The names of a hand, its session, and the participant whose client it is."""

    hand: str
    session_id: int
    participant_id: int


class RecordEnd(NamedTuple):
    """The end of a record: the number of its last line and the digest of all; a hand not begun has none."""

    lines: int = 0
    digest: str = ""


class RecordLine(NamedTuple):
    """A line of a record, and the digest of all lines up to it."""

    text: str
    digest: str


def chain(hand: str, digest: str, texts: Iterable[str]) -> list[RecordLine]:
    """Returns the lines that follow the one with this digest ("" if none)."""
    chained = []
    for text in texts:
        digest = blake2b(f"{digest or hand}\n{text}".encode(), digest_size=16).hexdigest()
        chained.append(RecordLine(text, digest))
    return chained
