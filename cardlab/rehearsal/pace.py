"""Simulates how long participants think and read."""

import asyncio
from random import Random

ACTION = 3.0  # seconds that a person takes for an action, on average
READING = 10.0  # seconds for a page or a step of the instructions, on average
SPREAD = 0.5  # standard deviation of the logarithm


class Pace:
    """Waits as long as a person would, or not at all, and adds up that time in ``thought`` (seconds).

    Args:
        human: Whether to wait.
        random: Draws the durations.
        action: Mean seconds for an action.
        reading: Mean seconds for a page or a step of the instructions.
    """

    def __init__(self, human: bool, random: Random, action: float = ACTION, reading: float = READING) -> None:
        self.human, self.thought = human, 0.0
        self._random, self._action, self._reading = random, action, reading
        self._resumed = asyncio.Event()
        self._resumed.set()

    def set_paused(self, paused: bool) -> None:
        """Pauses or resumes the participant, like the researcher's pause."""
        (self._resumed.clear if paused else self._resumed.set)()

    @property
    def paused(self) -> bool:
        """Whether the researcher has paused the participant."""
        return not self._resumed.is_set()

    async def wait_while_paused(self) -> None:
        """Waits until the participant is not paused."""
        await self._resumed.wait()

    async def think(self) -> None:
        """Waits for the time of an action."""
        await self._wait(self._action)

    async def read(self) -> None:
        """Waits for the reading time of a page."""
        await self._wait(self._reading)

    async def _wait(self, mean: float) -> None:
        seconds = mean * self._random.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)
        self.thought += seconds
        if self.human:
            await asyncio.sleep(seconds)
        await self.wait_while_paused()
