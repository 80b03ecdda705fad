"""Lets engine workers, but not the server, compile searches with numba (``cardlab.games.compiled``).

numba costs a process 60 MB and half a second, and the server searches only as a last resort.
"""

from __future__ import annotations

import importlib.util
import os

VARIABLE = "CARD_LAB_COMPILED"

_chosen = os.environ.get(VARIABLE, "")  # before the server changes it


def keep_out_of_this_process() -> None:
    """Disables numba in this process."""
    os.environ[VARIABLE] = "no"


def worker_environment() -> dict[str, str]:
    """Returns the environment variable for workers, as it was at the start of this process."""
    return {VARIABLE: _chosen}


def workers_compile() -> bool:
    """Returns whether workers compile their searches: numba is installed and not switched off."""
    return _chosen != "no" and importlib.util.find_spec("numba") is not None
