"""Who takes oTree's one lock when: a move waits for no more than the page that is being made.

oTree makes one page after another under its lock, and whoever asks for one queues up there. Where two hundred
play, a dozen pages are asked for at any moment, and a move would wait for all of them. So pages queue before
the lock: only one of them has it or waits for it, and the moves that have come meanwhile are next.
"""

from __future__ import annotations

import asyncio


class PagesInTurn:
    """What oTree's pages take in the place of its lock: their turn, then the lock itself."""

    def __init__(self, lock: asyncio.Lock) -> None:
        self._lock = lock
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._turn.acquire()
        try:
            await self._lock.acquire()
        except BaseException:
            self._turn.release()
            raise

    async def __aexit__(self, *_error: object) -> None:
        self._lock.release()
        self._turn.release()
