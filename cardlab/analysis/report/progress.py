"""What a report is at, on the terminal: one line, gone when it is over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_P = TypeVar("_P")
_WIDTH = 78


def show(what: str) -> None:
    """Show it instead of what stood there; with no words, nothing."""
    if sys.stderr.isatty():
        print(f"\r{' ' * _WIDTH}\r{what[:_WIDTH]}", end="", file=sys.stderr, flush=True)


def show_each(parts: Iterable[_P], what: Callable[[_P], str]) -> Iterator[_P]:
    """The parts, each shown when it comes, as long as one is at it."""
    try:
        for part in parts:
            show(what(part))
            yield part
    finally:
        show("")
