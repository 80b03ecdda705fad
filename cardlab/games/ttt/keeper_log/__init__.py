"""Writes and reads the ck and nk logs, which have a hand from the side of each keeper (rulings 6–8).

Both files of a participant have the exchanges (``PM`` own, ``RM`` the other keeper's) and passes (``PP``,
``RP``). Pick-ups (``pR``), looks (``VC``) and rejected actions (``ER``) are only in the file of the keeper on
turn. So each file can be replayed alone, and both together are complete without duplicates.

If two participants play, a hand is in the ck file of one and the nk file of the other, as each one's PC saw
it. The heads name the partner. A participant who is Ck in one hand and Nk in another has both files.

The clock ``t`` is seconds with three decimals since the creation of the session. The code uses ``ms``, whole
milliseconds.

``writing`` writes a hand line by line, and ``reading`` reads a log.
"""

from cardlab.games.ttt.keeper_log.names import ROBOT, file_keepers, file_name, is_logged, partner_code
from cardlab.games.ttt.keeper_log.reading import LoggedEvent, LoggedHand, read
from cardlab.games.ttt.keeper_log.writing import ParticipantLog

__all__ = ["ROBOT", "file_keepers", "file_name", "is_logged", "partner_code"]
__all__ += ["LoggedEvent", "LoggedHand", "ParticipantLog", "read"]
