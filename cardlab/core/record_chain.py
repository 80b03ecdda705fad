"""A record as it is kept: its lines, each with a digest of all the lines up to it.

So whoever remembers a hand knows by one look at the last line whether it still stands so on disk (a rollback
can leave two records of one length), and a line that is not as it was written is found when it is read.
Knows nothing of oTree or of databases.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple


class Key(NamedTuple):
    """A hand, its session, and the participant who looks at it."""

    hand: str
    session_id: int
    participant_id: int


class End(NamedTuple):
    """The end of a record: the number of its last line and the digest of all; a hand not begun has none."""

    lines: int = 0
    digest: str = ""


class Line(NamedTuple):
    """A line of a record, and the digest of all lines up to it."""

    text: str
    digest: str


def chain(hand: str, digest: str, texts: Iterable[str]) -> list[Line]:
    """Lines that follow the one with this digest ("" if none)."""
    chained = []
    for text in texts:
        digest = blake2b(f"{digest or hand}\n{text}".encode(), digest_size=16).hexdigest()
        chained.append(Line(text, digest))
    return chained
