"""Records and their folds: a small memory of this process, so that the 300th action costs what the 3rd does.

To lose it loses nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from experiment.play import Draft
from games.contract import Rules
from games.hand import Hand
from games.record import Opening, lines, read_event, read_opening, write_event, write_opening

CACHE_SIZE = 2048

_folded: OrderedDict[tuple[str, str], Hand] = OrderedDict()


class Unreadable(Exception):
    """A record that does not tell a hand; ``str(error)`` says to a researcher what is wrong with it."""


def opened(opening: Opening, now_ms: int | None) -> str:
    """The record of a hand shown for the first time (``now_ms`` None: closed before it was shown)."""
    return write_opening(replace(opening, shown_ms=now_ms))


def fold(rules: Rules, record: str) -> Hand:
    """The hand that a record tells. Keyed by the whole text: a rollback can leave two of one length.

    Raises Unreadable.
    """
    hand = _folded.get((rules.__name__, record))
    if hand is None:
        line = 1
        try:
            first, *rest = lines(record)
            hand = Hand(rules, read_opening(first))
            for line, text in enumerate(rest, 2):  # noqa: B007 the message below says which
                hand = hand.after(read_event(text))
        except Exception as error:  # whatever the damage has made of it
            raise Unreadable(f"its record is damaged at line {line} ({error})") from error
        _remember(record, hand)
    return hand


def extended(record: str, draft: Draft) -> str:
    """The record with what is to be added; its fold, which the draft has, is remembered."""
    _folded.pop((draft.hand.rules.__name__, record), None)
    record += "".join(map(write_event, draft.events))
    _remember(record, draft.hand)
    return record


def _remember(record: str, hand: Hand) -> None:
    _folded[hand.rules.__name__, record] = hand
    while len(_folded) > CACHE_SIZE:
        _folded.popitem(last=False)
