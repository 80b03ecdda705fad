"""The language in which texts are made: the participant's, or the server's.

The language of a request or message is a context variable, so that it does not affect concurrent ones. ``""``
is the server's language, which is also used for everything that is not made for one participant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

SERVERS = ""  # the server's language
# Results of a function. A debriefing reuses those of its own games. With 5,000, those of others would fill
# 23 MB in two hours.
CACHE_SIZE = 500

_language: ContextVar[str] = ContextVar("language", default=SERVERS)

F = TypeVar("F", bound=Callable[..., Any])


def current_language() -> str:
    """Returns the language of the current request or message, in oTree's spelling; "" for the server's."""
    return _language.get()


def set_language(language: str) -> None:
    """Sets the language of the current task. Call it only where a task begins."""
    _language.set(language)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Sets the language of the texts that are made in the block."""
    previous_language = _language.set(language)
    try:
        yield
    finally:
        _language.reset(previous_language)


def cached_by_language(function: F) -> F:
    """Caches the results of a function per language, at most ``CACHE_SIZE`` in total."""

    @lru_cache(maxsize=CACHE_SIZE)
    def made(_language: str, *arguments: Hashable) -> Any:
        return function(*arguments)

    @wraps(function)
    def cached(*arguments: Hashable) -> Any:
        return made(current_language(), *arguments)

    return cast(F, cached)
