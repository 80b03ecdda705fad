"""Names places, keepers and files in the ck and nk logs."""

import datetime
from collections.abc import Mapping

from cardlab.games.hand import Hand
from cardlab.games.ttt import board

VIEWS = {  # place -> its name in a log, in the order of dealing
    "Nk": "numberCardView",
    "N": "downNumberCardView",
    "UP": "upCardView",
    "C": "downColorCardView",
    "Ck": "colorCardView",
    "T": "targetCardView",
}
KEEPER_NAMES = {"ck": "Color", "nk": "Number"}
ROBOT = "robot"  # stands for the code of a partner who is a robot


def file_keepers(seat: str) -> tuple[str, ...]:
    """Returns the keepers whose files have a hand of the seat: both if its participant moves both keepers."""
    return (seat,) if seat in board.KEEPERS else board.KEEPERS


def is_logged(hand: Hand, seat: str) -> bool:
    """Returns whether a hand is in the files of the seat's participant: not if they never arrived at it."""
    return len(hand.seats) == 1 or hand.seats[seat].arrived_ms is not None


def partner_code(seat: str, codes: Mapping[str, str]) -> str:
    """Returns the code of the participant with the other keeper, ``ROBOT``, or "" without a partner.

    ``codes`` are the participants' codes by seat.
    """
    return codes.get(board.other(seat), ROBOT) if seat in board.KEEPERS else ""


def file_name(keeper: str, day: datetime.date, participant_code: str) -> str:
    """Returns ``ckddmmyy_code.txt`` or ``nkddmmyy_code.txt``; ``day`` is the UTC day (ruling 8)."""
    return f"{keeper}{day:%d%m%y}_{participant_code}.txt"
