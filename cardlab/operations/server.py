"""Starts, watches and stops the server process and its children."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from cardlab.operations import languages, project, servers_file
from cardlab.operations.addresses import ALL_INTERFACES, network_address
from cardlab.operations.environment import module_command, venv_program
from cardlab.operations.keys import server_keys
from cardlab.operations.project import WINDOWS
from cardlab.operations.rest import fetch
from cardlab.operations.running_server import server_state
from cardlab.operations.terminal import Refusal, say


def serve(
    address: str, port: int, language: str, lock: TextIO, check: Callable[[], None] = lambda: None
) -> int:
    """Starts the server, prints its address, and stops it with its child processes.

    Calls ``check`` twice a second, and stops if that raises.
    """
    # The server logs every request on stdout, and warnings and errors on stderr.
    options: dict[str, Any] = {"stdout": subprocess.DEVNULL}
    if not WINDOWS:
        options["pass_fds"] = [lock.fileno()]
    environment = {**server_environment(address), languages.VARIABLE: language}
    server = start_server(address, port, project.FOLDER, environment, **options)
    try:
        wait_until_listening(server, port)
        with server_state(f"http://127.0.0.1:{port}", server.pid):
            if servers_file.LETTER not in os.environ:  # several_servers prints the address of several
                print_addresses(address, port)
            while server.poll() is None:
                time.sleep(0.5)
                check()
        raise Refusal(
            f"The server stopped unexpectedly (exit code {server.returncode}). The lines above give "
            "the reason."
        )
    except KeyboardInterrupt:
        say("", "Stopping Card Lab …")
        return 0
    finally:
        ignore_stop_signals()
        save_page_times(port)
        end_server(server)


def server_environment(address: str) -> dict[str, str]:
    """Returns the server's environment; keys set by the user override those of the installation."""
    environment = {
        "OTREE_PRODUCTION": "1",  # without it, each page has a debug panel with its variables
        **server_keys(),
    }
    own = dict(os.environ)
    if has_password():
        own.setdefault("OTREE_AUTH_LEVEL", "STUDY")  # also behind a proxy on this computer
    else:
        own.pop("OTREE_ADMIN_PASSWORD", None)  # oTree would accept a blank password
    if address != "127.0.0.1":
        environment["OTREE_AUTH_LEVEL"] = "STUDY"
    return {**own, **environment, **server_paths()}


def has_password() -> bool:
    """Returns whether the admin pages have a password."""
    return bool(os.environ.get("OTREE_ADMIN_PASSWORD", "").strip())


def server_paths() -> dict[str, str]:
    """Returns environment variables that find ``otree`` and reach 127.0.0.1 without a proxy."""
    path = os.pathsep.join([str(venv_program("otree").parent), os.environ.get("PATH", "")])
    no_proxy = ",".join(filter(None, [os.environ.get("no_proxy"), "127.0.0.1,localhost"]))
    return {"PATH": path, "no_proxy": no_proxy}


# Without these, glibc keeps freed memory in a separate place for each thread, and a server grows for hours.
RETURN_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",  # bytes
    "MALLOC_TRIM_THRESHOLD_": "131072",
}


def start_server(
    address: str, port: int, folder: Path, environment: dict[str, str], **options: Any
) -> subprocess.Popen[Any]:
    """Starts the server in ``folder``, as the leader of a process group; ``options`` are those of Popen."""
    command = module_command("cardlab.server.run", f"{address}:{port}")
    options |= {"creationflags": 0x200} if WINDOWS else {"start_new_session": True}  # 0x200: a new group
    environment = {**RETURN_MEMORY, **environment}
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, **options)


def wait_until_listening(server: subprocess.Popen[Any], port: int) -> None:
    """Returns when the server accepts connections. Raises Refusal if it ends before."""
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise Refusal("The server stopped before it was ready. The lines above give the reason.")


def print_addresses(address: str, port: int) -> None:
    """Prints the addresses to open in a browser."""
    local = f"http://127.0.0.1:{port}"
    say(
        "",
        f"Card Lab is running at {local}",
        f"    Try the games           {local}/demo",
        f"    Run a session           {local}/rooms and {local}/sessions",
    )
    if address == ALL_INTERFACES:
        public = network_address() or "THIS-COMPUTER'S-ADDRESS"
        say(
            f"    Links for participants  http://{public}:{port}/room/… (complete links are on the "
            "page of the room)"
        )
    if has_password():
        say("    Log in to the admin pages as admin, with the password in OTREE_ADMIN_PASSWORD.")
    say("Press Ctrl-C to stop it.", "")


def save_page_times(port: int) -> None:
    """Makes the server write the page times that oTree buffers in memory."""
    with contextlib.suppress(OSError, http.client.HTTPException):  # HEAD makes no export
        fetch(f"http://127.0.0.1:{port}", "/api/export_page_times", timeout=5, method="HEAD").close()


def end_server(server: subprocess.Popen[Any], patience: float = 10) -> None:
    """Stops a server and its timeout worker; kills them after ``patience`` seconds."""
    if sys.platform == "win32":
        taskkill = Path(os.environ["SYSTEMROOT"], "System32", "taskkill.exe")
        subprocess.run([taskkill, "/T", "/F", "/PID", str(server.pid)], capture_output=True)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(patience)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def stop_signals() -> list[signal.Signals]:
    """Returns the signals that mean "stop" on this system."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def ignore_stop_signals() -> None:
    """Ignores further stop signals, because a second Ctrl-C would leave processes running."""
    for number in stop_signals():
        signal.signal(number, signal.SIG_IGN)
