"""Adds slots to a session: when more people come than it has slots, or for each visitor of an open session.

New participants get the rows and deals that they would have had in a larger session. If this would change the
rows and deals of the others, adding slots is refused. With ``slots`` ``on_arrival``, hands are dealt for the
maximum number of participants, and each visitor gets a slot (``cardlab.live.slots_on_arrival``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import otree.bots.runner
from otree.common import get_constants, get_models_module
from otree.database import db
from otree.models import Participant, Session
from otree.session import SessionConfig

from cardlab.core.patch import Wrapper
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, config_for_app
from cardlab.games.text_file import shorten
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.dealing import Fields, lines_of, openings_of_round, write_fields
from cardlab.sessions.rows import (
    MOST_SLOTS,
    add_participants,
    creating_session_of,
    deals_hands,
    makes_slots_on_arrival,
    slot_limit,
)
from cardlab.sessions.treatments import treatment_names

MAX_ADDED = 200  # slots at once: a typing error must not block the players
SECOND_SESSION_HINT = "Create a second session for the participants who arrived late."


class CannotAdd(Exception):
    """Raised if slots cannot be added, with a sentence for the researcher."""


def add_slots(session: Session, count: Any) -> list[Participant]:
    """Adds ``count`` participants to a session, all or none, and returns them. Raises CannotAdd.

    If slots are created on arrival, ``count`` more visitors can come, and no participants are returned.
    Call it under oTree's lock; the request commits.
    """
    if type(count) is not int or not 1 <= count <= MAX_ADDED:
        raise CannotAdd(
            f"The number of slots must be a whole number from 1 to {MAX_ADDED}, not '{shorten(count)}'."
        )
    old_limit = slot_limit(session)
    fields = _deal_again(session, old_limit + count)
    try:
        write_fields(fields)
        if makes_slots_on_arrival(session.config):
            session.config = SessionConfig({**session.config, MOST_SLOTS: old_limit + count})
            participants = []
        else:
            _refuse_own_groups(session)
            participants = add_participants(session, count)
    except BaseException:
        db.rollback()
        raise
    openings_of_round.cache_clear()
    first_slot, last_slot = old_limit + 1, old_limit + count
    which = f"Slots {first_slot} to {last_slot} were" if count > 1 else f"Slot {last_slot} was"
    tell_researcher(session, f"{which} added while the session was running.")
    return participants


def add_slot_for_visitor(session: Session, lost: Collection[int] = ()) -> Participant | None:
    """Creates a visitor's slot, if slots are created on arrival; None if the session can have no more.

    ``lost`` are the ids of participants who have disappeared: their places in the treatments are free.
    """
    if not can_add_visitor(session):
        return None
    return add_participants(session, 1, lost)[0]


def can_add_visitor(session: Session) -> bool:
    """Returns whether a slot can be created for one more visitor."""
    return makes_slots_on_arrival(session.config) and session.num_participants < slot_limit(session)


def reason_not_to_add(session: Session) -> str | None:
    """Returns why slots cannot be added to a session, as a sentence; None if they can."""
    config = session.config
    if config.get("use_browser_bots"):
        return "You cannot add slots to a session that bots play. Create a larger session instead."
    if makes_slots_on_arrival(config):
        return None  # checked before the session was created
    for app in config["app_sequence"]:
        if _share_hands(app, config_for_app(config, app)):
            return (
                f"You cannot add slots, because participants play {app} together and the groups "
                f"are already planned. {SECOND_SESSION_HINT}"
            )
        if _sets_up_all_players(app):
            return (
                f"You cannot add slots, because {app} sets up all its players at once in its own "
                f"creating_session. {SECOND_SESSION_HINT}"
            )
    return None


def reason_for_fixed_slots(config: Config) -> str | None:
    """Returns why the slots of a session cannot be created on arrival, as a sentence; None if they can."""
    for app in config["app_sequence"] if makes_slots_on_arrival(config) else ():
        if get_constants(app).get_normalized("players_per_group") is not None:
            return (
                f"slots cannot be on_arrival, because PLAYERS_PER_GROUP of {app} fixes its groups in advance."
            )
        if _sets_up_all_players(app):
            return (
                f"slots cannot be on_arrival, because {app} sets up all its players at once in its own "
                "creating_session."
            )
    return None


def _sets_up_all_players(app: str) -> bool:
    return creating_session_of(app) is not None and not deals_hands(app)


def _share_hands(app: str, config: Config) -> bool:
    """Returns whether participants of an app play in groups; if formed on arrival, by ``group_size``."""
    if get_constants(app).get_normalized("players_per_group") is not None:
        return True
    by_arrival: bool = get_models_module(app).Subsession._has_group_by_arrival_time()
    return bool(config["group_size"] > 1) if "group_size" in config else by_arrival


def _deal_again(session: Session, participants: int) -> Fields:
    """Returns the subsessions' fields with the openings for a new number of participants.

    Raises CannotAdd if the openings of existing participants would change.
    """
    if wrong := reason_not_to_add(session):
        raise CannotAdd(wrong)
    all_fields: Fields = []
    for app in session.config["app_sequence"]:
        model, creating = get_models_module(app).Subsession, creating_session_of(app)
        if creating is None:
            continue
        first_subsession = model.objects_get(session=session, round_number=1)
        try:
            new_fields = creating.deal_again(first_subsession, participants)
        except BadFile as wrong:
            raise CannotAdd(f"The deals of {app} cannot be repeated: {wrong}") from None
        for subsession, fields in new_fields:
            for field, text in fields.items():
                if _has_changed(session, getattr(subsession, field), text):
                    raise CannotAdd(
                        f"You cannot add slots, because {app} would now deal differently than "
                        "when the session was created. One of its files, or the version of Card "
                        f"Lab, has changed. {SECOND_SESSION_HINT}"
                    )
        all_fields += new_fields
    return all_fields


def _has_changed(session: Session, old_text: str, new_text: str) -> bool:
    """Returns whether, in any treatment, the new openings do not begin with the earlier ones."""
    pairs = [(lines_of(old_text, name), lines_of(new_text, name)) for name in treatment_names(session)]
    return any(old != new[: len(old)] for old, new in pairs)


def _refuse_own_groups(session: Session) -> None:
    """Raises CannotAdd if an app has formed its own groups, which new slots cannot join."""
    for app in session.config["app_sequence"]:
        models = get_models_module(app)
        if models.Subsession._has_group_by_arrival_time():
            continue
        if models.Group.objects_filter(models.Group.id_in_subsession > 1, session=session).first():
            raise CannotAdd(
                f"You cannot add slots, because {app} has already put its participants into groups of "
                "its own."
            )


def _run_bots(usual: Callable[..., None], session_id: int, case_number: int | None = None) -> None:
    session = Session.objects_get(id=session_id)
    if missing := slot_limit(session) - session.num_participants:
        add_participants(session, missing)
        db.commit()
    usual(session_id, case_number)


PATCHES = (
    Wrapper(
        *(otree.bots.runner, "run_bots", _run_bots, "feature", "9a75079e9c6ca380"),
        "`otree test` plays all slots that a session can have.",
    ),
)
