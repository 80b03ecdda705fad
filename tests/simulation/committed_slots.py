"""Checks slots that are created on arrival: one per visitor, with treatments assigned in sequence."""

from __future__ import annotations

import binascii
import pickle
from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import Any, NamedTuple

from cardlab.games.dealing import DealFile
from cardlab.games.treatments import Treatments, reread_treatments, treatment_for_slot

PLACE, TREATMENT = "treatment_place", "treatment"  # a participant's variables
TREATMENT_FILES = "treatment_files"  # a session's variable
COUNTED = ("", "finished")  # participants with these statuses keep their position in the sequence


class Slot(NamedTuple):
    """A participant's slot; ``place`` is its position in the sequence of treatments, from 1."""

    code: str
    label: str
    place: int
    treatment: str
    status: str


def slot(code: str, label: str | None, status: str, stored: str) -> Slot:
    """Returns the slot of a row; ``stored`` contains the participant's variables in oTree's encoding."""
    fields = variables(stored)
    return Slot(code, label or "", fields.get(PLACE, 0), fields.get(TREATMENT, ""), status)


def variables(stored: str) -> dict[str, Any]:
    """Decodes variables as oTree stores them."""
    fields: dict[str, Any] = pickle.loads(binascii.a2b_base64(stored))
    return fields


def treatments_of(session_variables: dict[str, Any]) -> Treatments:
    """Returns the treatments of a session."""
    return reread_treatments(tuple(DealFile(*file) for file in session_variables[TREATMENT_FILES]))


class Connections(NamedTuple):
    """The codes of participants whose connection is known; some connections may be about to open or end."""

    connected: set[str]
    lost: set[str]  # disconnected for longer than ``lost_after_minutes``


def check_slots(now: list[Slot], config: Any) -> None:
    """Checks that a person has one slot, and that the session's maximum is kept."""
    assert len(now) <= config["most_slots"], f"there are {len(now)} slots of {config['most_slots']}"
    twice = [label for label, slots in Counter(each.label for each in now).items() if label and slots > 1]
    assert not twice, f"these people have two slots: {twice}"


def check_places(
    before: Iterable[Slot], now: list[Slot], treatments: Treatments, config: Any, connections: Connections
) -> None:
    """Checks a session's slots, in order, after a commit; ``before`` are the slots before it.

    A new slot gets the first free position in the sequence of treatments. It keeps its position and
    treatment. The positions of a group have the same treatment. The positions of lost participants who have
    not finished are free.
    """
    earlier = {each.code: each for each in before}
    counted = [each for each in before if each.status in COUNTED]
    taken = {each.place for each in counted if each.status or each.code not in connections.lost}
    may_be_free = {each.place for each in counted} if config["lost_after_minutes"] else set()
    may_be_free -= {each.place for each in counted if each.status or each.code in connections.connected}
    for each in now:
        old = earlier.get(each.code)
        if old:
            is_same = (old.place, old.treatment) == (each.place, each.treatment)
            assert is_same, f"{each.code} had place {old.place}, and has {each.place} now"
            continue
        first_free = next(place for place in count(1) if place not in taken)
        is_first = each.place == first_free or (each.place < first_free and each.place in may_be_free)
        assert is_first, f"{each.code} has place {each.place}, and {first_free} was free"
        taken.add(each.place)
        may_be_free.discard(each.place)
        due = treatment_for_slot(treatments, config["seed"], each.place, config.get("group_size", 1))
        assert each.treatment == due, f"place {each.place} has treatment {each.treatment}, and not {due}"
