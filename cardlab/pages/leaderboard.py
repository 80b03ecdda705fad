"""The ten best hands of a session, or of one's treatment in it, for who takes part.

A game that shows them has the field ``ten_best``: off, numbers (who played them is told by the participant's
number) or labels (by the label, where there is one).
"""

from __future__ import annotations

from collections.abc import Iterator
from gettext import gettext as _
from typing import Any, NamedTuple

from cardlab.core.number_format import plain
from cardlab.games.contract import OUTCOMES
from cardlab.games.hand import Hand
from cardlab.pages.pages import HandPage
from cardlab.sessions.config import config_of
from cardlab.sessions.treatments import of_row

OFF, NUMBERS, LABELS = "off", "numbers", "labels"
TEN = 10


class Best(NamedTuple):
    """A hand among the best: its place from 1, who played it, its score and seconds, whether it is one's
    own."""

    place: int
    who: str
    score: str
    seconds: str
    own: bool


def told(page: type[HandPage], player: Any) -> list[Best] | None:
    """The best hands that were brought to the end that the game aims at, practice left out, the highest
    score first; None where they are not shown."""
    shown = config_of(player)["ten_best"]
    if shown == OFF:
        return None
    hands = [
        (hand.result(page.seat(other)).score, hand.seconds(page.seat(other)), other)
        for other, hand in _hands(page, player)
        if OUTCOMES[hand.outcome_for(page.seat(other))].is_goal and not hand.opening.practice
    ]
    hands.sort(key=lambda one: (-one[0], one[1], one[2].participant.id_in_session))
    return [
        Best(
            place,
            _who(other.participant, shown),
            plain(score),
            plain(int(seconds)),
            other.participant.id == player.participant.id,
        )
        for place, (score, seconds, other) in enumerate(hands[:TEN], 1)
    ]


def _hands(page: type[HandPage], player: Any) -> Iterator[tuple[Any, Hand]]:
    """Every hand of the player's treatment in the session that has begun, with its player."""
    treatment = of_row(player)
    for round_of_hand in player.subsession.in_rounds(1, page.opening(player).hands):
        for other in round_of_hand.get_players():
            if of_row(other) == treatment and (hand := page.hand(other)) is not None:
                yield other, hand


def _who(participant: Any, shown: str) -> str:
    if shown == LABELS and participant.label:
        return participant.label
    return _("Participant {number}").format(number=participant.id_in_session)
