"""Helpers for the readers of text files: numbered lines, comments and short quotations.

The readers take the text itself; their callers open the files.
"""

import re
import reprlib
from collections.abc import Iterator
from typing import Any

from cardlab.games.contract import BadFile

MAX_LINE_LENGTH = 10_000  # characters; a deal of the largest pack has some 200
_COMMENT_MARKS = ("//", ";", "#")

_short = reprlib.Repr()
_short.maxstring = 24


def quote(token: str) -> str:
    """Returns the token in quotes, at most 24 characters long, with anything unprintable escaped."""
    return _short.repr(token)


def shorten(value: Any) -> str:
    """Returns a value as text to quote in a message: at most 80 characters, in one line."""
    text = "".join(letter if letter.isprintable() else "�" for letter in str(value)[:81])
    return text if len(text) <= 80 else text[:79] + "…"


def numbered_lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file with their numbers from 1, without line endings or a byte order mark.

    ``str.splitlines`` would also split at form feeds and Unicode separators, which editors do not count.
    Raises BadFile for a line over ``MAX_LINE_LENGTH``, because parsers could be slow on it.
    """
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        if len(line) > MAX_LINE_LENGTH:
            raise BadFile(
                name,
                f"The line has {len(line)} characters. The limit is {MAX_LINE_LENGTH}.",
                number,
                MAX_LINE_LENGTH + 1,
            )
        yield number, line


def is_blank_or_comment(line: str) -> bool:
    """Whether the line is blank or a comment (``//``, ``;`` or ``#``)."""
    return not line.strip() or line.lstrip().startswith(_COMMENT_MARKS)
