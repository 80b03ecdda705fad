"""Tests which requests share a batch, and which are answered when something fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import pytest
import without_database  # noqa: F401

from cardlab.live import group_commit
from cardlab.live.batch import Answer
from cardlab.live.group_commit import GroupCommit


class FakeService:
    """A service that records the batches that it commits."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.error: Exception | None = None

    def commit_batch(self, handlers: list[Callable[[], Answer]]) -> list[Answer]:
        if self.error:
            raise self.error
        answers = [handler() for handler in handlers]
        self.batches.append([answer.message["who"] for answer in answers])
        return answers

    @property
    def committed(self) -> list[str]:
        return [who for batch in self.batches for who in batch]


class Queue:
    """Wraps a group commit whose lock the test controls."""

    def __init__(self) -> None:
        self.service, self.lock = FakeService(), asyncio.Lock()
        self.group_commit = GroupCommit(self.service, self.lock)

    def submit(self, who: str, is_move: bool = False, sender: str = "") -> asyncio.Task:
        answer = Answer({"who": who})
        return asyncio.ensure_future(
            self.group_commit.submit(
                lambda: answer,
                lambda answered: answered.message["who"],
                sender,
                **({"is_move": True} if is_move else {}),
            )
        )


@pytest.fixture
def queue() -> Queue:
    return Queue()


async def settle() -> None:
    for _step in range(5):
        await asyncio.sleep(0)


def run(scene: Coroutine[None, None, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 20))  # a request without an answer would wait forever


def test_waiting_requests_share_one_commit(queue):
    async def play() -> None:
        assert await asyncio.gather(queue.submit("move", True), queue.submit("arrival")) == [
            "move",
            "arrival",
        ]

    run(play())
    assert queue.service.batches == [["move", "arrival"]]


def test_moves_wait_for_the_current_page(queue):
    async def play() -> None:
        await queue.lock.acquire()
        requests = [queue.submit("arrival"), *(queue.submit(f"move {number}", True) for number in (1, 2))]
        await settle()
        assert queue.service.batches == []
        queue.lock.release()
        assert await asyncio.gather(*requests) == ["arrival", "move 1", "move 2"]

    run(play())
    assert queue.service.batches == [["arrival", "move 1", "move 2"]]


def test_a_cancelled_request_is_dropped(queue):
    async def play() -> None:
        await queue.lock.acquire()
        arrival = queue.submit("arrival")
        await settle()
        arrival.cancel()
        await settle()
        queue.lock.release()
        await queue.submit("move", True)

    run(play())
    assert queue.service.committed == ["move"]


def test_reconnecting_hundreds_block_neither_moves_nor_pages(queue):
    async def play() -> None:
        await queue.lock.acquire()
        arrivals = [queue.submit(f"arrival {number}") for number in range(250)]
        await settle()
        queue.lock.release()
        for _page in range(5):
            before = len(queue.service.committed)
            async with queue.lock:
                assert len(queue.service.committed) - before <= 2 * group_commit.MAX_NON_MOVES_PER_BATCH
            assert await queue.submit("move", True) == "move"
        assert len(queue.service.committed) < 250
        assert await asyncio.gather(*arrivals) == [f"arrival {number}" for number in range(250)]

    run(play())
    assert [who for who in queue.service.committed if who != "move"] == [
        f"arrival {number}" for number in range(250)
    ]


def test_a_batch_takes_all_moves_and_some_others(queue, monkeypatch):
    monkeypatch.setattr(group_commit, "MAX_NON_MOVES_PER_BATCH", 2)

    async def play() -> None:
        await queue.lock.acquire()
        arrivals = [queue.submit(f"arrival {number}") for number in range(1, 4)]
        moves = [queue.submit(f"move {number}", True) for number in range(1, 5)]
        await settle()
        queue.lock.release()
        await asyncio.gather(*arrivals, *moves)

    run(play())
    moves = [f"move {number}" for number in range(1, 5)]
    assert queue.service.batches == [["arrival 1", "arrival 2", *moves], ["arrival 3"]]


def test_many_tabs_of_one_participant_take_turns(queue):
    async def play() -> None:
        await queue.lock.acquire()
        own = [queue.submit(f"own {number}", number % 2 == 0, "hostile") for number in range(1, 6)]
        others = [queue.submit(f"other {number}", True, f"other {number}") for number in range(1, 4)]
        await settle()
        queue.lock.release()
        await asyncio.gather(*own, *others)

    run(play())
    others = [f"other {number}" for number in range(1, 4)]
    assert queue.service.batches == [["own 1", "own 2", *others], ["own 3", "own 4"], ["own 5"]]


def test_nothing_is_committed_for_cancelled_requests(queue):
    async def play() -> None:
        await queue.lock.acquire()
        arrival = queue.submit("arrival")
        await settle()
        arrival.cancel()
        await settle()
        queue.lock.release()
        await settle()

    run(play())
    assert queue.service.batches == []


def test_failing_response_does_not_affect_others(queue, monkeypatch):
    monkeypatch.setattr(group_commit, "MAX_NON_MOVES_PER_BATCH", 1)

    def broken(_answer):
        raise ValueError("broken")

    async def play() -> None:
        await queue.lock.acquire()
        fails = asyncio.ensure_future(queue.group_commit.submit(lambda: Answer({"who": "broken"}), broken))
        goes, stays = queue.submit("goes"), queue.submit("stays")
        await settle()
        goes.cancel()
        await settle()
        queue.lock.release()
        assert await stays == "stays"
        with pytest.raises(ValueError, match="broken"):
            await fails

    run(play())
    assert queue.service.committed == ["broken", "stays"]


def test_every_request_is_answered_when_the_service_fails(queue):
    async def play() -> None:
        queue.service.error = OSError("the disk is gone")
        answers = [
            asyncio.ensure_future(queue.group_commit.submit(dict, lambda answer: answer)) for _ in "12"
        ]
        assert await asyncio.gather(*answers) == [queue.service.error] * 2
        queue.service.error = None
        assert await queue.submit("move", True) == "move"

    run(play())
