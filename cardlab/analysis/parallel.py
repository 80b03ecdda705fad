"""Runs tasks in parallel, on the cores of this machine or through Dask, with a progress bar.

Tasks and results must be picklable, and ``work`` a function at module level.
"""

import argparse
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain, islice
from typing import Any

from cardlab.analysis import progress
from cardlab.analysis.cli import NUMBER
from cardlab.analysis.dask_engine import open_dask
from cardlab.games.contract import BadFile

Work = Callable[[Any], Any]
Compute = Callable[[Iterable[Any]], Iterator[Any]]  # tasks → results, in the same order

BAR_WIDTH = 30  # characters


def add_engine_arguments(parser: argparse.ArgumentParser, tasks: str, default: str = "one per core") -> None:
    """Adds the arguments that select where tasks run. ``tasks`` is a plural noun for the help."""
    jobs = f"the number of {tasks} at a time; default: {default}"
    parser.add_argument("--jobs", metavar="N", type=NUMBER, help=jobs)
    parser.add_argument(
        "--engine",
        choices=("cores", "dask"),
        default="cores",
        help="the cores of this computer (default) or of a Dask cluster",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="the address of the Dask cluster, such as tcp://192.0.2.7:8786"
    )


def open_engine(arguments: argparse.Namespace, work: Work) -> AbstractContextManager[Compute]:
    """Opens the engine that the arguments select. Raises BadFile."""
    check_engine(arguments)
    if arguments.engine == "dask":
        return open_dask(work, arguments.scheduler)
    return open_cores(work, arguments.jobs)


def check_engine(arguments: argparse.Namespace) -> None:
    """Raises BadFile if an argument does not belong to the selected engine."""
    if arguments.engine == "dask" and arguments.jobs:
        raise BadFile(
            "--jobs", "Do not use --jobs with --engine dask: the cluster decides how much runs at a time."
        )
    if arguments.engine != "dask" and arguments.scheduler:
        raise BadFile("--scheduler", "Use --scheduler only with --engine dask.")


@contextmanager
def open_cores(work: Work, jobs: int | None = None, ahead: int | None = None) -> Iterator[Compute]:
    """Opens a pool of worker processes. Raises BadFile if one is killed.

    Parameters:
        work: computes the result of a task.
        jobs: the number of processes, by default one per core. With 1 the tasks run in this process.
        ahead: the number of tasks submitted in advance, to limit the memory of large results; by default all.
    """
    jobs = jobs or os.cpu_count() or 1
    with ExitStack() as open_pools:

        def compute(tasks: Iterable[Any]) -> Iterator[Any]:
            results = _compute_in_pool(work, iter(tasks), jobs, ahead)
            open_pools.callback(results.close)
            return results

        try:
            yield compute
        except BrokenProcessPool:
            raise BadFile(
                "--jobs", "A worker process was killed, perhaps because memory ran out. Use fewer jobs."
            ) from None


def _compute_in_pool(
    work: Work, tasks: Iterator[Any], jobs: int, ahead: int | None
) -> Generator[Any, None, None]:
    """Yields the results of the tasks in order."""
    first_tasks = list(islice(tasks, jobs))
    tasks = chain(first_tasks, tasks)
    if len(first_tasks) <= 1:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(first_tasks), context, _ignore_ctrl_c) as pool:
        under_way = deque(pool.submit(work, task) for task in islice(tasks, ahead))
        try:
            while under_way:
                yield under_way.popleft().result()
                under_way.extend(pool.submit(work, task) for task in islice(tasks, 1))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()  # because a task may take minutes
            raise


def _ignore_ctrl_c() -> None:
    """Ignores Ctrl-C in a worker process, because the parent handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def show_progress(results: Iterator[Any], count: int, what: str) -> Iterator[Any]:
    """Yields the results, and shows a progress bar on the terminal.

    ``count`` is the number of tasks, ``what`` the text before the bar, such as ``Deals searched``.
    """
    if not sys.stderr.isatty():
        yield from results
        return
    for number in range(count + 1):
        filled_width = BAR_WIDTH * number // max(1, count)
        progress.show(f"{what}: [{'#' * filled_width}{'.' * (BAR_WIDTH - filled_width)}] {number} of {count}")
        if number < count:
            yield next(results)
    progress.show("")
