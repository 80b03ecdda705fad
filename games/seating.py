"""Who plays with whom. Knows nothing of oTree; participants are numbers."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence


def planned(
    seed: str, participants: Sequence[int], size: int, playing: Collection[int] = ()
) -> list[tuple[int, ...]]:
    """Groups of ``size``, drawn by the seed; the last is smaller if the number does not divide.

    A group of which some are ``playing`` already, since they were put together with others, has come to
    nothing: its other members are drawn anew among their like, into full groups alone.
    """
    groups = _drawn(seed, participants, size)
    whole = [group for group in groups if not set(group) & set(playing)]
    rest = {member for group in groups if group not in whole for member in group} - set(playing)
    return whole + [group for group in _drawn(f"{seed}, again", rest, size) if len(group) == size]


def _drawn(seed: str, participants: Collection[int], size: int) -> list[tuple[int, ...]]:
    drawn = random.Random(seed).sample(sorted(participants), len(participants))
    return [tuple(drawn[start : start + size]) for start in range(0, len(drawn), size)]


def next_group(
    groups: Sequence[tuple[int, ...]], waiting: Mapping[int, float], size: int, patience: float
) -> tuple[int, ...]:
    """The next group to begin, of those who wait; empty if all go on waiting.

    ``groups`` are the planned ones and ``waiting`` says how many seconds each has waited. A planned group
    begins when it is complete. Who has waited for ``patience`` seconds (0: without end) is put together
    with whoever else waits, the longest first; with fewer than ``size`` the group is not full.
    """
    for group in groups:
        if all(member in waiting for member in group):
            return group
    if patience and any(seconds >= patience for seconds in waiting.values()):
        return tuple(sorted(waiting, key=lambda member: -waiting[member])[:size])
    return ()


def ready(
    groups: Sequence[tuple[int, ...]], waiting: Mapping[int, float], size: int, patience: float
) -> dict[int, int]:
    """How many are ready of the group that each of those who wait is to be in, where :func:`next_group` finds
    none: of the planned group; of all who wait, once somebody is to be put together with whoever there is.
    """
    given_up = patience and any(seconds >= patience for seconds in waiting.values())
    there = {member: sum(other in waiting for other in group) for group in groups for member in group}
    all_there = len(waiting) if given_up else 1
    return {member: min(size, max(all_there, there.get(member, 1))) for member in waiting}
