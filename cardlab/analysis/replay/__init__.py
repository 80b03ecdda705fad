"""Hands to look at again: one HTML file with all that a participant could see, step by step.

``choice`` says which hands of the sources are meant, ``steps`` tells a hand step by step (a game's own log
does so itself), ``page`` makes the file: it shows the hands on the very boards that participants played on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from cardlab.analysis.folding import catch_odd_settings
from cardlab.analysis.games import module
from cardlab.analysis.hands import find_game
from cardlab.analysis.replay import choice, page
from cardlab.analysis.replay.steps import JsonObject, replay_hand
from cardlab.analysis.source_hand import SourceHand


def write_page(
    hands: Iterable[SourceHand],
    file: TextIO,
    *,
    hand_id: str | None = None,
    participant: str | None = None,
    seat: str | None = None,
) -> int:
    """Write the page of the one hand ``hand_id``, or of all hands of ``participant``; how many there are.

    Seen from ``seat``; without it, from the seat of the participant, or of the first who sat at the table.
    BadFile if there is no such hand, participant or seat, or a hand cannot be played by the rules.
    """
    chosen = choice.select_hands(hands, hand_id, participant)
    alone = hand_id is not None
    told = [_replay_hand(hand, seat or choice.choose_seat(hand, participant), alone) for hand in chosen]
    file.write(page.render_page(told))
    return len(told)


def _replay_hand(hand: SourceHand, seat: str | None, alone: bool) -> JsonObject:
    """A hand step by step; what is searched for stands beside its actions only if it is the one asked for."""
    game = find_game(hand)
    if hand.row_source:
        told = hand.row_source.replay(seat)
    else:
        with catch_odd_settings(hand):
            own = module(game.name, "replay_notes")
            beside = own.action_notes if own and (alone or not own.SEARCHES) else None
            told = replay_hand(hand, seat, game.rules, beside)
    return {"id": hand.hand_id, "game": game.name, "title": game.title, **told}
