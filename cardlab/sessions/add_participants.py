"""Adds slots to a running session, when more people come than it has slots.

New participants get the rows and deals that they would have had in a larger session. Those of the others do
not change; a session in which they would is refused.
"""

from __future__ import annotations

from typing import Any

from otree.common import get_constants, get_models_module
from otree.database import db
from otree.models import Participant, Session

from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, config_for_app
from cardlab.games.text_file import shorten
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.dealing import Fields, lines_of, openings_of_round, write_fields
from cardlab.sessions.treatments import treatment_names

MAX_ADDED = 200  # slots at once: a typing error must not block the players
SECOND_SESSION_HINT = "Create a second session for the participants who arrived late."


class CannotAdd(Exception):
    """Raised if slots cannot be added, with a sentence for the researcher."""


def add_slots(session: Session, count: Any) -> list[Participant]:
    """Adds ``count`` participants to a session, all or none, and returns them. Raises CannotAdd.

    Call it under oTree's lock; the request commits.
    """
    if type(count) is not int or not 1 <= count <= MAX_ADDED:
        raise CannotAdd(
            f"The number of slots must be a whole number from 1 to {MAX_ADDED}, not '{shorten(count)}'."
        )
    fields = _deal_again(session, session.num_participants + count)
    try:
        write_fields(fields)
        added = _add_rows(session, count)
    except BaseException:
        db.rollback()
        raise
    openings_of_round.cache_clear()
    first, last = added[0].id_in_session, added[-1].id_in_session
    which = f"Slots {first} to {last} were" if count > 1 else f"Slot {last} was"
    tell_researcher(session, f"{which} added while the session was running.")
    return added


def reason_not_to_add(session: Session) -> str | None:
    """Returns why slots cannot be added to a session, as a sentence; None if they can."""
    config = session.config
    if config.get("use_browser_bots"):
        return "You cannot add slots to a session that bots play. Create a larger session instead."
    for app in config["app_sequence"]:
        models = get_models_module(app)
        if _share_hands(app, config_for_app(config, app)):
            return (
                f"You cannot add slots, because participants play {app} together and the groups "
                f"are already planned. {SECOND_SESSION_HINT}"
            )
        creating = getattr(models.Subsession.get_user_defined_target(), "creating_session", None)
        if creating and not hasattr(creating, "deal_again"):
            return (
                f"You cannot add slots, because {app} sets up all its players at once in its own "
                f"creating_session. {SECOND_SESSION_HINT}"
            )
    return None


def _share_hands(app: str, config: Config) -> bool:
    """Returns whether participants of an app play in groups; if formed on arrival, by ``group_size``."""
    if get_constants(app).get_normalized("players_per_group") is not None:
        return True
    by_arrival: bool = get_models_module(app).Subsession._has_group_by_arrival_time()
    return bool(config["group_size"] > 1) if "group_size" in config else by_arrival


def _deal_again(session: Session, participants: int) -> Fields:
    """Returns the subsessions' fields with the openings for a new number of participants.

    Raises CannotAdd if the openings of the present participants would change.
    """
    if wrong := reason_not_to_add(session):
        raise CannotAdd(wrong)
    dealt: Fields = []
    for app in session.config["app_sequence"]:
        model = get_models_module(app).Subsession
        creating = getattr(model.get_user_defined_target(), "creating_session", None)
        if creating is None:
            continue
        first = model.objects_get(session=session, round_number=1)
        try:
            again = creating.deal_again(first, participants)
        except BadFile as wrong:
            raise CannotAdd(f"The deals of {app} cannot be repeated: {wrong}") from None
        for subsession, fields in again:
            for field, text in fields.items():
                if _has_changed(session, getattr(subsession, field), text):
                    raise CannotAdd(
                        f"You cannot add slots, because {app} would now deal differently than "
                        "when the session was created. One of its files, or the version of Card "
                        f"Lab, has changed. {SECOND_SESSION_HINT}"
                    )
        dealt += again
    return dealt


def _has_changed(session: Session, before: str, now: str) -> bool:
    """Returns whether, in any treatment, the new openings do not begin with the earlier ones."""
    both = [(lines_of(before, name), lines_of(now, name)) for name in treatment_names(session)]
    return any(earlier != again[: len(earlier)] for earlier, again in both)


def _add_rows(session: Session, count: int) -> list[Participant]:
    """Adds participants, with their players in all rounds of all apps, as ``otree.session`` does."""
    known = session.num_participants
    pages = session.get_participants()[0]._max_page_index
    added = [
        Participant(
            id_in_session=known + number, session=session, _session_code=session.code, _max_page_index=pages
        )
        for number in range(1, count + 1)
    ]
    db.add_all(added)
    for app in session.config["app_sequence"]:
        _add_players(session, app, added)
    session.num_participants = known + count
    return list(session.pp_set.filter(Participant.id_in_session > known).order_by("id_in_session"))


def _add_players(session: Session, app: str, participants: list[Participant]) -> None:
    models = get_models_module(app)
    rounds = models.Subsession.objects_filter(session=session).order_by("round_number").all()
    by_arrival = models.Subsession._has_group_by_arrival_time()
    next_group = rounds[0]._gbat_next_group_id_in_subsession()
    for subsession in rounds:
        row = {"session": session, "subsession": subsession, "round_number": subsession.round_number}
        if by_arrival:  # until the waiting page they are in a group that plays nothing
            group, members = models.Group(**row, id_in_subsession=next_group), 0
            db.add(group)
        else:
            groups = subsession.get_groups()
            if len(groups) != 1:
                raise CannotAdd(
                    f"You cannot add slots, because {app} has already put its participants into "
                    "groups of its own."
                )
            group, members = groups[0], len(groups[0].get_players())
        db.add_all(
            models.Player(**row, participant=participant, group=group, id_in_group=members + number)
            for number, participant in enumerate(participants, 1)
        )
