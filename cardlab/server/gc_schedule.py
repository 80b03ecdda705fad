"""Runs the garbage collector on a timer.

On a busy server each automatic collection examined 57,000 young objects and paused the event loop for 45 ms,
fifteen times a minute. So automatic collection is disabled, and the objects that exist at the start are
frozen. The youngest generation is collected every 0.2 s, which takes a millisecond, and the middle one every
10 s. A full collection takes 0.8 s with a thousand participants. So the more CPU time the last one took, the
later the next one is.
"""

from __future__ import annotations

import asyncio
import gc
from time import thread_time

INTERVAL = 0.2  # seconds between two collections
MIDDLE_EVERY = 50  # every 50th collection includes the middle generation
FULL_INTERVAL = 60.0  # minimum number of seconds between two full collections
FULL_SHARE = 0.001  # maximum share of a core that full collections may take

YOUNGEST, MIDDLE, ALL = 0, 1, 2  # Python's generations


def begin() -> None:
    """Starts the timer in the event loop, and freezes all existing objects."""
    gc.collect()
    gc.freeze()
    gc.disable()
    loop = asyncio.get_running_loop()
    _collect(loop, 1, loop.time() + FULL_INTERVAL)


def _collect(loop: asyncio.AbstractEventLoop, number: int, next_full: float) -> None:
    if loop.time() < next_full:
        gc.collect(YOUNGEST if number % MIDDLE_EVERY else MIDDLE)
    else:
        began = thread_time()
        gc.collect(ALL)
        next_full = loop.time() + max(FULL_INTERVAL, (thread_time() - began) / FULL_SHARE)
    loop.call_later(INTERVAL, _collect, loop, number + 1, next_full)
