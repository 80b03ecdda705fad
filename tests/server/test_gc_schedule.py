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
    monkeypatch.setattr(gc_schedule, "FULL_COLLECTION_INTERVAL", 3)

    async def throw_away() -> None:
        gc_schedule.begin()
        circle = Circle()
        reference = weakref.ref(circle)
        for _older in range(age):
            gc.collect(1)
        del circle
        while reference():
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(throw_away(), 20))


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
