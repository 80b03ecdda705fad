"""The server's clock, which does not jump when the computer's clock is set.

It is the wall clock at the server's start plus the monotonic clock. A jump of the computer's clock does not
change it, and is noted in the records. oTree's time limits use this clock, too
(``cardlab.server.otree_patches``).
"""

from __future__ import annotations

import os
import time as system
from collections.abc import Callable
from typing import NamedTuple

ORIGIN_VARIABLE = "CARD_LAB_CLOCK"
"""Names the environment variable that gives all processes of a server the same clock: the nanoseconds to add
to the monotonic clock."""

MIN_JUMP_MS = 1000  # smaller changes against the monotonic clock are drift


class Jump(NamedTuple):
    """A change of the computer's clock: when (Unix milliseconds), and by how many ``seconds`` it moved."""

    ms: int
    seconds: float


class Clock:
    """A monotonic clock with the offset ``origin_ns``; ``wall`` and ``steady`` return nanoseconds."""

    def __init__(
        self,
        origin_ns: int,
        wall: Callable[[], int] = system.time_ns,
        steady: Callable[[], int] = system.monotonic_ns,
    ) -> None:
        self._origin_ns, self._wall, self._steady = origin_ns, wall, steady
        self._ahead_ms = self._wall_is_ahead(steady())
        self.jumps: list[Jump] = []

    def _wall_is_ahead(self, steady_ns: int) -> float:
        return (self._wall() - self._origin_ns - steady_ns) / 1e6

    def now_ms(self) -> int:
        """Returns Unix time in milliseconds. Records a jump of the wall clock."""
        steady_ns = self._steady()
        now, ahead = (self._origin_ns + steady_ns) // 1_000_000, self._wall_is_ahead(steady_ns)
        if abs(ahead - self._ahead_ms) > MIN_JUMP_MS:
            self.jumps.append(Jump(now, round((ahead - self._ahead_ms) / 1000, 1)))
        self._ahead_ms = ahead
        return now


def _origin_ns() -> int:
    """Returns the offset of the server's clock; the environment passes it to subprocesses."""
    offset_ns = system.time_ns() - system.monotonic_ns()
    return int(os.environ.setdefault(ORIGIN_VARIABLE, str(offset_ns)))


SERVER = Clock(_origin_ns())


def now_ms() -> int:
    """Returns the server's Unix time in milliseconds."""
    return SERVER.now_ms()


def time() -> float:
    """Returns the server's Unix time in seconds. For oTree's time limits this module replaces ``time``."""
    return now_ms() / 1000


def past_ms(seconds: float | None, now: float) -> float:
    """Returns a stored Unix time, in ``seconds``, in milliseconds; 0 for None, and for a time after ``now``.

    ``now`` is in Unix milliseconds. A later time was stored before somebody set the computer's clock back
    while the server was stopped. How long ago it was is unknown.
    """
    ms = 1000 * (seconds or 0)
    return ms if ms <= now else 0


STARTED_MS = now_ms()  # when this server was started
