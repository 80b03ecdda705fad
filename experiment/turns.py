"""Who takes oTree's one lock when: a move waits for no more than the page that is being made.

oTree makes one page after another under its lock, and whoever asks for one queues up there. Where two hundred
play, a dozen pages are asked for at any moment, and a move would wait for all of them. So pages queue before
the lock: only one of them has it or waits for it, and the moves that have come meanwhile are next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class PagesInTurn:
    """What oTree's pages take in the place of its lock: their turn, then the lock itself."""

    def __init__(
        self,
        lock: asyncio.Lock,
        at_the_beginning: Callable[[], object] = lambda: None,
        at_the_end: Callable[[], object] = lambda: None,
    ) -> None:
        """What is done under the lock, before each page and after each that was made."""
        self._lock, self._at_the_beginning, self._at_the_end = lock, at_the_beginning, at_the_end
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._turn.acquire()
        try:
            await self._lock.acquire()
        except BaseException:
            self._turn.release()
            raise
        self._at_the_beginning()

    async def __aexit__(self, failed: object, *_error: object) -> None:
        try:
            if not failed:
                self._at_the_end()
        finally:
            self._lock.release()
            self._turn.release()
