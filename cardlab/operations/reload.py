"""``lab.py run --reload``: restarts the server when a file changes, for developers of an app."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardlab.operations import project
from cardlab.operations.project import is_installation_data
from cardlab.operations.server import stop_signals
from cardlab.operations.terminal import Refusal, say

SUFFIXES = (".css", ".html", ".js", ".po", ".py", ".toml")
NOT_SERVED = {"benchmarks", "docs", "tests", "tools", "typings"}
SHOWN_FILES = 3


class FilesChanged(Exception):
    """Raised when files have changed; its text names them."""


class FileWatch:
    """The times at which the project's files were changed."""

    def __init__(self) -> None:
        self._times = modification_times()

    def check(self) -> None:
        """Raises FilesChanged if files have been changed, added or deleted since the last call."""
        previous, self._times = self._times, modification_times()
        if changed := sorted({path for path, _ in previous.items() ^ self._times.items()}):
            names = [path.relative_to(project.FOLDER).as_posix() for path in changed[:SHOWN_FILES]]
            more = f" and {len(changed) - SHOWN_FILES} more" if len(changed) > SHOWN_FILES else ""
            raise FilesChanged(f"{', '.join(names)}{more}")


def modification_times() -> dict[Path, int]:
    """Returns the time of the last change, in ns, of each file from which the server runs."""
    times = {}
    for folder, folders, names in os.walk(project.FOLDER):
        at_the_top = Path(folder) == project.FOLDER
        folders[:] = [
            name
            for name in folders
            if not (is_installation_data(name) or (at_the_top and name in NOT_SERVED))
            and not project.is_environment(Path(folder, name))
        ]
        for name in names:
            if name.endswith(SUFFIXES):
                path = Path(folder, name)
                times[path] = path.stat().st_mtime_ns if path.exists() else 0  # it may be deleted meanwhile
    return times


def serve_again(prepare: Callable[[], None], serve: Callable[[Callable[[], None]], int]) -> int:
    """Serves, and serves again after each change; returns the last exit code.

    If the server cannot start, waits for the next change, because a file is probably still being edited.

    Args:
        prepare: Prepares the database for the changed files.
        serve: Serves until it is stopped. It calls its argument repeatedly, which may raise FilesChanged.
    """
    handlers = {
        number: signal.getsignal(number) for number in stop_signals()
    }  # stopping a server ignores these signals
    watch, changed = FileWatch(), False
    while True:
        try:
            try:
                if changed:
                    prepare()
                return serve(watch.check)
            except Refusal as refusal:
                print(refusal, file=sys.stderr)
                say("Waiting for a changed file …")
                restore(handlers)
                while True:
                    time.sleep(0.5)
                    watch.check()
        except FilesChanged as names:
            changed = True
            say(f"{names} changed. Restarting …")
        restore(handlers)


def restore(handlers: Mapping[signal.Signals, Any]) -> None:
    """Restores the handlers of the stop signals."""
    for number, handler in handlers.items():
        signal.signal(number, handler)
