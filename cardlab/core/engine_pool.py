"""Where robots search: in processes beside the server's, of low priority.

A question goes out with the name of the game's module ``engine``, whose ``answer`` is called with it in a
worker; an action comes back. :mod:`cardlab.live.hand_hub` asks. Workers import this module and ``games``, and
nothing of oTree. They end with the server, however it ends.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from types import ModuleType

logger = logging.getLogger("cardlab.engine")

LAST_RESORT = 20.0  # seconds after which nobody waits for an answer any more
PUT_AGAIN = 3  # so often at most is a question put again whose worker has died
MOST = 61  # workers that Windows can wait for


def engine_of(rules: ModuleType) -> str:
    """The name of the module ``engine`` beside a game's rules."""
    return f"{rules.__name__.rpartition('.')[0]}.engine"


def answer(engine: str, question: str) -> str:
    """What the engine of this name plays; in this process, and so as slow as it is."""
    action: str = import_module(engine).answer(question)
    return action


class Engine:
    """Puts questions to workers: as many as the computer has cores, less one for the server. They are started
    when first needed."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or min(MOST, max(1, (os.cpu_count() or 1) - 1))
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None  # closed when the workers shall end

    async def search(self, engine: str, question: str) -> str | None:
        """The action that the engine plays; None if there is none in time, or it cannot answer.

        Who waits no longer cancels the search, which then ends unless a worker is at it.
        """
        try:
            return await asyncio.wait_for(self._search(engine, question), LAST_RESORT)
        except asyncio.TimeoutError:
            logger.warning("%s has found nothing in %s seconds: %s", engine, LAST_RESORT, question)
        except Exception:
            logger.exception("%s cannot answer: %s", engine, question)
        return None

    async def _search(self, engine: str, question: str) -> str:
        times = 0
        while True:
            pool = self._pool = self._pool or self._begun()
            try:
                with _without_the_program():  # a worker is started here, if one is missing
                    search = pool.submit(_answer_in_time, engine, question, LAST_RESORT)
                return await asyncio.wrap_future(search)
            except BrokenProcessPool:
                if self._pool is pool:
                    logger.warning("A process that searches has died; another one is started.")
                    self.end()
                times += 1
                if times > PUT_AGAIN:
                    raise

    def _begun(self) -> ProcessPoolExecutor:
        """A pool whose workers have the other end of the lifeline."""
        context = multiprocessing.get_context("spawn")
        other_end, self._lifeline = context.Pipe(duplex=False)
        return ProcessPoolExecutor(self.workers, context, _begin, (other_end,))

    def end(self) -> None:
        """End all workers at once. To be called at the end of the program, for Python waits for what is
        searched. (If it is killed, the system closes the lifeline.)"""
        self._pool = None
        if self._lifeline:
            self._lifeline.close()


@contextmanager
def _without_the_program() -> Iterator[None]:
    """Processes that are started meanwhile do not import the server's program, as they would to know what is
    defined in it: it imports the server, and oTree with it."""
    program, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


# In a worker.


def _begin(lifeline: Connection) -> None:
    """Let everybody else go first, and end at once with the server, not when that is told to stop: it would
    take the process for dead and start another."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.setpgid(0, 0)
        os.nice(10)
    else:
        import ctypes

        windows = ctypes.windll.kernel32
        windows.SetPriorityClass(ctypes.c_void_p(windows.GetCurrentProcess()), 0x4000)  # below normal
    threading.Thread(target=_end_with_the_server, args=(lifeline,), daemon=True).start()


def _end_with_the_server(lifeline: Connection) -> None:
    try:
        lifeline.recv()  # nothing ever comes, until the other end is closed
    finally:
        os._exit(0)


def _answer_in_time(engine: str, question: str, seconds: float) -> str:
    """The answer. A search that does not end takes its process along, which others would else wait for."""
    limit = threading.Timer(seconds, os._exit, (1,))
    limit.start()
    try:
        return answer(engine, question)
    finally:
        limit.cancel()
