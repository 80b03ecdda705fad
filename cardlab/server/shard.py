"""What makes a server one of several behind one address (``cardlab.operations.several_servers``): codes that
begin with its letter, by which requests find it, and its own rooms alone.
"""

from __future__ import annotations

import os
import sys

from otree.common import random_chars, random_chars_join_code
from otree.models import Participant, Session
from otree.room import ROOM_DICT

LETTER, ROOMS = "CARD_LAB_SERVER", "CARD_LAB_ROOMS"  # as cardlab.operations.servers_file calls them


def take_letter_and_rooms() -> None:
    """As the environment says; nothing if it says nothing, for a server by itself."""
    letter = os.environ.get(LETTER)
    if not letter:
        return
    Participant.__table__.c.code.default.arg = lambda _context: letter + random_chars(7)
    Session.__table__.c.code.default.arg = lambda _context: letter + random_chars(7)
    Session.__table__.c._anonymous_code.default.arg = lambda _context: letter + random_chars_join_code()
    own = os.environ.get(ROOMS, "").split()
    if unknown := [room for room in own if room not in ROOM_DICT]:
        print(f"settings.py has no room {' and no room '.join(unknown)}.", file=sys.stderr)
    for room in [room for room in ROOM_DICT if room not in own]:
        del ROOM_DICT[room]
