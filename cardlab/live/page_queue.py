"""A fair queue in front of oTree's global lock, so that a move waits for at most one page.

oTree renders pages one by one under its lock. With 200 participants about a dozen page requests are pending
at any time, and a move would wait for all of them. So pages queue in front of the lock: at most one of them
holds or awaits it, and moves that arrive meanwhile come next.

Only one page of each seat or address is in the queue at a time, so a client that requests a hundred pages
delays each of the others by at most one page.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from weakref import WeakValueDictionary

REQUESTER: ContextVar[str] = ContextVar("requester", default="")  # the seat or address of this request
WITHOUT_LOCK: ContextVar[bool] = ContextVar("without_lock", default=False)  # whether it needs no lock


class PageQueue:
    """Replaces oTree's lock for pages. ``after_page`` is called under the lock after each rendered page."""

    def __init__(self, lock: asyncio.Lock, after_page: Callable[[], object] = lambda: None) -> None:
        self._lock, self._after_page = lock, after_page
        self._turn = asyncio.Lock()
        self._requester_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._held_requester_locks: list[asyncio.Lock] = []  # of the page that is being rendered

    @asynccontextmanager
    async def hold_between_pages(self) -> AsyncIterator[None]:
        """Holds the lock for other work, in turn with the pages, so that moves come first."""
        async with self._turn, self._lock:
            yield

    async def __aenter__(self) -> None:
        if WITHOUT_LOCK.get():
            return
        name = REQUESTER.get()
        requester_lock = self._requester_locks.setdefault(name, asyncio.Lock()) if name else asyncio.Lock()
        await requester_lock.acquire()
        try:
            await self._turn.acquire()
            try:
                await self._lock.acquire()
            except BaseException:
                self._turn.release()
                raise
        except BaseException:
            requester_lock.release()
            raise
        self._held_requester_locks.append(requester_lock)

    async def __aexit__(self, failed: object, *_error: object) -> None:
        if WITHOUT_LOCK.get():
            return
        try:
            if not failed:
                self._after_page()
        finally:
            requester_lock = self._held_requester_locks.pop()
            self._lock.release()
            self._turn.release()
            requester_lock.release()
