"""The participants of one or several sessions, playing at the same time."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.pace import ACTION, READING, Pace
from cardlab.rehearsal.participant import Participant, is_hand, is_waiting

YOUNG_OBJECTS, MIDDLE_AGED, NEVER = 700, 10, 10**6  # thresholds of the garbage collector: no full collection


class Room(NamedTuple):
    """How they play: at a human pace or as fast as they can, by a seed, arriving within so many seconds."""

    human: bool
    seed: str
    arrive: float
    figures: Figures
    answers: Answers
    action: float = ACTION  # seconds that one takes, in the mean, and a page or a step to be read
    reading: float = READING

    def participant(self, number: int, link: str) -> Participant:
        chance = Random(f"{self.seed}, rehearsed participant {number}")
        pace = Pace(self.human, chance, self.action, self.reading)
        return Participant(number, link, pace=pace, chance=chance, answers=self.answers, figures=self.figures)

    async def play(self, links: Sequence[str], seconds: float | None = None) -> None:
        """Plays all participants of the start links, to the end or for so many seconds."""
        # Full collections would pause all participants, up to 100 ms, which would count as the server's time.
        gc.freeze()
        gc.set_threshold(YOUNG_OBJECTS, MIDDLE_AGED, NEVER)
        people = [self.participant(number, link) for number, link in enumerate(links, 1)]
        tasks = [
            asyncio.ensure_future(self._come(one, self.arrive * place / len(people)))
            for place, one in enumerate(people)
        ]
        _done, playing = await asyncio.wait(tasks, timeout=seconds)
        while playing:  # who was just about to end something may not have heard it
            for task in playing:
                task.cancel()
            _done, playing = await asyncio.wait(playing, timeout=1)
        await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    async def _come(participant: Participant, after: float) -> None:
        await asyncio.sleep(after)
        await participant.walk()


async def learnt(link: str, seed: str) -> Answers:
    """What is right in the comprehension check, as one participant finds out who tries and goes no further
    than to the first hand. Nobody counts or measures that one."""
    scout = Room(False, seed, 0.0, Figures(), Answers())
    await scout.participant(0, link).walk(stops=lambda page: is_hand(page) or is_waiting(page))
    return scout.answers
