"""What a log calls places and keepers, and how its file is called."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from cardlab.games.hand import Hand
from cardlab.games.ttt import rules

VIEWS = {  # place → its name in a log, in the order of dealing
    "Nk": "numberCardView",
    "N": "downNumberCardView",
    "UP": "upCardView",
    "C": "downColorCardView",
    "Ck": "colorCardView",
    "T": "targetCardView",
}
KEEPER_NAMES = {"ck": "Color", "nk": "Number"}
ROBOT = "robot"  # the partner of who plays with one


def files_of(seat: str) -> tuple[str, ...]:
    """The keepers in whose files a hand stands that was played in the seat: both of who moves both."""
    return (seat,) if seat in rules.KEEPERS else rules.KEEPERS


def is_told(hand: Hand, seat: str) -> bool:
    """Whether a hand stands in the files of who has the seat: of one of two, if they ever came to it."""
    return len(hand.seats) == 1 or hand.seats[seat].arrived_ms is not None


def partner_of(seat: str, codes: Mapping[str, str]) -> str:
    """The code of who has the other keeper, ``ROBOT`` if nobody has; empty for who moves both.

    ``codes`` are those of the participants by their seats.
    """
    return codes.get(rules.other(seat), ROBOT) if seat in rules.KEEPERS else ""


def file_name(keeper: str, day: datetime.date, participant_code: str) -> str:
    """``ckddmmyy_code.txt`` or ``nkddmmyy_code.txt``; ``day`` is the UTC day (ruling 8)."""
    return f"{keeper}{day:%d%m%y}_{participant_code}.txt"
