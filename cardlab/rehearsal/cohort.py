"""The participants of one or several sessions, who play at the same time."""

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

GC_THRESHOLDS = 700, 10, 10**6  # for gc.set_threshold: practically never a full collection


class Cohort(NamedTuple):
    """The parameters of simulated participants, who play at the same time.

    ``human`` selects human pace, ``seed`` seeds all random draws, and all arrive within ``arrive`` seconds.
    ``action`` and ``reading`` are the mean seconds for an action, and for a page or a step of instructions.
    ``participant_class`` says how they play.
    """

    human: bool
    seed: str
    arrive: float
    figures: Figures
    answers: Answers
    action: float = ACTION
    reading: float = READING
    participant_class: type[Participant] = Participant

    def participant(self, number: int, link: str) -> Participant:
        """Creates the participant of a start link."""
        random = Random(f"{self.seed}, rehearsed participant {number}")
        pace = Pace(self.human, random, self.action, self.reading)
        return self.participant_class(number, link, pace, random, self.answers, self.figures)

    async def play(self, links: Sequence[str], seconds: float | None = None) -> None:
        """Plays the participants of the start links, until they finish or ``seconds`` have passed."""
        # A full collection pauses all participants for up to 100 ms, which would count as the server's time.
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        tasks = [
            asyncio.ensure_future(self._arrive(self.participant(number, link), (number - 1) / len(links)))
            for number, link in enumerate(links, 1)
        ]
        await end_within(tasks, seconds)

    async def _arrive(self, participant: Participant, share: float) -> None:
        await asyncio.sleep(self.arrive * share)
        await participant.run()


async def end_within(tasks: Sequence[asyncio.Future[None]], seconds: float | None) -> list[Exception]:
    """Waits until all tasks end, cancels them after ``seconds``, and returns the exceptions they raised."""
    _done, pending = await asyncio.wait(tasks, timeout=seconds)
    while pending:  # a task that was just ending may have missed the first cancellation
        for task in pending:
            task.cancel()
        _done, pending = await asyncio.wait(pending, timeout=1)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    return [result for result in results if isinstance(result, Exception)]


async def scout_answers(link: str, seed: str) -> Answers:
    """Finds the answers of the comprehension check with one participant, who stops at the first hand."""
    scout = Cohort(False, seed, 0.0, Figures(), Answers())
    await scout.participant(0, link).run(stops_at=lambda page: is_hand(page) or is_waiting(page))
    return scout.answers
