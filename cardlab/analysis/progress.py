"""Shows on the terminal what a command is doing, in one line that is removed at the end."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Part = TypeVar("Part")
_WIDTH = 78


def show(text: str) -> None:
    """Replaces the line; an empty text removes it."""
    if sys.stderr.isatty():
        print(f"\r{' ' * _WIDTH}\r{text[:_WIDTH]}", end="", file=sys.stderr, flush=True)


def show_each(parts: Iterable[Part], describe: Callable[[Part], str], every: int = 1) -> Iterator[Part]:
    """Yields the parts, and shows one in ``every`` parts while it is processed."""
    try:
        for number, part in enumerate(parts):
            if number % every == 0:
                show(describe(part))
            yield part
    finally:
        show("")
