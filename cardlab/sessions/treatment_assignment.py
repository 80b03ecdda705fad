"""Assigns treatments: to each slot when it is created or, by label, when its participant arrives.

The session stores the files, and an assignment never changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otree.models import Participant, Session

from cardlab.core.patch import Wrapper
from cardlab.games.dealing import Config
from cardlab.games.text_file import quote
from cardlab.games.treatments import (
    BY_LABEL,
    Treatments,
    design_warnings,
    read_treatments,
    slots_per_treatment,
    treatment_file_name,
    treatment_for_slot,
)
from cardlab.sessions import study_register
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.deal_files import read_treatment_file
from cardlab.sessions.treatments import (
    TREATMENT,
    TREATMENT_FILES,
    session_treatments,
    treatment_of,
)

PLACE = "treatment_place"  # in the participant's vars, of which oTree exports none


def stored_files(config: Config) -> dict[str, Any]:
    """Returns the variables of a new session: its treatment files, if it has any."""
    name = treatment_file_name(config)
    return (
        {TREATMENT_FILES: [list(file) for file in read_treatments(name, read_treatment_file).files]}
        if name
        else {}
    )


def tell_design_warnings(session: Session, slots: int) -> None:
    """Tells the researcher what may be unexpected about the treatments; ``slots`` is 0 if made on arrival."""
    treatments = session_treatments(session)
    if treatments and not study_register.setting(session.config, "continues"):
        for warning in design_warnings(treatments, slots, slots_per_treatment(session.config)):
            tell_researcher(session, warning)


def slot_variables(session: Session, place: int) -> dict[str, Any]:
    """Returns the variables of a new slot's participant: the treatment, unless labels decide.

    ``place`` is that in the series of treatments, from 1.
    """
    treatments = session_treatments(session)
    if treatments is None or _is_assigned_on_arrival(treatments, session.config):
        return {}
    return {PLACE: place, TREATMENT: _slot_treatment(treatments, session.config, place)}


def _is_assigned_on_arrival(treatments: Treatments, config: Config) -> bool:
    return treatments.assignment == BY_LABEL or bool(study_register.setting(config, "continues"))


def _slot_treatment(treatments: Treatments, config: Config, slot: int) -> str:
    return treatment_for_slot(treatments, config["seed"], slot, slots_per_treatment(config))


def _assign_on_arrival(participant: Participant) -> None:
    """Assigns the treatment of the participant's label, from the continued study or the label file.

    For an unknown label, assigns the treatment of the slot and notifies the researcher.
    """
    treatments = session_treatments(participant.session)
    if treatments is None or treatment_of(participant) in treatments.names:
        return
    part = study_register.continued_part(participant)
    if part and part.treatment in treatments.names:
        participant.vars[TREATMENT] = part.treatment
        return
    label, file = (participant.label or "").strip(), treatments.files[-1].name
    by_slot = _slot_treatment(treatments, participant.session.config, participant.id_in_session)
    name = treatments.by_label.get(label) or by_slot
    if treatments.assignment == BY_LABEL and label not in treatments.by_label:
        unknown = (
            f"{file} does not contain the label {quote(label)}. Participant "
            f"{participant.id_in_session}, who arrived with it, was assigned the treatment "
            f"{name} at random, as with balanced assignment."
        )
        without = (
            f"A participant arrived without a label, so {file} could not assign a treatment. It was "
            "drawn at random."
        )
        tell_researcher(participant.session, unknown if label else without)
    participant.vars[TREATMENT] = name


def _initialize(
    initialize: Callable[[Participant, Any], None], self: Participant, participant_label: Any
) -> None:
    initialize(self, participant_label)
    _assign_on_arrival(self)


PATCHES = (
    Wrapper(
        *(Participant, "initialize", _initialize, "feature", "e86a8e85693c03a7"),
        "With `by_label`, assigns the treatment when the participant arrives or is advanced.",
    ),
)
