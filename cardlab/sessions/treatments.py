"""The treatments of a session: which participant has which, and the config as it holds in it.

What their files said when the session was made is kept with it, and holds whatever becomes of the files
(``cardlab.sessions.treatment_assignment``, which also gives the treatments).
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
KEPT = "treatment_files"  # in the session's vars, as they were read: names, texts, SHA-256


def of(participant: Any) -> str:
    """The name of a participant's treatment; empty if there is none, or none yet.

    Read past ``vars``: whatever is looked up there oTree writes anew.
    """
    if not has_treatments(participant.session):
        return ""  # a field of that name may be another app's own
    name = participant._vars.get(TREATMENT, "")
    return name if isinstance(name, str) and NAME.fullmatch(name) else ""


def has_treatments(session: Any) -> bool:
    """Whether the session's config names a file of treatments."""
    return bool(treatment_file_name(session.config))


def of_session(session: Any) -> Treatments | None:
    """The treatments that a session has, as they were when it was made; None if it has none."""
    if not has_treatments(session):
        return None
    return reread_treatments(tuple(DealFile(*file) for file in session._vars[KEPT]))


def names_in(session: Any) -> list[str]:
    """The names of a session's treatments; one that is empty where it has none."""
    treatments = of_session(session)
    return treatments.names if treatments else [""]


def of_row(row: Any) -> str:
    """The treatment of an oTree row: of a player, of the members of a group, empty for a subsession."""
    if not has_treatments(row.session):
        return ""
    player = row.player_set.first() if isinstance(row, BaseGroup) else row
    return of(player.participant) if isinstance(player, BasePlayer) else ""


def config_in(session: Any, app: str, treatment: str) -> Config:
    """A session's config as it holds for an app in a treatment; without a name, in none."""
    treatments = of_session(session) if treatment else None
    return config_for_treatment(session.config, treatments.fields(treatment) if treatments else {}, app)
