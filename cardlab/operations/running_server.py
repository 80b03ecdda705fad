"""The lock and the address of the server that runs from this folder.

Several servers behind one address count as one.
"""

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from cardlab.operations import project
from cardlab.operations.keys import secrets_folder
from cardlab.operations.terminal import Refusal

DEFAULT_URL = "http://127.0.0.1:8000"


@contextlib.contextmanager
def server_lock() -> Iterator[TextIO]:
    """Locks the folder within the block, because two servers would overwrite each other's data.

    The server inherits the lock, so it holds even if this program is killed.
    """
    with open(secrets_folder() / "running.lock", "a", encoding="utf-8") as lock:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            state = read_server_state()
            where = f" at {state['url']} (process {state['pid']})" if state else ""
            raise Refusal(
                f"A Card Lab server is already running from this folder{where}. Use it, or stop it first."
            ) from error
        yield lock


@contextlib.contextmanager
def server_state(url: str, pid: int, servers: Mapping[str, str] | None = None) -> Iterator[None]:
    """Records the server's address within the block; ``servers`` has the addresses of several by letter."""
    file = secrets_folder() / "server.json"
    state = {"url": url, "pid": pid, **({"servers": servers} if servers else {})}
    file.write_text(json.dumps(state), "utf-8")
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def read_server_state() -> dict[str, Any]:
    """Returns ``url``, ``pid`` and, for several, ``servers`` of the running server; empty if none runs."""
    with contextlib.suppress(OSError, ValueError):
        state: dict[str, Any] = json.loads((project.FOLDER / "secrets" / "server.json").read_text("utf-8"))
        return state
    return {}


def server_urls() -> list[str]:
    """Returns the addresses of the servers that run from this folder.

    A server that was killed, or stopped by a power cut, has left its address, but no longer has the lock.
    """
    try:
        with server_lock():
            return []
    except Refusal:
        state = read_server_state()
        return [*state.get("servers", {}).values()] or ([state["url"]] if state else [])


def server_url(session: str = "") -> str:
    """Returns the address of the server that has a session, by the session's code if there are several.

    Without a session, it is the address that participants open, which several servers share.
    """
    state = read_server_state()
    url: str = state.get("servers", {}).get(session[:1]) or state.get("url", DEFAULT_URL)
    return url
