"""Schedules of simulated faults: the parts that both worlds share, and the shrinking of failing schedules.

A schedule is a list of steps of a few bytes each: what happens, to whom and how. It follows from its seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic  # the real clock, imported before a simulated one replaces it

SHRINKING_SECONDS = 120


@dataclass
class Outcome:
    """The result of one schedule: steps, counts of events, and the failure, "" if there was none."""

    steps: int = 0
    tallies: Counter[str] = field(default_factory=Counter)
    failure: str = ""
    story: list[str] = field(default_factory=list)


Schedule = list[bytes]
Play = Callable[[str, Schedule], Outcome]  # takes a seed, which also chooses the session, and a schedule


def draw(seed: str, steps: int, width: int) -> Schedule:
    """Returns the schedule of a seed: ``steps`` steps of ``width`` bytes each."""
    content = random.Random(seed).randbytes(steps * width)
    return [content[place : place + width] for place in range(0, len(content), width)]


def shrink(play: Play, seed: str, schedule: Schedule, seconds: float = SHRINKING_SECONDS) -> Schedule:
    """Returns a shorter schedule that still fails, by leaving out chunks of decreasing size.

    In the result no single step can be left out, unless the time limit is reached first.
    """
    deadline = monotonic() + seconds
    outcome = play(seed, schedule)
    schedule = schedule[: outcome.steps]  # steps after the failure do not matter
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
