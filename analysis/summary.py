"""The Transform summary of all hands of the sources, participant by participant (ruling 10)."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from analysis import ttt
from analysis.actions_table import TableHand
from analysis.keeper_logs import LogHand
from games.ttt import rules, transform


def lines(hands: Iterable[TableHand | LogHand]) -> list[str]:
    """Two lines a hand. Participants stand in the order in which they come first, like their hands.

    (A table of actions has everybody's first hand, then everybody's second.) Raises BadFile.
    """
    plays: dict[str, list[tuple[rules.Layout, str]]] = {}
    with _no_search_for_cycles():
        for hand in hands:
            if isinstance(hand, LogHand):
                told = hand.told
                plays.setdefault(told.participant, []).append((told.layout, told.sequence))
            else:
                state = ttt.replay(hand)
                plays.setdefault(hand.participant, []).append(
                    (rules.parse_deal(hand.deal)[0], state.sequence)
                )
        return transform.summary(play for of_one in plays.values() for play in of_one)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Python searches growing data for cycles again and again, and hands have none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
