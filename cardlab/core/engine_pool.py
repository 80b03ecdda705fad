"""Runs the searches of robots in a pool of low-priority worker processes.

A worker gets a question with the name of the game's module ``engine``, and calls its ``answer``. Workers
import this module and ``games``, nothing of oTree, and end with the server, even if it is killed.

If searches are compiled, all workers start and compile with the server, because compiling may take longer
than a participant waits. Otherwise they start with the first question.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from types import ModuleType
from typing import TYPE_CHECKING

from cardlab.core import compilation

if TYPE_CHECKING:  # workers import this module, and nothing of Card Lab that they do not need
    from cardlab.games.contract import Reply, Rules

logger = logging.getLogger("cardlab.engine")

TIMEOUT_SECONDS = 20.0  # of a search
MAX_RETRIES = 3  # of a question whose worker died
MAX_WORKERS = 61  # Windows cannot wait for more


def engine_of(rules: Rules) -> str:
    """Returns the name of the module ``engine`` in the package of a game's ``rules`` module."""
    name: str = getattr(rules, "__name__", "")
    return f"{name.rpartition('.')[0]}.engine"


def answer(engine: str, question: str) -> Reply:
    """Returns the engine's answer to a question; searches in this process."""
    reply: Reply = import_module(engine).answer(question)
    return reply


class EnginePool:
    """A pool of workers, by default one fewer than the computer has cores.

    Each worker first warms up the ``engines``, which are module names.
    """

    def __init__(self, workers: int | None = None, engines: Sequence[str] = ()) -> None:
        self._engines = tuple(engines)
        self.workers = workers or min(MAX_WORKERS, max(1, (os.cpu_count() or 1) - 1))
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None  # closed to end the workers

    def start(self) -> None:
        """Starts all workers if they compile their searches; disables numba in this process."""
        compilation.keep_out_of_this_process()
        if compilation.workers_compile():
            self._pool = self._new_pool()
            with _without_main_module():
                for _worker in range(self.workers):  # each starts a worker, because none is idle yet
                    self._pool.submit(os.getpid)

    async def search(self, engine: str, question: str) -> Reply | None:
        """Returns the engine's answer; None if it fails or times out.

        Cancelling this cancels the search, unless a worker has started it.
        """
        try:
            return await asyncio.wait_for(self._search(engine, question), TIMEOUT_SECONDS)
        except asyncio.TimeoutError:
            logger.warning("%s found no answer within %s seconds: %s", engine, TIMEOUT_SECONDS, question)
        except Exception:
            logger.exception("%s cannot answer: %s", engine, question)
        return None

    async def _search(self, engine: str, question: str) -> Reply:
        times = 0
        while True:
            pool = self._pool = self._pool or self._new_pool()
            try:
                with _without_main_module():  # this may start a worker
                    search = pool.submit(_answer_in_time, engine, question, TIMEOUT_SECONDS)
                return await asyncio.wrap_future(search)
            except BrokenProcessPool:
                if self._pool is pool:
                    logger.warning("A search process ended unexpectedly. Another one is being started.")
                    self.end()
                times += 1
                if times > MAX_RETRIES:
                    raise

    def _new_pool(self) -> ProcessPoolExecutor:
        """Returns a pool whose workers hold the other end of the lifeline."""
        context = multiprocessing.get_context("spawn")
        other_end, self._lifeline = context.Pipe(duplex=False)
        engines = self._engines if compilation.workers_compile() else ()
        arguments = other_end, compilation.worker_environment(), engines
        return ProcessPoolExecutor(self.workers, context, _initialize, arguments)

    def end(self) -> None:
        """Ends all workers immediately.

        Call it at the end of the program; otherwise Python waits for the searches. If the program is killed,
        the operating system closes the lifeline.
        """
        self._pool = None
        if self._lifeline:
            self._lifeline.close()


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Prevents processes started within the block from importing the server's main module, and oTree."""
    program, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


# In a worker.


def _initialize(lifeline: Connection, environment: dict[str, str], engines: Sequence[str]) -> None:
    """Lowers the worker's priority, makes it end with the server, and warms up its engines.

    The worker ignores signals to the server's group; the server would replace a worker that ended early.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.setpgid(0, 0)
        os.nice(10)
    else:
        import ctypes

        windows = ctypes.windll.kernel32
        windows.SetPriorityClass(ctypes.c_void_p(windows.GetCurrentProcess()), 0x4000)  # below normal
    threading.Thread(target=_end_with_server, args=(lifeline,), daemon=True).start()
    os.environ.update(environment)
    for engine in engines:
        warm_up(engine)


def warm_up(engine: str) -> None:
    """Compiles and loads what an engine's first answer needs. Logs a failure."""
    try:
        import_module(engine).warm_up()
    except Exception:
        logger.exception("%s cannot be warmed up", engine)


def _end_with_server(lifeline: Connection) -> None:
    try:
        lifeline.recv()  # blocks until the other end is closed
    finally:
        os._exit(0)


def _answer_in_time(engine: str, question: str, seconds: float) -> Reply:
    """Returns the answer. A search that times out ends its process, so that it does not block others."""
    limit = threading.Timer(seconds, os._exit, (1,))
    limit.start()
    try:
        return answer(engine, question)
    finally:
        limit.cancel()
