"""The ck and nk logs: a hand from the side of each keeper, written and read (rulings 6–8).

Both files of a participant contain exchanges (``PM`` own, ``RM`` the other's) and passes (``PP``, ``RP``).
Pick-ups (``pR``), looks (``VC``) and refused actions (``ER``) are in the file of the keeper on turn alone,
whatever card was touched. So each file replays by itself, and the two together lose and repeat nothing.

Where two play, a hand is in the ck file of one participant and in the nk file of the other, as the PC of each
saw it; the heads name the partner. A participant who is Ck in one hand and Nk in another has hands in
both files.

The clock ``t`` is seconds with three decimals since the session was created. In the code it is ``ms``, whole
milliseconds.

``writing`` writes a hand line by line, and ``reading`` reads any log.
"""

from cardlab.games.ttt.keeper_log.names import ROBOT, file_keepers, file_name, is_logged, partner_code
from cardlab.games.ttt.keeper_log.reading import LoggedEvent, LoggedHand, read
from cardlab.games.ttt.keeper_log.writing import ParticipantLog

__all__ = ["ROBOT", "file_keepers", "file_name", "is_logged", "partner_code"]
__all__ += ["LoggedEvent", "LoggedHand", "ParticipantLog", "read"]
