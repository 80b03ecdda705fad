"""Where searches are compiled with numba (``cardlab.games.compiled``): in workers, never in the server.

numba costs a process 60 MB and half a second, and the server searches only as a last resort.
"""

from __future__ import annotations

import importlib.util
import os

VARIABLE = "CARD_LAB_COMPILED"

_chosen = os.environ.get(VARIABLE, "")  # before the server changes it


def keep_out_of_this_process() -> None:
    """Lets this process search in plain Python."""
    os.environ[VARIABLE] = "no"


def worker_environment() -> dict[str, str]:
    """Returns the variable for workers, as it was when this process began."""
    return {VARIABLE: _chosen}


def workers_compile() -> bool:
    """Returns whether workers compile their searches: numba is installed, and wanted."""
    return _chosen != "no" and importlib.util.find_spec("numba") is not None
