"""Tests the order in which pages and moves take oTree's lock."""

from __future__ import annotations

import asyncio

import pytest

from cardlab.live.page_queue import REQUESTER, PageQueue


class Queue:
    """Records the order in which requests held the lock."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.pages = PageQueue(self.lock)
        self.served: list[str] = []
        self.may_end = asyncio.Event()

    def page(self, name: str, asked_by: str = "") -> asyncio.Task:
        REQUESTER.set(asked_by)  # the new task inherits it
        return asyncio.ensure_future(self._under(self.pages, name))

    def move(self, name: str) -> asyncio.Task:
        return asyncio.ensure_future(self._under(self.lock, name))

    async def _under(self, lock, name: str) -> None:
        async with lock:
            self.served.append(name)
            await self.may_end.wait()


async def turn() -> None:
    for _step in range(5):
        await asyncio.sleep(0)


def test_a_move_waits_for_one_page():
    async def scenario() -> list[str]:
        queue = Queue()
        everybody = []
        for ask, name in [(queue.page, "1"), (queue.page, "2"), (queue.page, "3"), (queue.move, "move")]:
            everybody.append(ask(name))
            await turn()
        queue.may_end.set()
        await asyncio.gather(*everybody)
        return queue.served

    assert asyncio.run(scenario()) == ["1", "move", "2", "3"]


@pytest.mark.parametrize("who", [1, 2], ids=["who waits for the lock", "who waits for a turn"])
def test_a_cancelled_request_blocks_nobody(who):
    async def scenario() -> list[str]:
        queue = Queue()
        everybody = [queue.move("move")]
        for name in ("1", "2", "3"):
            await turn()
            everybody.append(queue.page(name))
        await turn()
        everybody[who].cancel()
        await turn()
        queue.may_end.set()
        await asyncio.gather(*everybody, return_exceptions=True)
        return queue.served

    assert asyncio.run(scenario()) == ["move", *(name for name in "123" if int(name) != who)]


def test_error_in_a_page_frees_the_queue():
    async def scenario() -> bool:
        queue = Queue()
        with pytest.raises(ValueError, match="broken"):
            async with queue.pages:
                raise ValueError("broken")
        async with queue.pages:
            return queue.lock.locked()

    assert asyncio.run(scenario())


def test_a_flood_delays_others_by_one_page():
    async def scenario() -> list[str]:
        queue = Queue()
        everybody = [queue.page("flood", "one seat") for _ in range(100)]
        await turn()
        everybody += [queue.page("other", f"seat {number}") for number in range(3)]
        everybody += [queue.page("admin"), queue.page("admin")]
        await turn()
        queue.may_end.set()
        await asyncio.gather(*everybody)
        assert not queue.pages._requester_locks
        return queue.served

    served = asyncio.run(scenario())
    assert served[:7] == ["flood", "other", "other", "other", "admin", "admin", "flood"]
    assert len(served) == 105


def test_a_cancelled_page_frees_its_queue():
    async def scenario() -> list[str]:
        queue = Queue()
        move = queue.move("move")
        await turn()
        pages = [queue.page(name, "one seat") for name in ("1", "2", "3")]
        await turn()
        for page in pages[:2]:
            page.cancel()
        await turn()
        queue.may_end.set()
        await asyncio.gather(move, *pages, return_exceptions=True)
        return queue.served

    assert asyncio.run(scenario()) == ["move", "3"]
