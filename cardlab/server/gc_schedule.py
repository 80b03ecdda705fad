"""Python's search for garbage, by the clock.

What refers to itself in a circle is not thrown away when it is needed no more: Python looks for it, among
what is new whenever more has come than has gone, and now and then among all that there is. While it looks
nobody is served. On a server that is played on as much goes as comes, so what is new has become a lot by
then: 57,000 things, 45 ms, fifteen times a minute.

So the server looks itself: often among what is new, which takes a millisecond, and once a minute among all.
"""

from __future__ import annotations

import asyncio
import gc

AMONG_THE_NEW = 0.2  # seconds from one look to the next
AMONG_ALL = 300  # looks among the new to one among all: a minute

YOUNGEST, ALL = 0, 2  # Python's own numbers


def begin() -> None:
    """Look so from now on. What is there when the server starts stays, and is never looked at."""
    gc.collect()
    gc.freeze()
    gc.disable()
    _look(asyncio.get_running_loop(), 1)


def _look(loop: asyncio.AbstractEventLoop, number: int) -> None:
    gc.collect(YOUNGEST if number % AMONG_ALL else ALL)
    loop.call_later(AMONG_THE_NEW, _look, loop, number + 1)
