"""Who is served when: all under oTree's lock, moves beside a page that has it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
import without_database  # noqa: F401

from cardlab.live import group_commit
from cardlab.live.group_commit import Together, served
from cardlab.live.service import Answer


class Desk:
    """A service that remembers how each was served, and what the researcher was told."""

    def __init__(self) -> None:
        self.page_writes = False
        self.served: list[tuple[str, str]] = []
        self.unsaid: list[tuple[int, str]] = []
        self.told: list[tuple[int, str]] = []

    def commit_together(self, asked: list[Callable[[], Answer]]) -> list[Answer]:
        return self._serve("under the lock", asked)

    def commit_beside_a_page(self, asked: list[Callable[[], Answer]]) -> list[Answer] | None:
        return None if self.page_writes else self._serve("beside", asked)

    def _serve(self, how: str, asked: list[Callable[[], Answer]]) -> list[Answer]:
        answers = [ask() for ask in asked]
        self.served += [(how, answer.said["who"]) for answer in answers]
        return answers

    def tell_researchers(self) -> None:
        self.told, self.unsaid = [*self.told, *self.unsaid], []


@pytest.fixture
def desk(monkeypatch) -> Desk:
    desk = Desk()
    monkeypatch.setattr(group_commit, "together", Together(desk))
    monkeypatch.setattr(group_commit, "lock2", asyncio.Lock())
    return desk


def asks(who: str, beside_a_page: bool = False) -> asyncio.Task:
    answer = Answer({"who": who})
    return asyncio.ensure_future(served(lambda: answer, lambda said: said.said["who"], beside_a_page))


async def turn() -> None:
    for _step in range(5):
        await asyncio.sleep(0)


def test_moves_are_served_beside_a_page_and_nobody_else_is(desk):
    async def play() -> None:
        await group_commit.lock2.acquire()
        arrival, moves = asks("arrival"), [asks(f"move {number}", True) for number in (1, 2)]
        await turn()
        assert desk.served == [("beside", "move 1"), ("beside", "move 2")]
        assert [move.result() for move in moves] == ["move 1", "move 2"]
        assert not arrival.done()
        group_commit.lock2.release()
        assert await arrival == "arrival"

    asyncio.run(play())
    assert desk.served[2:] == [("under the lock", "arrival")]


def test_a_move_waits_for_a_page_that_writes(desk):
    async def play() -> None:
        await group_commit.lock2.acquire()
        desk.page_writes = True
        first = asks("first", True)
        await turn()
        assert desk.served == []
        desk.page_writes = False
        assert await asks("second", True) == "second"
        assert desk.served == [("beside", "first"), ("beside", "second")]
        group_commit.lock2.release()
        assert await first == "first"

    asyncio.run(play())
    assert desk.served == [("beside", "first"), ("beside", "second")]


def test_without_a_page_all_are_served_under_the_lock(desk):
    async def play() -> None:
        assert await asyncio.gather(asks("move", True), asks("arrival")) == ["move", "arrival"]

    asyncio.run(play())
    assert desk.served == [("under the lock", "move"), ("under the lock", "arrival")]


def test_what_the_researcher_is_to_be_told_waits_for_the_page(desk):
    async def play() -> None:
        await group_commit.lock2.acquire()
        desk.unsaid.append((1, "something is wrong with a log"))
        move = asks("move", True)
        await turn()
        assert desk.served == [("beside", "move")]
        assert desk.told == []
        group_commit.lock2.release()
        assert await move == "move"

    asyncio.run(play())
    assert desk.told == [(1, "something is wrong with a log")]


def test_who_has_gone_asks_for_nothing(desk):
    async def play() -> None:
        await group_commit.lock2.acquire()
        arrival = asks("arrival")
        await turn()
        arrival.cancel()
        await turn()
        group_commit.lock2.release()
        await asks("move", True)

    asyncio.run(play())
    assert desk.served == [("under the lock", "move")]


def test_hundreds_who_connect_hold_up_neither_moves_nor_pages(desk):
    """Some are served at a time; in between a page gets the lock, and moves do not wait for the rest."""

    async def play() -> None:
        await group_commit.lock2.acquire()
        arrivals = [asks(f"arrival {number}") for number in range(250)]
        await turn()
        group_commit.lock2.release()
        for _page in range(5):
            before = len(desk.served)
            async with group_commit.lock2:
                assert len(desk.served) - before <= 2 * group_commit.MOST_ARRIVALS
            assert await asks("move", True) == "move"
        assert len(desk.served) < 250
        assert await asyncio.gather(*arrivals) == [f"arrival {number}" for number in range(250)]

    asyncio.run(play())
    assert [who for _how, who in desk.served if who != "move"] == [
        f"arrival {number}" for number in range(250)
    ]


def test_an_arrival_that_fails_or_goes_stops_no_other(desk, monkeypatch):
    monkeypatch.setattr(group_commit, "MOST_ARRIVALS", 1)

    def broken(_answer):
        raise ValueError("broken")

    async def play() -> None:
        await group_commit.lock2.acquire()
        fails = asyncio.ensure_future(served(lambda: Answer({"who": "broken"}), broken))
        goes, stays = asks("goes"), asks("stays")
        await turn()
        goes.cancel()
        await turn()
        group_commit.lock2.release()
        assert await stays == "stays"
        with pytest.raises(ValueError, match="broken"):
            await fails

    asyncio.run(play())
    assert [who for _how, who in desk.served] == ["broken", "stays"]
