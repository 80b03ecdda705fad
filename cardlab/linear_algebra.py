"""How many threads the linear algebra of numpy and scipy has: one, set before numpy is imported.

By default each process has one per core. Our matrices are small, and several processes share the cores, so
threads would mostly wait for each other.
"""

from __future__ import annotations

import os

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def use_one_thread() -> None:
    """Limits this process and those that it starts, unless the user has set one of the variables."""
    if ONE_THREAD.keys().isdisjoint(os.environ):
        os.environ.update(ONE_THREAD)
