"""Low-priority worker processes, for tasks that would block players in the server process.

They write exports (:mod:`cardlab.exports.worker`) and reports (:mod:`cardlab.admin.report_worker`). Each has
its own output folder, and ends with the server, even if that is killed. If both are killed, the next start
of the server removes the folder. oTree gets an empty database in memory; the server's is read through
:mod:`cardlab.exports.snapshot`.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from cardlab import folders
from cardlab.core import compilation

TERMINATED = 143  # exit code after SIGTERM
ENVIRONMENT = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "PYTHONIOENCODING": "utf-8"}


# ------------------------------------------------------------------ in the server


def make_folder(kind: str) -> str:
    """Makes the folder of a worker process, which will hold participants' data; returns its path."""
    return tempfile.mkdtemp(prefix=f"card-lab-{kind}-{_mark(folders.PROJECT)}-")


def remove_left_folders(project: Path = folders.PROJECT) -> None:
    """Removes the folders of workers that were killed together with an earlier server of this project."""
    for folder in Path(tempfile.gettempdir()).glob(f"card-lab-*-{_mark(project)}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _mark(project: Path) -> str:
    """Returns a text that differs between projects, because their servers share the folder around these."""
    return hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:12]


def start_worker(
    module: str,
    *arguments: str,
    environment: dict[str, str] | None = None,
    stderr: IO[Any] | None = None,
) -> subprocess.Popen[str]:
    """Starts ``python -m cardlab.MODULE`` in the server's folder, with pipes to its stdin and stdout.

    The worker ends when its stdin is closed, because then the server is gone.

    Args:
        module: the worker's module, without ``cardlab.``.
        arguments: its arguments.
        environment: additions to the server's environment.
        stderr: a file for its stderr; by default the server's.
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
    """Lowers this process's priority; on Windows, :func:`start_worker` does it."""
    if hasattr(os, "nice"):
        os.nice(10)


def exit_with_server(folder: str, handle: Callable[[bytes], None] = lambda _line: None) -> None:
    """Starts a thread that calls ``handle`` with each line on stdin, and ends this process with the server.

    When stdin is closed or SIGTERM arrives, removes the folder and exits.
    """

    def end(*_signal: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(TERMINATED)

    def read_stdin() -> None:
        incomplete_line = b""
        while piece := os.read(0, 4096):  # empty after the server's end is closed
            *lines, incomplete_line = (incomplete_line + piece).split(b"\n")
            for line in lines:
                handle(line)
        end()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the server ends this process
    threading.Thread(target=read_stdin, daemon=True).start()


def take_stdout() -> Callable[[str], None]:
    """Redirects stdout to stderr; returns a function that sends the server a line on the former stdout."""
    stdout = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which writes each line at once

    def send(line: str) -> None:
        os.write(stdout, f"{line}\n".encode())

    return send


def set_up_otree() -> None:
    """Loads oTree and all apps, without garbage collection, which would take a tenth of the time."""
    gc.disable()
    import otree.main

    otree.main.setup()
    gc.freeze()  # excludes these permanent objects from collections
    gc.enable()
