"""The simulated computer: its clocks and its random numbers. Install it before anything else is imported."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

BEGIN_NS = 1_800_000_000 * 10**9


@dataclass
class Machine:
    """The clocks, in nanoseconds; somebody may set the wall clock, and a restart sets the steady one back."""

    steady_ns: int = 10**12
    ahead_ns: int = BEGIN_NS - 10**12  # of the wall clock

    def pass_ms(self, ms: float) -> None:
        self.steady_ns += int(ms * 1e6)

    def set_wall_clock(self, seconds: float) -> None:
        self.ahead_ns += int(seconds * 1e9)

    @property
    def wall_ns(self) -> int:
        return self.steady_ns + self.ahead_ns


class Computer:
    """What the functions of the modules ``time``, ``os`` and ``random`` read after :func:`install`."""

    machine = Machine()
    chance = random.Random(0)


def install() -> None:
    """Lets all modules that are imported from now on see the simulated clocks and random numbers."""
    for name, value in {
        "time_ns": lambda: Computer.machine.wall_ns,
        "time": lambda: Computer.machine.wall_ns / 1e9,
        "monotonic_ns": lambda: Computer.machine.steady_ns,
        "monotonic": lambda: Computer.machine.steady_ns / 1e9,
        "perf_counter_ns": lambda: Computer.machine.steady_ns,
        "perf_counter": lambda: Computer.machine.steady_ns / 1e9,
    }.items():
        setattr(time, name, value)
    os.urandom = lambda size: Computer.chance.randbytes(size)
    random._urandom = os.urandom
