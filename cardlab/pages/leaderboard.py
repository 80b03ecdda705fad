"""The ten best hands of a session, or of the participant's treatment in it.

A game that shows them has the config field ``ten_best``: off, numbers (players have the participant's number)
or labels (the label, if there is one).
"""

from __future__ import annotations

from collections.abc import Iterator
from gettext import gettext as _
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.games.contract import OUTCOMES
from cardlab.games.hand import Hand
from cardlab.games.number_format import plain
from cardlab.sessions.config import config_of
from cardlab.sessions.treatments import row_treatment

if TYPE_CHECKING:
    from cardlab.pages.hand import HandPage

OFF, NUMBERS, LABELS = "off", "numbers", "labels"
LEADERBOARD_SIZE = 10


class BestHand(NamedTuple):
    """One of the best hands: place from 1, player, score, seconds, and whether it is the reader's."""

    place: int
    who: str
    score: str
    seconds: str
    own: bool


def best_hands(page: type[HandPage], player: Any) -> list[BestHand] | None:
    """Returns the best hands that reached the game's goal, without practice, the highest score first.

    None if they are not shown.
    """
    name_kind = config_of(player).get("ten_best", OFF)
    if name_kind == OFF:
        return None
    hands = [
        (hand.result(seat).score, hand.scored_seconds(seat), other_player)
        for other_player, hand in _begun_hands(page, player)
        for seat in [page.seat(other_player)]
        if OUTCOMES[hand.outcome_for(seat)].is_goal and not hand.opening.practice
    ]
    hands.sort(key=lambda entry: (-entry[0], entry[1], entry[2].participant.id_in_session))
    return [
        BestHand(
            place,
            _player_name(other_player.participant, name_kind),
            plain(score),
            plain(int(seconds)),
            other_player.participant.id == player.participant.id,
        )
        for place, (score, seconds, other_player) in enumerate(hands[:LEADERBOARD_SIZE], 1)
    ]


def _begun_hands(page: type[HandPage], player: Any) -> Iterator[tuple[Any, Hand]]:
    """Yields the hands of the player's treatment that have begun, with their players."""
    treatment, hands = row_treatment(player), page.shown_opening(player).hands
    for subsession in player.subsession.in_rounds(1, hands):
        for other_player in subsession.get_players():
            if row_treatment(other_player) == treatment and (hand := page.hand(other_player)) is not None:
                yield other_player, hand


def _player_name(participant: Any, name_kind: str) -> str:
    if name_kind == LABELS and participant.label:
        return str(participant.label)
    return _("Participant {number}").format(number=participant.id_in_session)
