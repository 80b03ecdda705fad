"""The simulated event loop: asyncio's own queue and timers, where the world runs one callback at a time.

Between two callbacks the world may let an event happen, like a network; its callback is queued last. Jobs for
threads wait in a list and run one after the other when no callback is ready.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from functools import partial
from typing import Any

from simulated_machine import Computer


class SimulatedLoop(asyncio.BaseEventLoop):
    """An event loop that uses the simulated clock."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[tuple[asyncio.Future[Any], Callable[[], Any]]] = []
        self.errors: list[str] = []
        self.set_exception_handler(self._note_error)
        asyncio._set_running_loop(self)

    def _note_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.errors.append(f"{context['message']}: {type(error).__name__}: {error}")

    def time(self) -> float:
        return Computer.machine.steady_ns / 1e9

    def _write_to_self(self) -> None:
        """Does nothing, because the loop never sleeps."""

    def run_in_executor(self, _executor: Any, call: Callable[..., Any], *arguments: Any) -> Any:
        future = self.create_future()
        self.jobs.append((future, partial(call, *arguments)))
        return future

    def is_idle(self) -> bool:
        return not self._ready and not self.jobs

    def turn(self) -> bool:
        """Runs the next callback, or the first job if there is none; returns whether anything ran."""
        while self._scheduled and self._scheduled[0]._when <= self.time():
            timer = heapq.heappop(self._scheduled)
            timer._scheduled = False
            if not timer._cancelled:
                self._ready.append(timer)
        if self._ready:
            handle = self._ready.popleft()
            if not handle._cancelled:
                handle._run()
            return True
        if self.jobs:
            self.run_job()
            return True
        return False

    def run_job(self) -> None:
        """Runs the oldest job, as a thread would."""
        future, job = self.jobs.pop(0)
        asyncio._set_running_loop(None)
        try:
            result, error = job(), None
        except BaseException as raised:  # noqa: BLE001 it is raised where the result is awaited
            result, error = None, raised
        finally:
            asyncio._set_running_loop(self)
        if not future.cancelled():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
