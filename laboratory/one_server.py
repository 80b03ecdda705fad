"""One server at a time from this folder: the lock that it holds, and where it is."""

from __future__ import annotations

import contextlib
import json

from laboratory import project
from laboratory.keys import secrets_folder
from laboratory.project import WINDOWS
from laboratory.terminal import Refusal


@contextlib.contextmanager
def only_server():
    """Hold a lock while the server runs: two on one database would overwrite each other's data.

    The server inherits the lock, so that it stays locked even if this program is killed.
    """
    with open(secrets_folder() / "running.lock", "a", encoding="utf-8") as lock:
        try:
            if WINDOWS:
                import msvcrt

                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            where = read_server_state()
            at = f" at {where['url']} (process {where['pid']})" if where else ""
            raise Refusal(
                f"Card Lab is already running from this folder{at}: use that, or stop it."
            ) from error
        yield lock


def read_server_state() -> dict[str, str]:
    """Address and process number of the server that ``run`` started last; empty if it was stopped."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((project.FOLDER / "secrets" / "server.json").read_text("utf-8"))
    return {}
