"""Counts the rows of an export while it is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import IO, NamedTuple

INTERVAL_SECONDS = 0.5  # between two reports


class Progress(NamedTuple):
    """How far an export is: its rows so far, and ``done`` of all ``total`` players or participants."""

    rows: int = 0
    done: int = 0
    total: int = 0


class ProgressFile:
    """A text file that reports its progress; everything up to a report can be read from the file.

    Args:
        file: the file.
        report: called at most twice a second, by :meth:`write` and :meth:`count`.
    """

    def __init__(self, file: IO[str], report: Callable[[Progress], object]) -> None:
        self._file, self._report = file, report
        self._progress = Progress()
        self._reported = time.monotonic()

    def write(self, text: str) -> int:
        """Writes a row, or several."""
        self._advance(self._progress._replace(rows=self._progress.rows + text.count("\n")))
        return self._file.write(text)

    def count(self, done: int, total: int) -> None:
        """Notes how many of all players or participants are done."""
        self._advance(self._progress._replace(done=done, total=total))

    def _advance(self, progress: Progress) -> None:
        self._progress = progress
        if time.monotonic() - self._reported > INTERVAL_SECONDS:
            self._file.flush()
            self._report(progress)
            self._reported = time.monotonic()


def counter_of(file: object) -> Callable[[int, int], None]:
    """Returns the :meth:`ProgressFile.count` of a file; for any other file, a function that does nothing."""
    return file.count if isinstance(file, ProgressFile) else lambda _done, _total: None
