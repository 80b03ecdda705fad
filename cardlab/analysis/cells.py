"""Parses cells of a table: whole numbers and times. The text of a ValueError is a complete sentence."""

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from cardlab.games.text_file import quote

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_FRACTION = re.compile(r"\.([0-9]{3})Z")
_WHOLE = re.compile(r"(-?[0-9]{1,15})(\.0+)?")  # pandas saves 3 as 3.0


def parse_whole(text: str, column: str) -> int:
    """Returns a whole number. Raises ValueError, which names the ``column``."""
    if len(text) < 16 and text.isdigit() and text.isascii():
        return int(text)
    match = _WHOLE.fullmatch(text)
    if not match:
        raise ValueError(f"{column} must be a whole number, not {quote(text)}.")
    return int(match[1])


def parse_time(text: str, column: str) -> int:
    """Returns a time in Unix milliseconds. Raises ValueError, which names the ``column``."""
    try:
        return _parse_second(text[:19]) + _parse_milliseconds(text[19:])
    except (ValueError, TypeError):
        pass  # not the server's format
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
    # Cached, because many rows have the same second.
    return _parse_unix_ms(f"{text}+00:00")


@lru_cache(maxsize=1024)
def _parse_milliseconds(text: str) -> int:
    match = _FRACTION.fullmatch(text)
    if not match:
        raise ValueError
    return int(match[1])
