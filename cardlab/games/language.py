"""The language in which texts are made: the participant's, or the server's.

The language of a request or message is a context variable, so that it does not reach concurrent ones. ``""``
is the server's language, which is also that of everything that is not made for one participant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import TypeVar

SERVERS = ""  # the server's language

_language: ContextVar[str] = ContextVar("language", default=SERVERS)

T = TypeVar("T")


def current_language() -> str:
    """Returns the language of the current request or message, in oTree's spelling; "" for the server's."""
    return _language.get()


def set_language(language: str) -> None:
    """Sets the language of the current task. Call it only where a task begins."""
    _language.set(language)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Makes the texts of the block in a language."""
    previous_language = _language.set(language)
    try:
        yield
    finally:
        _language.reset(previous_language)


def cached_by_language(function: Callable[[], T]) -> Callable[[], T]:
    """Caches the result of a function without arguments, once for each language."""

    @cache
    def made(_language: str) -> T:
        return function()

    @wraps(function)
    def text() -> T:
        return made(current_language())

    return text
