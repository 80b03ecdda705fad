"""Hands to look at again: one HTML file with all that a participant could see, step by step.

``choice`` says which hands of the sources are meant, ``steps`` and ``log_steps`` tell a hand step by step,
``page`` makes the file: it shows the hands on the very boards that participants played on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from analysis.actions_table import TableHand
from analysis.folding import settings_in_force
from analysis.hands import Hand, game_of
from analysis.replay import choice, page
from analysis.replay.log_steps import of_log
from analysis.replay.steps import Told, of_table


def write(
    hands: Iterable[Hand],
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
    chosen = choice.chosen(hands, hand_id, participant)
    file.write(page.html([_told(hand, seat or choice.seat(hand, participant)) for hand in chosen]))
    return len(chosen)


def _told(hand: Hand, seat: str | None) -> Told:
    game = game_of(hand)
    if isinstance(hand, TableHand):
        with settings_in_force(hand):
            told = of_table(hand, seat, game.rules)
    else:
        told = of_log(hand, seat)
    return {"id": choice.id_of(hand), "game": game.name, "title": game.title, **told}
