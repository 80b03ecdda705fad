"""Writes the lines of one hand in a ck or nk log event by event, as the growing file gets them."""

from collections.abc import Iterable
from typing import Any

from cardlab.games.events import Event
from cardlab.games.ttt.keeper_log.writing import HandWriter


def hand_lines(
    keeper: str,
    number: int,
    deal: str,
    options: dict[str, Any],
    shown_ms: int,
    events: Iterable[Event],
    created_ms: int = 0,
) -> list[str]:
    """Returns all lines of one hand in the file of a keeper."""
    writer = HandWriter(keeper, number, deal, options, shown_ms, 0, created_ms)
    return writer.deal_lines() + [line for event in events for line in writer.event_lines(event)]
