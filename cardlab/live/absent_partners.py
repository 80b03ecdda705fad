"""Handles a participant's choice about a disconnected co-player.

After ``partner_away_seconds`` the page offers to keep waiting, to let the server play for the co-player, or
to stop and be paid. The choice is a note in the hand's record. A co-player for whom the server plays is
marked as dropped out until they return.
"""

from __future__ import annotations

from typing import Any

from cardlab.core.clock import now_ms
from cardlab.core.protocol import Malformed, parse
from cardlab.games.events import LET_SERVER_PLAY, STOP
from cardlab.live import interventions, notices
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.seat import Seat

BY_CO_PLAYER = "by a co-player"  # the text of such a dropout's notice


def is_choice(text: Any) -> bool:
    """Returns whether a message is a well-formed choice."""
    try:
        return bool(parse(text).choice)
    except Malformed:
        return False


def choose_and_write(seat: Seat, text: Any) -> Answer:
    """Writes a choice and its consequences for other hands; rejects it if every co-player is back."""
    hand, choice = LAB.service.hand(seat), parse(text).choice
    absent = LAB.service.absent_co_players(seat, hand) if hand else set()
    answer = LAB.service.receive_and_write(seat, text)
    if not answer.hand:  # refused, or the participant is on another page
        return answer
    if choice == STOP:
        ids = seat.key.session_id, [seat.key.participant_id]
        notices.add(LAB.records, *ids, notices.STOPPED, now_ms(), seat.app)
    if choice != LET_SERVER_PLAY:
        return answer
    codes = [code for name, code in seat.co_players if name in absent]
    standing = interventions.drop_out(seat.session_code, codes, BY_CO_PLAYER).message["standings"]
    hand = LAB.service.hand(seat) or answer.hand
    return Answer({**LAB.service.message_for(seat, hand), "standings": standing}, hand)


def notify(answer: Answer | Exception) -> None:
    """Notifies the pages of participants whom a choice marked as dropped out. Call it after the commit."""
    if isinstance(answer, Answer) and "standings" in answer.message:
        interventions.notify(answer)
        del answer.message["standings"]
