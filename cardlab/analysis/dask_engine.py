"""Runs tasks through Dask, on the cores of this machine or on a cluster.

Dask is an optional dependency (the extra dask), so it is imported in functions.
"""

import logging
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from cardlab import folders
from cardlab.games.contract import BadFile

TIMEOUT_SECONDS = 5  # for the scheduler to answer, and for a worker to appear
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+")


@contextmanager
def open_dask(
    work: Callable[[Any], Any], scheduler: str | None = None
) -> Iterator[Callable[[Iterable[Any]], Iterator[Any]]]:
    """Connects to the scheduler at an address, by default to a new cluster on this machine.

    Yields a function that applies ``work`` to tasks and yields the results in order. Two more tasks than the
    cluster has threads are in progress at a time. Raises BadFile if Dask is not installed or no cluster
    answers.
    """
    with _connect(scheduler) as client:

        def compute(tasks: Iterable[Any]) -> Iterator[Any]:
            remaining_tasks = iter(tasks)
            threads = sum(client.nthreads().values())
            under_way = deque(
                client.submit(work, task, pure=False) for task in islice(remaining_tasks, 2 + threads)
            )
            while under_way:
                yield _take_result(under_way.popleft(), scheduler or "--engine dask")
                under_way.extend(client.submit(work, task, pure=False) for task in islice(remaining_tasks, 1))

        yield compute


def _connect(address: str | None) -> Any:
    """Returns a client of the cluster at an address, or of a new cluster on this machine."""
    client_class, local = _import_client(), {"n_workers": os.cpu_count(), "threads_per_worker": 1}
    if address is None:
        return client_class(**local, dashboard_address=None, set_as_default=False)
    import asyncio  # takes long to load

    try:
        if not _ADDRESS.fullmatch(address):
            raise ValueError
        client = client_class(address, timeout=TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError, asyncio.TimeoutError):
        raise BadFile(
            address,
            "No Dask scheduler answers at this address. An address has the form tcp://192.0.2.7:8786.",
        ) from None
    try:
        client.wait_for_workers(1, timeout=TIMEOUT_SECONDS)
    except (TimeoutError, asyncio.TimeoutError):
        client.close()
        raise BadFile(address, "This Dask cluster has no workers.") from None
    return client


def _import_client() -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise BadFile(
            "--engine dask",
            "Dask is not installed. It needs an environment of its own, without oTree. Run: "
            f"{folders.install_command('dask')}",
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised as one sentence
    return Client


def _take_result(future: Any, address: str) -> Any:
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 whatever a worker raises
        raise BadFile(
            address,
            f"A worker failed ({type(error).__name__}: {error}). Workers need the packages of "
            "the extra dask, Card Lab's folder in PYTHONPATH, and the source files under "
            "the same paths.",
        ) from None
