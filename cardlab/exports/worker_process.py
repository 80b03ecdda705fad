"""Worker processes of low priority, for what would block the players if it ran in the server.

They write the exports (:mod:`cardlab.exports.worker`) and the reports (:mod:`cardlab.admin.report_worker`).
Each has its own folder for what it writes, and ends with the server, however that ends. oTree itself gets an
empty database in memory; the server's is read through :mod:`cardlab.exports.snapshot`.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from cardlab.core import compilation

TERMINATED = 143  # exit code of a process that was told to end
ENVIRONMENT = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "PYTHONIOENCODING": "utf-8"}


# ------------------------------------------------------------------ in the server


def start_worker(
    module: str,
    *arguments: str,
    environment: dict[str, str] | None = None,
    stderr: IO[Any] | None = None,
) -> subprocess.Popen[str]:
    """Starts ``python -m cardlab.MODULE`` in the server's folder and environment.

    The worker ends when its stdin, a pipe, is closed: then the server is gone.
    """
    return subprocess.Popen(
        [sys.executable, "-m", f"cardlab.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, **compilation.worker_environment(), **ENVIRONMENT, **(environment or {})},
        encoding="utf-8",
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
    )


def kill_after(seconds: float, process: subprocess.Popen[str]) -> threading.Timer:
    """Starts a timer that kills a process; cancel it when the process is done."""
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    return timer


# ------------------------------------------------------------------ in the worker


def lower_priority() -> None:
    """Lowers this process's priority; on Windows, :func:`start_worker` has done it."""
    if hasattr(os, "nice"):
        os.nice(10)


def exit_with_server(folder: str, handle: Callable[[bytes], None] = lambda _line: None) -> None:
    """Removes the folder and exits when the server is gone or sends SIGTERM; a thread handles its lines."""

    def end(*_signal: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(TERMINATED)

    def read_stdin() -> None:
        rest = b""
        while piece := os.read(0, 4096):  # empty once the server's end of the pipe is closed
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                handle(line)
        end()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    threading.Thread(target=read_stdin, daemon=True).start()


def take_stdout() -> Callable[[str], None]:
    """Returns a function that sends the server a line on stdout; anything else printed goes to stderr."""
    stdout = os.dup(1)
    os.dup2(2, 1)

    def send(line: str) -> None:
        os.write(stdout, f"{line}\n".encode())

    return send


def set_up_otree() -> None:
    """Loads oTree and all apps, without garbage collection, which took a tenth of the time."""
    gc.disable()
    import otree.main

    otree.main.setup()
    gc.freeze()  # these objects stay, so that no collection need examine them
    gc.enable()
