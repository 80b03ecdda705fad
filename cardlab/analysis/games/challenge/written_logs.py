"""Regenerates the log of a session's games from its table of actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cardlab.analysis.folding import history
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.challenge import log, rules


def _log(hands: Sequence[SourceHand], _numbers: Mapping[str, int]) -> Iterator[str]:
    for hand in hands:
        source = f"session {hand.cells['session_code']} hand {hand.hand_id}"
        yield from log.lines_of_hand(history(hand, rules), source)


LINES = {"log": _log}
