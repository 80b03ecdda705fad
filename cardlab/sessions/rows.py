"""Creates the rows of a session: participants, and the subsessions, groups and players of each app.

Replaces oTree's function that creates sessions. oTree creates ``NUM_ROUNDS`` rounds, with an object and an
insert for each row. Here a game gets only the rounds that it plays, and rows are inserted in bulk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import Any

from otree.common import get_constants, get_models_module, get_pages_module
from otree.constants import get_role, get_roles
from otree.database import VarsDict, db
from otree.models import Participant, Session
from otree.room import ROOM_DICT
from otree.session import SessionConfig
from sqlalchemy import func, select

from cardlab.games.dealing import Config
from cardlab.games.shared_settings import ON_ARRIVAL
from cardlab.games.treatments import free_places, slots_per_treatment
from cardlab.sessions import study_register, study_series
from cardlab.sessions.arrival import FINISHED
from cardlab.sessions.dealing import CreatingSession
from cardlab.sessions.treatment_assignment import PLACE, slot_variables, stored_files, tell_design_warnings
from cardlab.sessions.treatments import has_treatments

MOST_SLOTS = "most_slots"  # in the config, if slots are created on arrival: the maximum number


def slot_limit(session: Session) -> int:
    """Returns the maximum number of participants of a session, for which its hands are dealt."""
    return int(session.config.get(MOST_SLOTS, session.num_participants))


def makes_slots_on_arrival(config: Config) -> bool:
    """Returns whether a slot is created when a visitor opens the link. Bots need all slots at once."""
    return config.get("slots") == ON_ARRIVAL and not config.get("use_browser_bots")


def create_rows(
    config: SessionConfig,
    participants: int,
    report_progress: Callable[[str], None],
    room_name: str | None,
    **attributes: Any,
) -> Session:
    """Creates a session with all its rows. The caller commits, and deletes it after an error.

    Args:
        config: the config of the session, which is changed.
        participants: the number of slots, or the maximum if they are created on arrival.
        report_progress: gets sentences for the person who creates the session.
        room_name: the room that it opens in, if any.
        attributes: other columns of the session.
    """
    if makes_slots_on_arrival(config):
        config[MOST_SLOTS] = participants
    session = Session(config=config, num_participants=participants, **attributes)
    session._vars = VarsDict(stored_files(config))
    db.add(session)
    db._db.flush()
    tell_design_warnings(session, 0 if makes_slots_on_arrival(config) else participants)
    study_register.tell_missing_labels(session)
    study_series.join(session)
    for app in config["app_sequence"]:
        report_progress(f"Creating {app}")
        _add_subsessions(session, app)
    if not makes_slots_on_arrival(config):
        report_progress("Creating participants")
        add_participants(session, participants)
    for app in config["app_sequence"]:
        _run_own_creating_session(session, app)
    if makes_slots_on_arrival(config):
        session.num_participants = 0
    _note_reports(session)
    if room_name is not None:
        ROOM_DICT[room_name].set_session(session)
    return session


def add_participants(session: Session, number_added: int, lost: Collection[int] = ()) -> list[Participant]:
    """Adds participants to a session, with their players in all rounds of all apps.

    ``lost`` are the ids of participants who have disappeared: their places in the treatments are free.
    """
    old_count, pages = _count(Participant, session=session), page_count(session)
    db._db.execute(
        Participant.__table__.insert(),
        [
            {
                "id_in_session": number,
                "session_id": session.id,
                "_session_code": session.code,
                "_max_page_index": pages,
                "_vars": VarsDict(slot_variables(session, place, lost)),
            }
            for number, place in zip(
                range(old_count + 1, old_count + number_added + 1), _free_places(session, lost)
            )
        ],
    )
    participants = (
        session.pp_set.filter(Participant.id_in_session > old_count).order_by("id_in_session").all()
    )
    for app in session.config["app_sequence"]:
        _add_players(session, app, [participant.id for participant in participants])
    session.num_participants = old_count + number_added
    return list(participants)


def _free_places(session: Session, lost: Collection[int]) -> Iterator[int]:
    """Yields the places of new slots in the series of treatments, from the first free place.

    If slots are created on arrival, the place of a lost participant is free again, so that treatments stay
    balanced among participants who finish. Places of the study's other sessions are taken.
    """
    if not has_treatments(session):
        return count(1)  # nobody uses the places
    slots = session.pp_set
    if makes_slots_on_arrival(session.config):
        slots = slots.filter(Participant.status.in_(("", FINISHED)))
    columns = Participant.id, Participant.id_in_session, Participant._vars
    taken_places = {
        variables.get(PLACE, number)
        for participant_id, number, variables in slots.with_entities(*columns)
        if participant_id not in lost
    }
    places_elsewhere = {
        participant._vars[PLACE]
        for participant in study_series.participants_elsewhere(session)
        if PLACE in participant._vars
    }
    return free_places(taken_places, places_elsewhere, slots_per_treatment(session.config))


def page_count(session: Session) -> int:
    """Returns the number of pages of a session in all apps and rounds."""
    apps = session.config["app_sequence"]
    return sum(len(get_pages_module(app).page_sequence) * _round_count(session, app) for app in apps)


def _round_count(session: Session, app: str) -> int:
    return _count(get_models_module(app).Subsession, session=session)


def _count(model: Any, **conditions: Any) -> int:
    """Returns the number of rows; ``Query.count`` takes long to compile a subquery with all columns."""
    rows: int = model.objects_filter(**conditions).with_entities(func.count(model.id)).scalar()
    return rows


def _note_reports(session: Session) -> None:
    """Stores the apps with an admin report, and their numbers of rounds, where oTree has ``NUM_ROUNDS``."""
    session._set_admin_report_app_names()
    apps = filter(None, session._admin_report_app_names.split(";"))
    session._admin_report_num_rounds = ";".join(str(_round_count(session, app)) for app in apps)


def _add_subsessions(session: Session, app: str) -> None:
    """Adds the rounds of an app: up to the last one with a hand, or ``NUM_ROUNDS`` in other apps."""
    model = get_models_module(app).Subsession
    creating = creating_session_of(app)
    if isinstance(creating, CreatingSession):
        texts = creating.deal(session, app, session.num_participants)
        fields = [{creating.field: texts.get(number, "")} for number in range(1, 1 + max(texts, default=1))]
    else:
        fields = [{}] * get_constants(app).get_normalized("num_rounds")
    db.add_all(
        model(round_number=number, session=session, **fields_of_round)
        for number, fields_of_round in enumerate(fields, 1)
    )
    db._db.flush()


def creating_session_of(app: str) -> Any:
    """Returns the ``creating_session`` of an app; None without one."""
    target = get_models_module(app).Subsession.get_user_defined_target()
    return getattr(target, "creating_session", None)


def deals_hands(app: str) -> bool:
    """Returns whether an app is a game, whose hands Card Lab deals."""
    return isinstance(creating_session_of(app), CreatingSession)


def _run_own_creating_session(session: Session, app: str) -> None:
    """Calls the ``creating_session`` of an app that deals no hands, for each round."""
    creating = creating_session_of(app)
    if creating and not isinstance(creating, CreatingSession):
        for subsession in (
            get_models_module(app).Subsession.objects_filter(session=session).order_by("round_number")
        ):
            creating(subsession)


def _add_players(session: Session, app: str, participants: Sequence[int]) -> None:
    """Adds the players of participants, given by their ids, in all rounds of an app.

    If groups are formed on arrival, the new players are in a placeholder group, which plays nothing.
    Otherwise they join the single group, or form groups of the app's fixed size.
    """
    models, roles = get_models_module(app), get_roles(get_constants(app))
    by_arrival = models.Subsession._has_group_by_arrival_time()
    size = None if by_arrival else get_constants(app).get_normalized("players_per_group")
    groups = [] if by_arrival or size else _groups_of_first_round(models, session)
    old_players = _count(models.Player, group_id=groups[0]) if groups else 0
    if not groups:
        groups = _new_groups(models, session, len(participants) // size if size else 1)
    places = [divmod(index, size) if size else (0, old_players + index) for index in range(len(participants))]
    subsession = models.Subsession.objects_get(session=session, round_number=1)
    db._db.execute(
        models.Player.__table__.insert(),
        [
            {
                "session_id": session.id,
                "subsession_id": subsession.id,
                "round_number": 1,
                "participant_id": participant,
                "group_id": groups[group],
                "id_in_group": place + 1,
                "_role": get_role(roles, place + 1),
            }
            for participant, (group, place) in zip(participants, places)
        ],
    )
    db._db.execute(_copy_to_other_rounds(models, groups, participants))


def _copy_to_other_rounds(models: Any, groups: Sequence[int], participants: Sequence[int]) -> Any:
    """Returns a single statement, for speed, that copies players of the first round to all others."""
    player, subsession = models.Player.__table__, models.Subsession.__table__
    first_group, own_group = models.Group.__table__.alias(), models.Group.__table__.alias()
    differs = {
        "subsession_id": subsession.c.id,
        "round_number": subsession.c.round_number,
        "group_id": own_group.c.id,
    }
    columns = [column for column in player.c if column.name != "id"]
    rows = (
        select([differs.get(column.name, column) for column in columns])
        .where(player.c.participant_id.in_(participants) & (player.c.round_number == 1))
        .where((subsession.c.session_id == player.c.session_id) & (subsession.c.round_number > 1))
        .where((first_group.c.id == player.c.group_id) & (own_group.c.subsession_id == subsession.c.id))
        .where(own_group.c.id_in_subsession == first_group.c.id_in_subsession)
        .order_by(subsession.c.round_number, player.c.id)
    )
    return player.insert().from_select([column.name for column in columns], rows)


def _groups_of_first_round(models: Any, session: Session) -> list[int]:
    """Returns the ids of the groups in an app's first round."""
    rows = models.Group.objects_filter(session=session, round_number=1).order_by("id_in_subsession")
    return [group for (group,) in rows.with_entities("id")]


def _new_groups(models: Any, session: Session, count: int) -> list[int]:
    """Adds groups to each round of an app; returns the ids of those in the first round.

    Their numbers follow those of all groups of the app, because the number is part of the hand's id.
    """
    group = models.Group
    numbers = group.objects_filter(session=session).with_entities(func.max(group.id_in_subsession))
    last_number = numbers.scalar() or 0
    rounds = models.Subsession.objects_filter(session=session).order_by("round_number")
    db._db.execute(
        group.__table__.insert(),
        [
            {
                "session_id": session.id,
                "subsession_id": subsession,
                "round_number": number,
                "id_in_subsession": last_number + offset,
            }
            for subsession, number in rounds.with_entities("id", "round_number")
            for offset in range(1, count + 1)
        ],
    )
    return _groups_of_first_round(models, session)[-count:]
