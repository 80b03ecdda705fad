"""The labels of a room and their languages. The file is read for each visitor, so changes apply at once."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from otree.room import BaseRoom, LabelRoom

from cardlab.core.patch import Patch
from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.label_file import RoomLabels, read_room_labels
from cardlab.sessions.deal_files import read_room_file


def room_labels(file: str, known: Collection[str]) -> RoomLabels:
    """Returns the labels in the label file of a room; ``known`` are the languages of the server.

    If the file cannot be read, that is its only fault.
    """
    try:
        return _read(read_room_file(file), tuple(known))
    except BadFile as fault:
        return RoomLabels({}, [fault])


@lru_cache(maxsize=16)
def _read(source: DealFile, known: tuple[str, ...]) -> RoomLabels:
    return read_room_labels(source, known)


def languages_by_label(room: BaseRoom | None, known: Collection[str]) -> dict[str, str]:
    """Returns the labels of a room, each with its language; "" for none."""
    return room_labels(room.participant_label_file, known).languages if isinstance(room, LabelRoom) else {}


def room_fault(room: BaseRoom, known: Collection[str]) -> BadFile | None:
    """Returns the first fault of a room's label file; None if it is valid or the room has none."""
    faults = room_labels(room.participant_label_file, known).faults if isinstance(room, LabelRoom) else []
    return faults[0] if faults else None


def _valid_labels(self: LabelRoom) -> list[str]:
    return [*languages_by_label(self, ())]


PATCHES = (
    Patch(
        *(LabelRoom, "get_participant_labels", _valid_labels, "feature", "10c1698374d9e3f7"),
        "A room's label file may have languages. An invalid label in it keeps only itself out.",
    ),
)
