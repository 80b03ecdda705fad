"""Schedules of simulated faults: what both worlds have in common, and the search for the shortest that fails.

A schedule is a list of steps, each a few bytes: what happens, to whom and how. It follows from its seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic  # of this computer, before one is simulated

SHRINKING_SECONDS = 120


@dataclass
class Outcome:
    """What one schedule did: how many steps, what happened how often, and why it failed, "" if it did not."""

    steps: int = 0
    tallies: Counter[str] = field(default_factory=Counter)
    failure: str = ""
    story: list[str] = field(default_factory=list)


Schedule = list[bytes]
Play = Callable[[str, Schedule], Outcome]  # of a seed, which also chooses the session, and a schedule


def draw(seed: str, steps: int, width: int) -> Schedule:
    """Returns the schedule of a seed: so many steps of ``width`` bytes each."""
    content = random.Random(seed).randbytes(steps * width)
    return [content[place : place + width] for place in range(0, len(content), width)]


def shrink(play: Play, seed: str, schedule: Schedule, seconds: float = SHRINKING_SECONDS) -> Schedule:
    """Returns a part of a failing schedule that fails, too: chunks are left out as long as it still fails.

    Every step can be left out alone, unless the time is over before that.
    """
    deadline = monotonic() + seconds
    outcome = play(seed, schedule)
    schedule = schedule[: outcome.steps]  # what comes after the failure does not matter
    size = len(schedule) // 2
    while size:
        place, shorter = 0, False
        while place < len(schedule) and monotonic() < deadline:
            candidate = schedule[:place] + schedule[place + size :]
            outcome = play(seed, candidate)
            if outcome.failure:
                schedule, shorter = candidate[: outcome.steps], True
            else:
                place += size
        if monotonic() >= deadline:
            break
        size = size if shorter and size == 1 else size // 2
    return schedule
