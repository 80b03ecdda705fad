"""How fast a simulated participant acts."""

from __future__ import annotations

import asyncio
from random import Random

ACTION = 3.0  # seconds that a person takes for an action, in the mean
READING = 10.0  # and for a page, or a step of the instructions
SPREAD = 0.5  # standard deviation of the logarithm


class Pace:
    """Human: takes the time. Else it only adds up, in ``thought``, what a person would have taken.

    ``action`` and ``reading`` are the means, in seconds.
    """

    def __init__(self, human: bool, chance: Random, action: float = ACTION, reading: float = READING) -> None:
        self.human, self.thought = human, 0.0
        self._chance, self._action, self._reading = chance, action, reading
        self._going = asyncio.Event()
        self._going.set()

    def stand(self, paused: bool) -> None:
        """Do nothing more while the researcher has paused the participant."""
        (self._going.clear if paused else self._going.set)()

    @property
    def paused(self) -> bool:
        return not self._going.is_set()

    async def going(self) -> None:
        """Until no pause holds the participant up."""
        await self._going.wait()

    async def act(self) -> None:
        await self._take(self._action)

    async def read(self) -> None:
        await self._take(self._reading)

    async def _take(self, mean: float) -> None:
        seconds = mean * self._chance.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)
        self.thought += seconds
        if self.human:
            await asyncio.sleep(seconds)
        await self.going()
