"""Makes the clocks of a process run faster, for rehearsals in accelerated time.

Python runs this file at the start of every process that has its folder in PYTHONPATH, so that a server and
all its processes agree on the time without a change in the program. The variable CARD_LAB_FAST_TIME has the
factor, and the Unix time at which the acceleration began: ``20 1764312345.0``.

Clocks and waits are accelerated; ``time.perf_counter``, which measures the program's speed, is not.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable
from typing import Any

VARIABLE = "CARD_LAB_FAST_TIME"


def run_fast(factor: int, began: float) -> None:
    """Replaces the clocks, and the functions that wait for a time."""
    wall, steady, steady_ns, sleep = time.time, time.monotonic, time.monotonic_ns, time.sleep
    select, wait = selectors.DefaultSelector.select, threading.Condition.wait

    def fast_select(self: Any, timeout: float | None = None) -> Any:
        return select(self, timeout / factor if timeout else timeout)

    def fast_wait(self: Any, timeout: float | None = None) -> Any:
        return wait(self, timeout / factor if timeout else timeout)

    def fast_time() -> float:
        return began + (wall() - began) * factor

    replacements: dict[tuple[Any, str], Callable[..., Any]] = {
        (time, "time"): fast_time,
        (time, "time_ns"): lambda: int(1e9 * fast_time()),
        (time, "monotonic"): lambda: steady() * factor,
        (time, "monotonic_ns"): lambda: steady_ns() * factor,
        (time, "sleep"): lambda seconds: sleep(seconds / factor),
        (selectors.DefaultSelector, "select"): fast_select,  # asyncio waits in it
        (threading.Condition, "wait"): fast_wait,
    }
    for (owner, name), replacement in replacements.items():
        setattr(owner, name, replacement)


if VARIABLE in os.environ:
    _factor, _began = os.environ[VARIABLE].split()
    run_fast(int(_factor), float(_began))
