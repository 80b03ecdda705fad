"""The simulated export process: each export is a fork of the server, which waits until it ends.

Like the real process, the fork reads the data committed at its start; its connections never fail. The thread
that waits for the process is a job of the simulated loop.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from simulated_loop import SimulatedLoop


class ExportWorker:
    """Replaces a ``Popen`` of ``cardlab.exports.worker``, with its pipes.

    ``dies`` is called before each export; if it returns true, the process ends instead.
    """

    def __init__(self, folder: str, dies: Callable[[], bool]) -> None:
        self._folder, self._dies = folder, dies
        self._requests = ""
        self.returncode: int | None = None
        self.stdin, self.stdout = self, self._answers()

    def write(self, text: str) -> None:
        self._requests += text

    def flush(self) -> None:
        """Does nothing, because the other end reads from memory."""

    def _answers(self) -> Iterator[str]:
        while self.returncode is None:
            request, _newline, self._requests = self._requests.partition("\n")
            if self._dies():
                self.kill()
            else:
                yield from self._write(*json.loads(request))

    def _write(self, view: str, query: dict[str, str], name: str) -> list[str]:
        """Returns the process's answer lines."""
        reading, writing = os.pipe()
        process = os.fork()
        if not process:
            try:
                os.write(writing, write_export(view, query, Path(self._folder, name)))
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, encoding="utf-8") as answers:
            lines = answers.readlines()
        os.waitpid(process, 0)
        return lines

    def poll(self) -> int | None:
        return self.returncode

    def kill(self) -> None:
        self.returncode = -9

    def __enter__(self) -> ExportWorker:
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()


def write_export(view: str, query: dict[str, str], file: Path) -> bytes:
    """Writes an export as the process does; returns its answers as JSON lines."""
    from cardlab.exports.worker import handle_request

    answers: list[dict[str, Any]] = []
    result = handle_request(
        view, query, file, lambda stem, progress: answers.append({"stem": stem, "progress": progress})
    )
    return "".join(json.dumps(answer) + "\n" for answer in [*answers, result]).encode()


class Threads:
    """Replaces an executor; its threads run as jobs of the simulated loop."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def submit(self, call: Callable[..., Any], *arguments: Any) -> None:
        self._loop.run_in_executor(None, call, *arguments)


class NoTimer:
    """Replaces the timer that kills a process without progress."""

    def cancel(self) -> None:
        """Does nothing."""
