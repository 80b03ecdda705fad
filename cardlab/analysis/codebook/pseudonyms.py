"""Pseudonymizes exported tables: replaces texts that identify a person, and times of day.

- A label, an id from recruiting, or a text in a person's own words becomes a pseudonym: the keyed hash of the
  text. The same text has the same pseudonym in every table and in every archive made with the same key.
- A time becomes the time since the creation of the session, counted from the beginning of 1970.

Which columns have such cells is declared with the meanings of the columns (``cardlab/games/columns.py``).
"""

from __future__ import annotations

import hmac
import json
import re
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from cardlab.games.columns import (
    ExactUnixMs,
    GuardedText,
    Identifier,
    Json,
    TimedText,
    Timestamp,
    Undescribed,
    UnixMs,
    UnixSeconds,
)

DIGITS = 12  # of a pseudonym; 48 bits, so that 10,000 texts collide with a chance of 1 in 5 million
KEPT = frozenset({"results", "end", "by a co-player", "yes", "no"})  # words that identify nobody
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_WHOLE_NUMBER = re.compile(r"(?<![\d.])\d{12,13}(?![\d.])")
_NUMBER = re.compile(r"-?\d*\.?\d+|True|False")
# Also in columns that are not declared, such as those of tables of earlier versions.
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,6}Z?")
_DAY_MS = 86_400_000


class Pseudonyms(NamedTuple):
    """Replaces cells of a session's tables, by the key, the time of creation in Unix ms, and kept words."""

    key: bytes
    created_ms: int
    kept: frozenset[str] = KEPT

    def name(self, text: str) -> str:
        """Returns the pseudonym of a text."""
        return f"p-{hmac.new(self.key, text.encode(), 'sha256').hexdigest()[:DIGITS]}"

    def replace(self, meaning: str, cell: str) -> str:
        """Returns the pseudonymized cell of a column with this meaning."""
        if not cell:
            return cell
        if isinstance(meaning, Identifier):
            return self._identifier(meaning, cell)
        if isinstance(meaning, Undescribed):
            return cell if _NUMBER.fullmatch(cell) else self._identifier(meaning, cell)
        if isinstance(meaning, Timestamp) or _TIMESTAMP.fullmatch(cell):
            return self._timestamp(cell)
        if isinstance(meaning, UnixMs):
            return str(int(cell) - self.created_ms)
        if isinstance(meaning, ExactUnixMs):
            return str(round(float(cell) - self.created_ms, 3))
        if isinstance(meaning, UnixSeconds):
            return str(int(cell) - self.created_ms // 1000)
        if isinstance(meaning, TimedText):
            return _WHOLE_NUMBER.sub(self._time_in_text, cell)
        return cell

    def _identifier(self, meaning: str, cell: str) -> str:
        if cell in self.kept:
            return cell
        if isinstance(meaning, GuardedText):
            cell = cell.removeprefix("'")
        return json.dumps(self.name(cell)) if isinstance(meaning, Json) else self.name(cell)

    def _timestamp(self, cell: str) -> str:
        moment = datetime.fromisoformat(cell.replace("Z", "+00:00"))
        since = moment.replace(tzinfo=moment.tzinfo or timezone.utc) - _EPOCH
        shifted = (_EPOCH + since - timedelta(milliseconds=self.created_ms)).replace(tzinfo=None)
        text = shifted.isoformat(cell[10], "milliseconds" if cell.endswith("Z") else "microseconds")
        return f"{text}Z" if cell.endswith("Z") else text

    def _time_in_text(self, number: re.Match[str]) -> str:
        """Replaces a number if it can be a time: from a day before the session to ten years after."""
        since = int(number[0]) - self.created_ms
        return str(since) if -_DAY_MS < since < 3650 * _DAY_MS else number[0]


def timestamp_ms(cell: str) -> int:
    """Returns the Unix milliseconds of a time as the tables write it."""
    moment = datetime.fromisoformat(cell.replace("Z", "+00:00"))
    return round((moment.replace(tzinfo=moment.tzinfo or timezone.utc) - _EPOCH) / timedelta(milliseconds=1))
