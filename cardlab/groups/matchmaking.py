"""Matches waiting participants into groups, for all multiplayer games.

The session config sets the ``group_size``, and the game which participants are compatible
(``cardlab.games.seating.GroupRules``). Partners are drawn by the session's seed, within each treatment.

After ``drawn_seconds`` a participant is matched with any compatible participants who wait. If slots are made
on arrival, no partners are drawn, and those who are ready first play together. If there are too few,
``no_shows`` applies when nobody can come any more, and after ``gather_seconds`` in any case: the participant
is left out or leaves the study, or robots take the empty seats.

Dropouts, and participants who have been disconnected for ``gone_after_seconds``, are not waited for until
they return.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.database import db

from cardlab.core.clock import now_ms
from cardlab.games import seating
from cardlab.games.dealing import Config
from cardlab.games.seating import Compatibility
from cardlab.games.shared_settings import DRAWN_SECONDS
from cardlab.groups.rounds import group_rules, members_so_far
from cardlab.groups.waiting_room import (
    Attempt,
    ParticipantState,
    Status,
    Wait,
    read_people,
    read_seen,
    waiting_page,
)
from cardlab.live import notices
from cardlab.live.lab import LAB
from cardlab.sessions import study_register
from cardlab.sessions.add_participants import can_add_visitor
from cardlab.sessions.arrival import is_closed
from cardlab.sessions.rows import makes_slots_on_arrival
from cardlab.sessions.treatments import config_in_treatment, has_treatments, treatment_names, treatment_of


@dataclass(frozen=True)
class Snapshot:
    """The state of a session's participants, by their numbers, during one attempt at matching.

    Attributes:
        subsession: the round of the app.
        page: oTree's index of its waiting page.
        now: Unix milliseconds.
        people: all participants.
        waiting: seconds that each participant at the waiting page has waited.
        drawn: participants who can be drawn into groups: in the first game all, arrived or not; later those
            past the first waiting page.
        playing: participants past this waiting page, and dropouts.
        on_the_way: participants who may still reach it.
        paused: participants whom the researcher has paused.
    """

    subsession: Any
    page: int
    now: int
    people: dict[int, ParticipantState]
    waiting: dict[int, float]
    drawn: list[int]
    playing: set[int]
    on_the_way: set[int]
    paused: set[int]

    @property
    def game(self) -> int:
        """The number of the game; the first round has the instructions."""
        number: int = self.subsession.round_number - 1
        return number


def next_group(subsession: Any, pages: int) -> list[Any]:
    """Returns the players of the next group; empty if none can be formed yet.

    oTree calls this for each poll and each opening of the page. It does nothing just after an attempt,
    because a page that opens polls at once.

    Args:
        subsession: the round of the app.
        pages: the number of pages in a round.
    """
    if LAB.waiting_room.has_new_attempt(subsession.id):
        return []
    db._db.flush()  # the query below must see what the page has written
    snapshot = _read_snapshot(subsession, pages)
    if not snapshot.waiting:
        return []
    LAB.waiting_room.drop_expired(subsession.id, snapshot.now)
    attempt = Attempt(snapshot.now)
    for pool in _pools(snapshot):
        if chosen := _match(snapshot, pool, attempt):
            player_class = get_models_module(subsession.get_folder_name()).Player
            return [
                player_class.objects_get(
                    participant_id=snapshot.people[number].id, round_number=subsession.round_number
                )
                for number in chosen
            ]
    LAB.waiting_room.cache_attempt(subsession.id, attempt)
    return []


def _read_snapshot(subsession: Any, pages: int) -> Snapshot:
    people, seen = read_people(subsession.session), read_seen(subsession)
    now, game, page = now_ms(), subsession.round_number - 1, waiting_page(subsession, pages)
    standing = notices.standing_kinds(LAB.page_records, subsession.session_id)
    paused, dropped = (
        {number for number, person in people.items() if kind in standing.get(person.id, ())}
        for kind in (notices.PAUSE, notices.DROPPED)
    )
    waiting = {
        number: (now - seen[person.id].since_ms) / 1000
        for number, person in people.items()
        if number not in paused | dropped and LAB.waiting_room.is_here(person, seen, page, now)
    }
    stopped = notices.stopped_participants(
        LAB.page_records, subsession.session_id, subsession.get_folder_name()
    )
    dropped |= {number for number, person in people.items() if person.id in stopped}
    first_page = page - (game - 1) * pages
    return Snapshot(
        subsession,
        page,
        now,
        people,
        waiting,
        drawn=[number for number, person in people.items() if game == 1 or person.page > first_page],
        playing={number for number, person in people.items() if number in dropped or person.is_past(page)},
        on_the_way={
            number
            for number, person in people.items()
            if number not in dropped
            and (
                LAB.waiting_room.is_on_the_way(person, seen, page, now)
                or (number in paused and person.page == page)
            )
        },
        paused=paused,
    )


class Pool(NamedTuple):
    """Participants who may play together, by their numbers: those of a treatment, or of a team in it.

    ``may_grow`` says that a member of the team may be among those who have not arrived yet.
    """

    treatment: str
    numbers: set[int]
    may_grow: bool = False


def _pools(snapshot: Snapshot) -> Iterator[Pool]:
    """Yields the pools that have a waiting participant; with ``same_partner`` by team.

    A participant without an earlier team is a pool of one; so is each bot, because bots have no labels.
    """
    subsession = snapshot.subsession
    for treatment, numbers in _numbers_by_treatment(snapshot).items():
        config = config_in_treatment(subsession.session, subsession.get_folder_name(), treatment)
        if not config.get("same_partner") or snapshot.game > 1:
            yield Pool(treatment, numbers)
            continue
        teams: dict[str | int, set[int]] = {}
        sizes: dict[str | int, int] = {}
        for participant in subsession.session.get_participants():
            if participant.id_in_session in numbers:
                number = participant.id_in_session
                team, size = participant._vars.get(study_register.TEAM, (number, 0))
                teams.setdefault(team, set()).add(number)
                sizes[team] = size
        can_grow = not is_closed(subsession.session) and (
            can_add_visitor(subsession.session)
            or any(person.page == 0 for person in snapshot.people.values())
        )
        for team, members in teams.items():
            if members & snapshot.waiting.keys():
                yield Pool(treatment, members, can_grow and len(members) < sizes[team])


def _numbers_by_treatment(snapshot: Snapshot) -> dict[str, set[int]]:
    """Returns the participants' numbers for each treatment that has a waiting participant."""
    session = snapshot.subsession.session
    if not has_treatments(session):
        return {"": set(snapshot.people)}
    assigned = {person.id_in_session: treatment_of(person) for person in session.get_participants()}
    pools = {
        treatment: {number for number in snapshot.people if assigned[number] == treatment}
        for treatment in treatment_names(session)
    }
    return {treatment: pool for treatment, pool in pools.items() if pool & snapshot.waiting.keys()}


def _match(snapshot: Snapshot, pool: Pool, attempt: Attempt) -> tuple[int, ...]:
    """Returns the participants' numbers of a pool's next group.

    If there is none yet, adds each waiting participant's status to ``attempt``.
    """
    subsession = snapshot.subsession
    config = config_in_treatment(subsession.session, subsession.get_folder_name(), pool.treatment)
    waiting = {number: seconds for number, seconds in snapshot.waiting.items() if number in pool.numbers}
    size, patience, max_wait = config["group_size"], *_limits(subsession, config)
    plan = _plan_groups(snapshot, pool, config)
    groups, fit = plan.groups, plan.compatibility
    may_join = snapshot.game == 1 and _anybody_may_join(subsession, config)
    may_come = bool(plan.coming) or pool.may_grow or may_join
    if chosen := seating.next_group_to_begin(groups, waiting, size, patience, fit, may_come, max_wait):
        return tuple(chosen)
    for number, ready in seating.count_ready(groups, waiting, size, patience, fit).items():
        attempt.statuses[number] = Status(ready, size)
    missing = seating.missing_members(plan.drawn_groups, waiting, patience, plan.coming)
    for number, seconds in waiting.items():
        since_ms = round(snapshot.now - 1000 * seconds)
        attempt.waits[number] = Wait(since_ms, missing[number], max_wait, config["no_shows"])
        for limit in (patience, max_wait):
            if seconds < limit < inf:
                attempt.valid_until_ms = min(attempt.valid_until_ms, since_ms + 1000 * limit)
    return ()


class Plan(NamedTuple):
    """The planned groups of a pool.

    Attributes:
        drawn_groups: the groups as drawn, also with disconnected participants; none with slots on arrival.
        groups: the groups that may begin; a disconnected participant's group is drawn again without them.
        compatibility: says which participants may be in one group.
        coming: participants who may still reach the waiting page, and are not disconnected.
    """

    drawn_groups: list[tuple[int, ...]]
    groups: list[tuple[int, ...]]
    compatibility: Compatibility
    coming: set[int]


def _plan_groups(snapshot: Snapshot, pool: Pool, config: Config) -> Plan:
    session, (treatment, numbers, _may_grow) = snapshot.subsession.session, pool
    disconnected = {
        number
        for number in numbers - snapshot.paused - snapshot.waiting.keys()
        if LAB.waiting_room.is_gone(snapshot.people[number], config, snapshot.page, snapshot.now)
    }
    size, seed = config["group_size"], seating.group_seed(config, snapshot.game, treatment)
    drawn, fit = _drawn_and_compatible(snapshot, treatment, config, numbers)
    playing = numbers & snapshot.playing
    on_arrival = makes_slots_on_arrival(session.config)
    drawn_groups = [] if on_arrival else seating.plan_groups(seed, drawn, size, playing, fit)
    groups = drawn_groups
    if disconnected and drawn_groups:
        groups = seating.plan_groups(seed, drawn, size, playing | disconnected, fit)
    if treatment and snapshot.game == 1:  # labels may assign treatments only on arrival
        groups = [group for group in groups if len(group) == size]
    left_out = {number for number in snapshot.drawn if number in numbers} - set(drawn)
    coming = (numbers & snapshot.on_the_way) - left_out - disconnected
    return Plan(drawn_groups, groups, fit, coming)


def _anybody_may_join(subsession: Any, config: Config) -> bool:
    """Returns whether a visitor may still come, and may play with anybody."""
    session = subsession.session
    return not config.get("same_partner") and can_add_visitor(session) and not is_closed(session)


def _limits(subsession: Any, config: Config) -> tuple[float, float]:
    """Returns after how many seconds a waiting participant is matched with anybody, and waits no longer."""
    drawn_seconds, max_wait = config.get("drawn_seconds", DRAWN_SECONDS), config["gather_seconds"]
    patience = 0 if makes_slots_on_arrival(subsession.session.config) else drawn_seconds or inf
    return min(patience, max_wait or inf), max_wait or inf


def _drawn_and_compatible(
    snapshot: Snapshot, treatment: str, config: Config, numbers: set[int]
) -> tuple[list[int], Compatibility]:
    """Returns the participants who can be drawn into groups, and their compatibility.

    If players keep a role, a participant who has missed a game is left out.
    """
    drawn = [number for number in snapshot.drawn if number in numbers]
    rules = group_rules(snapshot.subsession)
    if not rules.role or snapshot.game == 1:
        return drawn, seating.ANYBODY
    ids = {snapshot.people[number].id: number for number in drawn}
    members = members_so_far(snapshot.subsession, treatment, config, ids)
    member_numbers = {member.number for member in members}
    return [number for number in drawn if number in member_numbers], seating.compatibility_of(
        rules, config, members
    )
