"""Who takes oTree's one lock when: a move waits for no more than the page that is being made.

oTree makes one page after another under its lock, and whoever asks for one queues up there. Where two hundred
play, a dozen pages are asked for at any moment, and a move would wait for all of them. So pages queue before
the lock: only one of them has it or waits for it, and the moves that have come meanwhile are next.

Of the pages that one seat asks for, or one address, only one queues at a time. So a client that asks for a
hundred delays each of the others by one page at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from weakref import WeakValueDictionary

REQUESTER: ContextVar[str] = ContextVar(
    "asked_by", default=""
)  # whose page is made; "" has no queue of its own


WITHOUT_LOCK: ContextVar[bool] = ContextVar("without_lock", default=False)  # whether this request takes none


class PageQueue:
    """What oTree's pages take in the place of its lock: their turn, then the lock itself."""

    def __init__(
        self,
        lock: asyncio.Lock,
        at_the_end: Callable[[], object] = lambda: None,
    ) -> None:
        """``at_the_end`` is called under the lock after each page that was made."""
        self._lock, self._at_the_end = lock, at_the_end
        self._turn = asyncio.Lock()
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # of those who ask
        self._having: asyncio.Lock | None = None  # the queue of the page that is being made

    async def __aenter__(self) -> None:
        if WITHOUT_LOCK.get():
            return
        name = REQUESTER.get()
        own = self._queues.setdefault(name, asyncio.Lock()) if name else asyncio.Lock()
        await own.acquire()
        try:
            await self._turn.acquire()
            try:
                await self._lock.acquire()
            except BaseException:
                self._turn.release()
                raise
        except BaseException:
            own.release()
            raise
        self._having = own

    async def __aexit__(self, failed: object, *_error: object) -> None:
        if WITHOUT_LOCK.get():
            return
        try:
            if not failed:
                self._at_the_end()
        finally:
            having, self._having = self._having, None
            self._lock.release()
            self._turn.release()
            having.release()
