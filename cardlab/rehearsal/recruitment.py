"""A simulated recruiting service: visitors come singly and in bursts, and those who leave are replaced."""

from __future__ import annotations

import asyncio
from random import Random

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.visitor import Visitor, draw_interruptions

BURST = 10  # visitors who come at the same moment
REPLACED_AFTER = 20.0, 300.0  # seconds after a visitor has left
VISITORS_PER_PLACE = 2  # at most, so that a study in which everybody leaves ends


class Recruitment:
    """A study's places on a recruiting service, each of which is offered until somebody completes it.

    Args:
        link: The session's link for everybody.
        places: The number of completed participants wanted.
        minutes: The time in which all places are taken for the first time.
        seed: The seed of all random draws.
    """

    def __init__(
        self, link: str, places: int, minutes: float, seed: str, figures: Figures, answers: Answers
    ) -> None:
        self.visitors: list[Visitor] = []
        self._link, self._places, self._minutes, self._seed = link, places, minutes, seed
        self.figures, self._answers = figures, answers
        self._random = Random(f"{seed}, recruitment")

    async def run(self) -> None:
        """Sends visitors until all places are completed or the maximum number has come."""
        await asyncio.gather(*map(self._fill, self._arrival_times()))

    def _arrival_times(self) -> list[float]:
        """Draws the seconds at which places are taken: half one by one, half in bursts."""
        seconds, single = 60 * self._minutes, self._places // 2
        times = [self._random.uniform(0, seconds) for _place in range(single)]  # a Poisson process
        while len(times) < self._places:
            size = min(BURST, self._places - len(times))
            times += size * [self._random.uniform(0, seconds)]
        return sorted(times)

    async def _fill(self, arrives_at: float) -> None:
        await asyncio.sleep(arrives_at)
        while len(self.visitors) < VISITORS_PER_PLACE * self._places:
            visitor = self._next_visitor()
            await visitor.visit()
            if not visitor.has_left:
                return
            await asyncio.sleep(self._random.uniform(*REPLACED_AFTER))

    def _next_visitor(self) -> Visitor:
        number = len(self.visitors) + 1
        random = Random(f"{self._seed}, visitor {number}")
        interruptions = draw_interruptions(random)
        visitor = Visitor(number, self._link, random, self._answers, self.figures, interruptions)
        self.visitors.append(visitor)
        return visitor
