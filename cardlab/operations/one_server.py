"""One server at a time from this folder: the lock that it holds, and where it is; or the several of one file,
which are started and stopped together."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from cardlab.operations import project
from cardlab.operations.keys import secrets_folder
from cardlab.operations.project import WINDOWS
from cardlab.operations.terminal import Refusal


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


@contextlib.contextmanager
def server_state(url: str, pid: int, servers: Mapping[str, str] | None = None) -> Iterator[None]:
    """Have known where the server is as long as the block runs; ``servers`` are the addresses of several, by
    their letters."""
    file = secrets_folder() / "server.json"
    file.write_text(
        json.dumps({"url": url, "pid": pid, **({"servers": servers} if servers else {})}), "utf-8"
    )
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def read_server_state() -> dict[str, Any]:
    """Address and process number of the server that ``run`` started last; empty if it was stopped."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((project.FOLDER / "secrets" / "server.json").read_text("utf-8"))
    return {}


def address_of(session: str) -> str:
    """The address of the server of this folder that has a session; of several its code names the one."""
    state = read_server_state()
    own = state.get("servers", {}).get(session[:1])
    return own or state.get("url", "http://127.0.0.1:8000")
