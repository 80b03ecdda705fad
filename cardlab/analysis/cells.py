"""The cells of a table as values: whole numbers and times. ValueError says in a sentence what is wrong."""

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from cardlab.games.text_file import quote

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_FRACTION = re.compile(r"\.([0-9]{3})Z")
_WHOLE = re.compile(r"(-?[0-9]{1,15})(\.0+)?")  # a table saved again by pandas has 3.0 for 3


def parse_whole(text: str, column: str) -> int:
    """A whole number; ``column`` is named in the sentence."""
    if len(text) < 16 and text.isdigit() and text.isascii():
        return int(text)
    found = _WHOLE.fullmatch(text)
    if not found:
        raise ValueError(f"{column} must be a whole number, not {quote(text)}.")
    return int(found[1])


def parse_time(text: str, column: str) -> int:
    """A time as Unix milliseconds."""
    try:
        return _parse_second(text[:19]) + _parse_milliseconds(text[19:])
    except (ValueError, TypeError):
        pass  # another way to write a time, or none
    try:
        return _parse_unix_ms(text.replace("Z", "+00:00"))
    except (ValueError, TypeError):
        raise ValueError(
            f"{column} must be a time such as 2026-11-20T14:03:07.412Z, not {quote(text)}."
        ) from None


def _parse_unix_ms(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND


@lru_cache(maxsize=8192)
def _parse_second(text: str) -> int:
    """Many rows are of the same second."""
    return _parse_unix_ms(f"{text}+00:00")


@lru_cache(maxsize=1024)
def _parse_milliseconds(text: str) -> int:
    found = _FRACTION.fullmatch(text)
    if not found:
        raise ValueError
    return int(found[1])
