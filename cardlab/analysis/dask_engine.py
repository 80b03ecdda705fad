"""Computes tasks through Dask, on the cores of this machine or on a cluster.

Dask is an optional requirement (requirements-dask.txt), so it is imported in functions.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import Any

from cardlab.games.contract import BadFile

SECONDS_TO_ANSWER = 5
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+")

Compute = Callable[[Sequence[Any]], Iterator[Any]]  # delayed values → values, in the same order


@contextmanager
def open_dask(scheduler: str | None = None) -> Iterator[Compute]:
    """Opens the cluster of the scheduler at an address, by default the cores of this machine.

    The result computes delayed values in their order. Raises BadFile if Dask is not installed or no cluster
    answers.
    """
    try:
        import dask  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        raise BadFile(
            "--engine dask",
            "Dask is not installed. It needs a separate environment without oTree: pip install "
            "-r requirements-dask.txt",
        ) from None
    with _open_cluster(scheduler) if scheduler else _open_cores() as compute:
        yield compute


@contextmanager
def _open_cores() -> Iterator[Compute]:
    """Computes tasks in worker processes, a batch at a time."""
    import dask

    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), ignore_ctrl_c) as pool:

        def compute(delayed: Sequence[Any]) -> Iterator[Any]:
            for begin in range(0, len(delayed), 2 * cores):
                yield from dask.compute(*delayed[begin : begin + 2 * cores], scheduler="processes", pool=pool)

        try:
            yield compute
        except BrokenProcessPool:
            raise BadFile(
                "--engine dask",
                "A worker process was killed, perhaps because memory ran out. Use smaller parts.",
            ) from None


def ignore_ctrl_c() -> None:
    """Ignores Ctrl-C in a worker process; the process that waits for the workers handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _open_cluster(address: str) -> Iterator[Compute]:
    """Computes tasks on a cluster, a few more at a time than the cluster has threads."""
    import asyncio  # takes long to load

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised as one sentence
    try:
        if not _ADDRESS.fullmatch(address):
            raise ValueError
        client = Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, ValueError, TimeoutError, asyncio.TimeoutError):
        raise BadFile(
            address,
            "No Dask scheduler answers at this address. An address has the form tcp://192.0.2.7:8786.",
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
        except (TimeoutError, asyncio.TimeoutError):
            raise BadFile(address, "This Dask cluster has no workers.") from None

        def compute(delayed: Sequence[Any]) -> Iterator[Any]:
            waiting = iter(delayed)
            threads = sum(client.nthreads().values())
            under_way = deque(client.compute(one) for one in islice(waiting, 2 + threads))
            while under_way:
                yield _take_result(under_way.popleft(), address)
                under_way.extend(client.compute(one) for one in islice(waiting, 1))

        yield compute


def _take_result(future: Any, address: str) -> Any:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 whatever a worker raises
        raise BadFile(
            address,
            f"A worker failed ({type(error).__name__}: {error}). Workers need the packages of "
            "requirements-dask.txt, Card Lab's folder in PYTHONPATH, and the source files under "
            "the same paths.",
        ) from None
