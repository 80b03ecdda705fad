"""Assigns treatments: to each slot when it is created, or to its participant on arrival.

The session stores the files, and an assignment never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random
from typing import Any

from otree.models import Participant, Session

from cardlab.core.patch import Wrapper
from cardlab.games.dealing import Config
from cardlab.games.minimization import minimized_treatment
from cardlab.games.text_file import quote
from cardlab.games.treatments import (
    BY_LABEL,
    MINIMIZED,
    Covariates,
    Treatments,
    design_warnings,
    read_treatments,
    slots_per_treatment,
    treatment_file_name,
    treatment_for_slot,
)
from cardlab.sessions import study_register, study_series
from cardlab.sessions.arrival import FINISHED
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.deal_files import read_treatment_file
from cardlab.sessions.treatments import (
    TREATMENT,
    TREATMENT_FILES,
    session_treatments,
    treatment_of,
)

# In the participant's vars, of which oTree exports none: the place in the series of treatments; the ids of
# the participants who were lost when the slot was created.
PLACE, LOST = "treatment_place", "treatment_lost"


def stored_files(config: Config) -> dict[str, Any]:
    """Returns the variables of a new session: its treatment files, if it has any."""
    name = treatment_file_name(config)
    return (
        {TREATMENT_FILES: [list(file) for file in read_treatments(name, read_treatment_file).files]}
        if name
        else {}
    )


def tell_design_warnings(session: Session, slots: int) -> None:
    """Shows warnings about the treatments' design to the researcher; ``slots`` is 0 if created on arrival."""
    treatments = session_treatments(session)
    if treatments and not study_register.setting(session.config, "continues"):
        for warning in design_warnings(treatments, slots, slots_per_treatment(session.config)):
            tell_researcher(session, warning)


def slot_variables(session: Session, place: int, lost: Collection[int] = ()) -> dict[str, Any]:
    """Returns the variables of a new slot's participant: the treatment, unless it is assigned on arrival.

    ``place`` is the place in the series of treatments, from 1. ``lost`` has the ids of lost participants, who
    do not count in minimization.
    """
    treatments = session_treatments(session)
    if treatments is None:
        return {}
    if _is_assigned_on_arrival(treatments, session.config):
        return {LOST: sorted(lost)} if lost and treatments.assignment == MINIMIZED else {}
    return {PLACE: place, TREATMENT: _slot_treatment(treatments, session, place)}


def _is_assigned_on_arrival(treatments: Treatments, config: Config) -> bool:
    return treatments.assignment in (BY_LABEL, MINIMIZED) or bool(study_register.setting(config, "continues"))


def _slot_treatment(treatments: Treatments, session: Session, slot: int) -> str:
    seed = study_series.seed_of(session)
    return treatment_for_slot(treatments, seed, slot, slots_per_treatment(session.config))


def _minimized(participant: Participant, covariates: Covariates, treatments: Treatments) -> str:
    """Returns the treatment of a participant who arrives, by minimization."""
    session, lost = participant.session, participant._vars.get(LOST, [])
    present = [other for other in session.pp_set if other.status in ("", FINISHED) and other.id not in lost]
    others = [
        (name, covariates.values((other.label or "").strip()))
        for other in (*present, *study_series.participants_elsewhere(session))
        if (name := treatment_of(other))
    ]
    return minimized_treatment(
        {treatment.name: treatment.share for treatment in treatments.treatments},
        covariates.values((participant.label or "").strip()),
        others,
        covariates.probability,
        Random(f"{session.config['seed']}, minimization of participant {participant.id_in_session}"),
    )


def _assign_on_arrival(participant: Participant) -> None:
    """Assigns a participant's treatment: that of their label, by minimization, or that of the slot.

    Notifies the researcher if the treatment should depend on a label, but the label is unknown.
    """
    treatments = session_treatments(participant.session)
    if treatments is None or treatment_of(participant) in treatments.names:
        return
    name, label = _treatment_of_label(participant, treatments), (participant.label or "").strip()
    if not name:
        if covariates := treatments.covariates:
            name = _minimized(participant, covariates, treatments)
            is_known_label = label in covariates.by_label
        else:
            name = _slot_treatment(treatments, participant.session, participant.id_in_session)
            is_known_label = treatments.assignment != BY_LABEL
        if not is_known_label:
            _tell_unknown_label(participant, label, treatments, name)
    participant.vars[TREATMENT] = name


def _treatment_of_label(participant: Participant, treatments: Treatments) -> str:
    """Returns the treatment of the study that a participant continues, or of the label file; "" for none."""
    part = study_register.continued_part(participant)
    if part and part.treatment in treatments.names:
        return part.treatment
    return treatments.by_label.get((participant.label or "").strip(), "")


def tell_kept_treatment(participant: Participant) -> None:
    """Notifies the researcher if a participant who arrives has another treatment than that of their label.

    It was assigned when the researcher advanced them, before their label was known.
    """
    treatments = session_treatments(participant.session)
    if treatments is None:
        return
    name, own = treatment_of(participant), _treatment_of_label(participant, treatments)
    if own not in ("", name):
        tell_researcher(
            participant.session,
            f"Participant {participant.id_in_session} was advanced before they arrived, and keeps the "
            f"treatment {name}. The treatment of their label is {own}.",
        )


def _tell_unknown_label(participant: Participant, label: str, treatments: Treatments, name: str) -> None:
    file, covariates = treatments.files[-1].name, treatments.covariates
    method = "as if all its covariates were empty" if covariates else "at random, as with balanced assignment"
    unknown = (
        f"{file} does not contain the label {quote(label)}. Participant "
        f"{participant.id_in_session}, who arrived with it, was assigned the treatment {name} {method}."
    )
    without = (
        f"A participant arrived or was advanced without a label, so {file} could not assign a treatment. It "
        "was drawn at random."
    )
    tell_researcher(participant.session, unknown if label else without)


def _initialize(
    initialize: Callable[[Participant, Any], None], self: Participant, participant_label: Any
) -> None:
    initialize(self, participant_label)
    _assign_on_arrival(self)


PATCHES = (
    Wrapper(
        *(Participant, "initialize", _initialize, "feature", "e86a8e85693c03a7"),
        "Assigns treatments by label or minimization when participants arrive or are advanced.",
    ),
)
