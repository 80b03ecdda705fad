"""The treatments of a session: each participant's treatment, and the config of each treatment.

The session stores the treatment files when it is created, so later changes of the files have no effect.
"""

from __future__ import annotations

from typing import Any

from otree.models import BaseGroup, BasePlayer

from cardlab.games.dealing import Config, DealFile
from cardlab.games.treatments import (
    NAME,
    Treatments,
    config_for_treatment,
    reread_treatments,
    treatment_file_name,
)

TREATMENT = "treatment"  # in the participant's vars; a field of PARTICIPANT_FIELDS too
TREATMENT_FILES = "treatment_files"  # in the session's vars: names, texts and SHA-256


def treatment_of(participant: Any) -> str:
    """Returns the name of a participant's treatment; "" if there is none (yet).

    Reads ``_vars``, because oTree rewrites the column after any access to ``vars``.
    """
    if not has_treatments(participant.session):
        return ""  # the variable may be another app's
    name = participant._vars.get(TREATMENT, "")
    return name if isinstance(name, str) and NAME.fullmatch(name) else ""


def has_treatments(session: Any) -> bool:
    """Returns whether the session config names a treatment file."""
    return bool(treatment_file_name(session.config))


def session_treatments(session: Any) -> Treatments | None:
    """Returns the treatments of a session; None if it has none."""
    if not has_treatments(session):
        return None
    return reread_treatments(tuple(DealFile(*file) for file in session._vars[TREATMENT_FILES]))


def treatment_names(session: Any) -> list[str]:
    """Returns the names of a session's treatments; a single "" if it has none."""
    treatments = session_treatments(session)
    return treatments.names if treatments else [""]


def row_treatment(row: Any) -> str:
    """Returns the treatment of a player or a group; "" for a subsession."""
    if not has_treatments(row.session):
        return ""
    player = row.player_set.first() if isinstance(row, BaseGroup) else row
    return treatment_of(player.participant) if isinstance(player, BasePlayer) else ""


def config_in_treatment(session: Any, app: str, treatment: str) -> Config:
    """Returns the session config for an app in a treatment ("" for none)."""
    treatments = session_treatments(session) if treatment else None
    return config_for_treatment(session.config, treatments.fields(treatment) if treatments else {}, app)
