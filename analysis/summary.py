"""The Transform summary of all hands of the sources, participant by participant (ruling 10)."""

from __future__ import annotations

from collections.abc import Iterable

from analysis import ttt
from analysis.actions_table import TableHand
from analysis.keeper_logs import LogHand
from games.ttt import rules, transform


def lines(hands: Iterable[TableHand | LogHand]) -> list[str]:
    """Two lines a hand. Participants stand in the order in which they come first, like their hands.

    (A table of actions has everybody's first hand, then everybody's second.) Raises BadFile.
    """
    plays: dict[str, list[tuple[rules.Layout, str]]] = {}
    for hand in hands:
        if isinstance(hand, LogHand):
            plays.setdefault(hand.told.participant, []).append((hand.told.layout, hand.told.sequence))
        else:
            state = ttt.replay(hand)
            plays.setdefault(hand.participant, []).append((rules.parse_deal(hand.deal)[0], state.sequence))
    return transform.summary(play for of_one in plays.values() for play in of_one)
