"""Long work cut into tasks: on the cores of this machine or through Dask, with a bar that says how far it is.

A task is anything that can be sent from process to process, and so is what comes of it; ``work`` is a
function of a module that makes the one of the other.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain, islice
from typing import Any

from cardlab.analysis import dask_engine
from cardlab.analysis.cli import NUMBER
from cardlab.games.contract import BadFile

Work = Callable[[Any], Any]
Compute = Callable[[Iterable[Any]], Iterator[Any]]  # tasks → what comes of them, in their order

BAR = 30  # characters


def add_engine_arguments(one: argparse.ArgumentParser, tasks: str) -> None:
    """The arguments that say where the work is done; ``tasks`` names what is done at a time."""
    add_jobs_argument(one, f"{tasks} at a time; as many as there are cores")
    one.add_argument(
        "--engine",
        choices=("cores", "dask"),
        default="cores",
        help="cores (the default) of this machine, or those of a Dask cluster (requirements-dask.txt)",
    )
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster, like tcp://192.0.2.7:8786; with --engine dask",
    )


def add_jobs_argument(one: argparse.ArgumentParser, meaning: str) -> None:
    """The argument that says how much is done at a time on this machine."""
    one.add_argument("--jobs", metavar="N", type=NUMBER, help=meaning)


def open_engine(arguments: argparse.Namespace, work: Work) -> AbstractContextManager[Compute]:
    """What does the work, as the arguments say. Raises BadFile."""
    check_engine(arguments)
    if arguments.engine == "dask":
        return open_dask(work, arguments.scheduler)
    return open_cores(work, arguments.jobs)


def check_engine(arguments: argparse.Namespace) -> None:
    """BadFile if an argument is of another engine than the chosen one."""
    if arguments.engine == "dask" and arguments.jobs:
        raise BadFile("--jobs", "With --engine dask as much is done at a time as there are cores.")
    if arguments.engine != "dask" and arguments.scheduler:
        raise BadFile("--scheduler", "A cluster is used with --engine dask only.")


@contextmanager
def open_cores(work: Work, jobs: int | None = None, ahead: int | None = None) -> Iterator[Compute]:
    """What does so many tasks at a time, each in a process of its own; as many as there are cores if no
    number is given, and with one in this process. ``ahead`` says of how many tasks what comes of them may
    wait to be taken, where that is large; else of all."""
    jobs = jobs or os.cpu_count() or 1
    with ExitStack() as begun:

        def compute(tasks: Iterable[Any]) -> Iterator[Any]:
            found = _compute_in_pool(work, iter(tasks), jobs, ahead)
            begun.callback(found.close)
            return found

        try:
            yield compute
        except BrokenProcessPool:
            raise BadFile(
                "--jobs", "A process was ended from outside, perhaps for want of memory; take fewer jobs."
            ) from None


def _compute_in_pool(
    work: Work, tasks: Iterator[Any], jobs: int, ahead: int | None
) -> Generator[Any, None, None]:
    """What comes of the tasks, in their order."""
    first = list(islice(tasks, jobs))
    tasks = chain(first, tasks)
    if len(first) <= 1:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(first), context, dask_engine.ignore_ctrl_c) as pool:
        under_way = deque(pool.submit(work, task) for task in islice(tasks, ahead))
        try:
            while under_way:
                yield under_way.popleft().result()
                under_way.extend(pool.submit(work, task) for task in islice(tasks, 1))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()  # a task may take minutes
            raise


@contextmanager
def open_dask(work: Work, scheduler: str | None = None) -> Iterator[Compute]:
    """What works through Dask: on the cluster whose scheduler answers at an address, else on the cores of
    this machine. Raises BadFile."""
    with dask_engine.open_dask(scheduler) as compute:
        import dask

        yield lambda tasks: compute([dask.delayed(work)(task) for task in tasks])


def show_progress(found: Iterator[Any], count: int, done_so_far: str) -> Iterator[Any]:
    """The same, while the terminal shows how many of the ``count`` tasks are done: ``Deals searched``."""
    if not sys.stderr.isatty():
        yield from found
        return
    shown = ""
    for number in range(count + 1):
        done = BAR * number // max(1, count)
        shown = f"{done_so_far}: [{'#' * done}{'.' * (BAR - done)}] {number} of {count}"
        print(f"\r{shown}", end="", file=sys.stderr, flush=True)
        if number < count:
            yield next(found)
    print(f"\r{' ' * len(shown)}\r", end="", file=sys.stderr, flush=True)
