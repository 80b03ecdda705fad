"""What the readers of text files share: lines as an editor numbers them, comments, a short quotation.

The readers take the text itself; opening files is left to their callers.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator

_COMMENT_MARKS = ("//", ";", "#")

_short = reprlib.Repr()
_short.maxstring = 24


def quote(token: str) -> str:
    """The token in quotes, at most 24 characters long, with anything unprintable escaped."""
    return _short.repr(token)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, whatever ends them, without a byte order mark.

    ``str.splitlines`` would also split at form feeds and Unicode separators, which editors do not count.
    """
    return enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1)


def says_nothing(line: str) -> bool:
    """Whether the line is blank or a comment (``//``, ``;`` or ``#``)."""
    return not line.strip() or line.lstrip().startswith(_COMMENT_MARKS)
