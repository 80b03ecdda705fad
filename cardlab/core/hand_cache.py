"""Folds records into hands and caches them, so that the 300th action costs no more than the third."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cardlab.core.record_chain import RecordEnd, RecordLine, chain
from cardlab.games.contract import Rules
from cardlab.games.hand import Hand
from cardlab.games.record import is_opening_line, read_event, read_shared_opening

CACHE_SIZE = 2048
CACHE_SECONDS = 600  # after the last change, so that the hands of a day of sessions do not stay in memory


class UnreadableRecord(Exception):
    """Raised for a damaged record; ``str(error)`` says to a researcher what is wrong."""


class RecordReader(Protocol):
    """Reads the lines of a record, such as :class:`cardlab.live.record_store.Records`."""

    def lines(self, hand: str) -> list[RecordLine]:
        """Returns all lines of a hand's record."""


class _CachedHand(NamedTuple):
    """A hand, the digest of the last line of its record, and when it was cached, in seconds."""

    digest: str
    hand: Hand
    cached_at: float


_cache: OrderedDict[str, _CachedHand] = OrderedDict()  # by hand id, the latest at the end
_lock = threading.Lock()  # for changes


def read_hand(end: RecordEnd, rules: Rules, hand: str, records: RecordReader) -> Hand | None:
    """Returns the hand whose record has this end; None if it has not begun. Raises UnreadableRecord."""
    if not end.lines:
        return None
    return cached_hand(hand, end.digest) or fold(rules, hand, records.lines(hand))


def fold(rules: Rules, hand: str, lines: Sequence[RecordLine]) -> Hand:
    """Returns the hand of a record, starting at its last opening. Raises UnreadableRecord."""
    texts = [line.text for line in lines]
    number = 1
    try:
        for number, (line, expected) in enumerate(zip(lines, chain(hand, "", texts)), 1):  # noqa: B007
            if line.digest != expected.digest:
                raise ValueError("its digest does not match")
        if folded := cached_hand(hand, lines[-1].digest):
            return folded
        number = max(position for position, text in enumerate(texts, 1) if is_opening_line(text))
        folded = Hand(rules, read_shared_opening(texts[number - 1]))
        for number, text in enumerate(texts[number:], number + 1):  # noqa: B020 B007 for the message below
            folded = folded.after(read_event(text))
    except Exception as error:  # a damaged line may raise anything
        raise UnreadableRecord(f"its record is damaged at line {number} ({error})") from error
    cache_hand(hand, lines[-1].digest, folded)
    return folded


def cache_hand(hand: str, digest: str, folded: Hand) -> None:
    """Caches the hand whose record ends with this digest; replaces an earlier one."""
    now = time.monotonic()
    with _lock:
        _cache.pop(hand, None)  # moves it to the end
        _cache[hand] = _CachedHand(digest, folded, now)
        while _cache and _has_excess(now):
            _cache.popitem(last=False)


def _has_excess(now: float) -> bool:
    """Returns whether the cache has too many hands, or its first one is too old."""
    return len(_cache) > CACHE_SIZE or next(iter(_cache.values())).cached_at < now - CACHE_SECONDS


def drop_hand(hand: str) -> None:
    """Drops a hand from the cache."""
    with _lock:
        _cache.pop(hand, None)


def latest_cached_hand(hand: str) -> Hand | None:
    """Returns the cached hand, which may be out of date."""
    entry = _cache.get(hand)
    return entry.hand if entry else None


def cached_hand(hand: str, digest: str) -> Hand | None:
    """Returns the hand whose record ends with this digest, if it is cached."""
    entry = _cache.get(hand)
    return entry.hand if entry and entry.digest == digest else None
