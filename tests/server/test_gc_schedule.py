"""Tests that reference cycles are collected while the server runs, new and old ones."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from cardlab.server import gc_schedule


class Circle:
    """Is a reference cycle that needs the garbage collector."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def searched_as_usual():
    yield
    gc.enable()


@pytest.mark.parametrize("age", [0, 1, 2])
def test_reference_cycles_are_collected(monkeypatch, age):
    monkeypatch.setattr(gc_schedule, "INTERVAL", 0)
    monkeypatch.setattr(gc_schedule, "MIDDLE_EVERY", 3)
    monkeypatch.setattr(gc_schedule, "FULL_INTERVAL", 0.01 if age == 2 else 3600)

    async def throw_away() -> None:
        gc_schedule.begin()
        circle = Circle()
        reference = weakref.ref(circle)
        for generation in range(age):
            gc.collect(generation)
        del circle
        while reference():
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(throw_away(), 20))


class FakeLoop:
    """An event loop whose clock is set, and which stores the last call instead of making it later."""

    now, arguments = 100.0, ()

    def time(self) -> float:
        return self.now

    def call_later(self, _seconds: float, _callback: object, *arguments: float) -> None:
        self.arguments = arguments


@pytest.mark.parametrize(("seconds", "pause"), [(0.02, 60), (0.8, 800)])
def test_slow_full_collections_are_rare(monkeypatch, seconds, pause):
    loop, generations = FakeLoop(), []

    def collect(generation: int) -> None:
        generations.append(generation)
        loop.now += seconds

    monkeypatch.setattr(gc_schedule.gc, "collect", collect)
    monkeypatch.setattr(gc_schedule, "thread_time", lambda: loop.now)
    gc_schedule._collect(loop, 50, 200.0)
    gc_schedule._collect(*loop.arguments)
    gc_schedule._collect(*loop.arguments[:2], 100.0)
    assert generations == [1, 0, 2]
    assert loop.arguments[2] == pytest.approx(loop.now + pause)


def test_automatic_collections_are_disabled(monkeypatch):
    monkeypatch.setattr(gc_schedule, "INTERVAL", 3600)
    looked = []
    gc.callbacks.append(lambda phase, _info: looked.append(phase))

    async def fill() -> None:
        gc_schedule.begin()
        looked.clear()
        kept = [[number] for number in range(200_000)]
        assert len(kept) == 200_000

    asyncio.run(fill())
    gc.callbacks.pop()
    assert looked == []
