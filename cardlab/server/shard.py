"""Configures this process as one of several servers behind one address (shards).

The proxy routes requests by the letter with which a server's codes begin. Each server has its own rooms
(``cardlab.operations.several_servers``).
"""

from __future__ import annotations

import os
import platform
import sys

from otree.common import random_chars, random_chars_join_code
from otree.models import Participant, Session
from otree.room import ROOM_DICT
from otree.templating.filters import register

from cardlab.core.patch import Patch

NAME = "CARD_LAB_NAME"  # of this computer on admin pages, instead of the system's
LETTER, ROOMS = "CARD_LAB_SERVER", "CARD_LAB_ROOMS"  # set by cardlab.operations.servers_file

_shard_letter = os.environ.get(LETTER, "")  # "" for a single server


@register
def on_this_server(name: str) -> str:
    """Returns the title of admin pages: a name with that of this computer and the letter of a shard."""
    letter = f", server {_shard_letter}" if _shard_letter else ""
    return f"{name} on {os.environ.get(NAME) or platform.node() or 'this computer'}{letter}"


def keep_own_rooms() -> None:
    """Removes the rooms of other shards, as the environment says. A single server keeps all."""
    if not _shard_letter:
        return
    own_rooms = os.environ.get(ROOMS, "").split()
    if unknown := [room for room in own_rooms if room not in ROOM_DICT]:
        print(f"settings.py has no room {' and no room '.join(unknown)}.", file=sys.stderr)
    for room in [room for room in ROOM_DICT if room not in own_rooms]:
        del ROOM_DICT[room]


def _new_code(_context: object) -> str:
    return _shard_letter + random_chars(8 - len(_shard_letter))


def _new_anonymous_code(_context: object) -> str:
    return _shard_letter + random_chars_join_code()


_REASON = "Codes begin with the server's letter, for the reverse proxy."
PATCHES = tuple(
    Patch(
        *(model.__table__.c[column].default, "arg", code, "feature", source),
        _REASON,
        label=f"otree.models.{model.__name__}.{column}.default",
    )
    for model, column, code, source in (
        (Participant, "code", _new_code, "8facde1555c5e80d"),
        (Session, "code", _new_code, "8facde1555c5e80d"),
        (Session, "_anonymous_code", _new_anonymous_code, "3c5052bf484374ad"),
    )
)
