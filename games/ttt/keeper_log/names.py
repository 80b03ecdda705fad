"""What a log calls places and keepers, and how its file is called."""

from __future__ import annotations

import datetime

VIEWS = {  # place → its name in a log, in the order of dealing
    "Nk": "numberCardView",
    "N": "downNumberCardView",
    "UP": "upCardView",
    "C": "downColorCardView",
    "Ck": "colorCardView",
    "T": "targetCardView",
}
KEEPER_NAMES = {"ck": "Color", "nk": "Number"}


def file_name(keeper: str, day: datetime.date, participant_code: str) -> str:
    """``ckddmmyy_code.txt`` or ``nkddmmyy_code.txt``; ``day`` is the UTC day (ruling 8)."""
    return f"{keeper}{day:%d%m%y}_{participant_code}.txt"
