"""The simulated computer: its clocks and random numbers. Install it before you import anything else."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

BEGIN_NS = 1_800_000_000 * 10**9


@dataclass
class Machine:
    """The clocks, in nanoseconds; ``set_wall_clock`` changes only the wall clock."""

    steady_ns: int = 10**12
    ahead_ns: int = BEGIN_NS - 10**12  # the wall clock's lead over the steady clock

    def pass_ms(self, ms: float) -> None:
        self.steady_ns += int(ms * 1e6)

    def set_wall_clock(self, seconds: float) -> None:
        self.ahead_ns += int(seconds * 1e9)

    @property
    def wall_ns(self) -> int:
        return self.steady_ns + self.ahead_ns


class Computer:
    """Provides the values behind ``time``, ``os`` and ``random`` after :func:`install`."""

    machine = Machine()
    chance = random.Random(0)


def install() -> None:
    """Replaces clocks and random numbers in all modules that are imported from now on."""
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
