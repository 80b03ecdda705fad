"""The server's clock, which never runs backwards when somebody sets the computer's clock.

Durations within one run of the server follow the monotonic clock; the wall clock is read once, at the start.
When the computer's clock is set, the server's clock goes on as before and notes the jump for the records.
oTree's own time limits use this clock, too (``cardlab.server.otree_patches``).
"""

from __future__ import annotations

import os
import time as system
from collections.abc import Callable
from typing import NamedTuple

ORIGIN_VARIABLE = "CARD_LAB_CLOCK"
"""Names the variable by which the processes of one server tell the same time: what is to be added to the
monotonic clock, which all of a computer's processes share, in nanoseconds."""

MIN_JUMP_MS = 1000  # what the wall clock gains or loses between two looks at it, if it has been set


class Jump(NamedTuple):
    """A change of the computer's clock: by how many seconds (negative if set back), and when."""

    ms: int
    seconds: float


class Clock:
    """A clock that runs on from ``origin_ns``; ``wall`` and ``steady`` give nanoseconds."""

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
    """Returns the origin of this process's server; the environment passes it to subprocesses."""
    own = system.time_ns() - system.monotonic_ns()
    return int(os.environ.setdefault(ORIGIN_VARIABLE, str(own)))


SERVER = Clock(_origin_ns())


def now_ms() -> int:
    """Returns Unix time in milliseconds, by the server's clock."""
    return SERVER.now_ms()


def time() -> float:
    """Returns Unix time in seconds; this module replaces ``time`` where oTree computes time limits."""
    return now_ms() / 1000


STARTED_MS = now_ms()  # when this server was started
