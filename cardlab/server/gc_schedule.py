"""Runs the garbage collector on a timer.

Python runs it by itself whenever more objects have been made than freed. On a busy server the youngest
generation has 57,000 objects by then: each automatic collection paused the event loop for 45 ms, fifteen
times a minute. So automatic collections are disabled, the objects of the start are frozen, the youngest
generation is collected every 0.2 s, which takes a millisecond, and everything once a minute.
"""

from __future__ import annotations

import asyncio
import gc

INTERVAL = 0.2  # seconds between two collections
FULL = 300  # collections, of which one is full: once a minute

YOUNGEST, ALL = 0, 2  # generations, as Python numbers them


def begin() -> None:
    """Start the timer, in the event loop. What is there when the server starts is never collected."""
    gc.collect()
    gc.freeze()
    gc.disable()
    _collect(asyncio.get_running_loop(), 1)


def _collect(loop: asyncio.AbstractEventLoop, number: int) -> None:
    gc.collect(YOUNGEST if number % FULL else ALL)
    loop.call_later(INTERVAL, _collect, loop, number + 1)
