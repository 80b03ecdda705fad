"""The ck and nk logs: one hand as its two keepers saw it, written line by line and read back (rulings 6–8).

A log is told from one keeper's side. Exchanges stand in both files of a participant (``PM`` own, ``RM``
the other's), passes too (``PP``, ``RP``). Pick-ups (``pR``), looks (``VC``) and refused actions (``ER``)
stand in the file of the keeper on turn alone, whatever card was touched: each file replays by itself,
and the two together lose nothing and tell nothing twice.

Where two play, a hand stands in the ck file of one and in the nk file of the other, each as that one's PC saw
it; the heads name the partner. Who is Ck in one hand and Nk in another has hands in both files.

The clock ``t`` is seconds with three decimals since the session was created; in this module it is
``ms``, whole milliseconds.

``writing`` tells a hand line by line, ``reading`` reads any log with care, ``quick`` reads the moves of many.
"""

from cardlab.games.ttt.keeper_log.names import (
    KEEPER_NAMES,
    ROBOT,
    VIEWS,
    file_name,
    files_of,
    is_told,
    partner_of,
)
from cardlab.games.ttt.keeper_log.reading import Log, LoggedEvent, LoggedHand, read
from cardlab.games.ttt.keeper_log.writing import HandWriter, ParticipantLog, hand_lines, head

__all__ = (
    "KEEPER_NAMES",
    "ROBOT",
    "VIEWS",
    "HandWriter",
    "Log",
    "LoggedEvent",
    "LoggedHand",
    "ParticipantLog",
    "file_name",
    "files_of",
    "hand_lines",
    "head",
    "is_told",
    "partner_of",
    "read",
)
