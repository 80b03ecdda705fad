"""Provides an engine whose questions determine its behaviour; workers import it by name."""

import os
import sys
import time
from pathlib import Path

from cardlab.games.contract import Reply


def warm_up() -> None:
    folder = Path(os.environ["WARMED_UP"])
    (folder / str(os.getpid())).write_text(os.environ["CARD_LAB_COMPILED"])


def answer(question: str) -> Reply:
    return Reply(_answer(question))


def _answer(question: str) -> str:
    what, _blank, rest = question.partition(" ")
    if what == "number":  # the process ID
        return str(os.getpid())
    if what == "imported":
        return " ".join(sorted(sys.modules))
    if what == "nice":
        return str(os.nice(0))
    if what == "think":  # appends the process ID to the file; the first call waits for another
        file = Path(rest)
        file.write_text(f"{file.read_text() if file.exists() else ''}{os.getpid()}\n")
        while len(file.read_text().split()) == 1:
            time.sleep(0.01)
        return "found"
    if what == "die":
        os._exit(1)
    raise ValueError(f"{what} is no question")
