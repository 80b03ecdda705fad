"""Balances treatments across the sessions of a study: they share one series of treatments.

A session joins the series of the study's earlier sessions if it has the same treatment files and groups of
the same size. A participant who has arrived and is not lost to the study takes a place in the series.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otree.models import Participant, Session

from cardlab.core import clock
from cardlab.games.treatments import slots_per_treatment
from cardlab.sessions import study_register
from cardlab.sessions.arrival import FINISHED, has_arrived
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.treatments import TREATMENT_FILES

SEED = "treatment_seed"  # in the session's vars: the seed of the series, if an earlier session began it
LOST_MS = 3_600_000  # without a request, after which an unfinished participant elsewhere is lost


def join(session: Session) -> None:
    """Joins a new session to the series of its study; tells the researcher if it cannot."""
    others = [other for other in _others(session) if TREATMENT_FILES in other._vars]
    if not others or TREATMENT_FILES not in session._vars:
        return
    alike = [other for other in others if _can_share_series(session, other)]
    if alike:
        session.vars[SEED] = seed_of(alike[0])
    else:
        tell_researcher(
            session,
            f"Treatments are not balanced with the earlier sessions of the study {session.config['study']}, "
            "because the treatment file, the label file or the size of the groups differs.",
        )


def seed_of(session: Session) -> Any:
    """Returns the seed that draws the series of treatments."""
    return session._vars.get(SEED, session.config["seed"])


def participants_elsewhere(session: Session) -> Iterator[Participant]:
    """Yields the participants of the study's other sessions who count in the series."""
    for other in _others(session):
        if _can_share_series(session, other) and seed_of(session) == seed_of(other):
            yield from (
                participant
                for participant in other.pp_set
                if has_arrived(participant) and not _is_lost(participant)
            )


def _others(session: Session) -> list[Session]:
    """Returns the other sessions of the study, oldest first, without demo sessions."""
    study = study_register.setting(session.config, "study")
    if not study:
        return []
    others = Session.objects_filter(Session.id != session.id, Session.is_demo == False)  # noqa: E712
    return [
        other for other in others.order_by("id") if study_register.setting(other.config, "study") == study
    ]


def _can_share_series(session: Session, other: Session) -> bool:
    """Returns whether two sessions have the same treatment files and groups of the same size."""
    files, theirs = (each_session._vars.get(TREATMENT_FILES) for each_session in (session, other))
    sizes = {slots_per_treatment(each_session.config) for each_session in (session, other)}
    return bool(files) and files == theirs and len(sizes) == 1


def _is_lost(participant: Participant) -> bool:
    """Returns whether an unfinished participant has ended early, or sent no request for ``LOST_MS``."""
    now = clock.now_ms()
    silent_ms = now - clock.past_ms(participant._last_request_timestamp, now)
    return participant.status != FINISHED and (bool(participant.status) or silent_ms > LOST_MS)
