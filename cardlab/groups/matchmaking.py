"""Matches waiting participants into groups, for every game that several play.

The session's config says the ``group_size`` and what happens to ``no_shows``; the game says who fits whom
(``cardlab.games.seating.GroupRules``). Partners are drawn by the session's seed. A participant who has waited
for the config's ``gather_seconds`` is matched with whoever else waits and fits. One who finds nobody is left
out, or robots take the empty seats, as ``no_shows`` says; but not while anybody who has arrived is still on
the way to the waiting page. Where the session has treatments, each is matched by itself.

Nobody waits for a participant who has had no connection for ``gone_after_seconds``, or whom the researcher
has marked as dropped out, until they return.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from otree.common import get_models_module
from otree.database import db

from cardlab.core.clock import now_ms
from cardlab.games import seating
from cardlab.games.dealing import Config
from cardlab.games.seating import Compatibility
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
from cardlab.sessions.treatments import config_in_treatment, has_treatments, treatment_names, treatment_of


@dataclass(frozen=True)
class Moment:
    """Where the participants of a session are when a group is looked for, by their numbers.

    Attributes:
        subsession: the round of the app.
        page: oTree's index of its waiting page.
        now: the time, Unix milliseconds.
        people: all participants.
        waiting: the seconds for which those at the waiting page have waited.
        drawn: those among whom groups are drawn. For the first game all, arrived or not; later those who are
            past the first waiting page.
        playing: those who are past this waiting page, or dropped out.
        on_the_way: those who may still reach it.
        paused: those whom the researcher has paused.
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
    """Returns the players who play together next, empty if all go on waiting; a round has so many ``pages``.

    oTree asks whenever a browser polls, and whenever one opens the page. Opening it starts no attempt if
    there was one a moment ago, because the browser polls at once.
    """
    if LAB.waiting_room.has_new_attempt(subsession.id):
        return []
    db._db.flush()  # what the page has written so far is to be read
    moment = _read_moment(subsession, pages)
    if not moment.waiting:
        return []
    LAB.waiting_room.forget(subsession.id, moment.now)
    attempt = Attempt(moment.now, {}, {})
    for treatment, numbers in _numbers_by_treatment(moment).items():
        if chosen := _match(moment, treatment, numbers, attempt):
            player_class = get_models_module(subsession.get_folder_name()).Player
            return [
                player_class.objects_get(
                    participant_id=moment.people[number].id, round_number=subsession.round_number
                )
                for number in chosen
            ]
    LAB.waiting_room.keep(subsession.id, attempt)
    return []


def _read_moment(subsession: Any, pages: int) -> Moment:
    people, seen = read_people(subsession.session), read_seen(subsession)
    now, game, page = now_ms(), subsession.round_number - 1, waiting_page(subsession, pages)
    held = notices.held_kinds(LAB.page_records, subsession.session_id)
    paused, dropped = (
        {number for number, person in people.items() if kind in held.get(person.id, ())}
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
    return Moment(
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
                LAB.waiting_room.is_on_the_way(person, page, now)
                or (number in paused and person.page == page)
            )
        },
        paused=paused,
    )


def _numbers_by_treatment(moment: Moment) -> dict[str, set[int]]:
    """Returns the numbers of the participants of each treatment of which somebody waits."""
    session = moment.subsession.session
    if not has_treatments(session):
        return {"": set(moment.people)}
    assigned = {one.id_in_session: treatment_of(one) for one in session.get_participants()}
    numbers = {
        treatment: {number for number in moment.people if assigned[number] == treatment}
        for treatment in treatment_names(session)
    }
    return {treatment: own for treatment, own in numbers.items() if own & moment.waiting.keys()}


def _match(moment: Moment, treatment: str, numbers: set[int], attempt: Attempt) -> tuple[int, ...]:
    """Returns the numbers of a treatment's next group; if there is none yet, notes in ``attempt`` why."""
    config = config_in_treatment(moment.subsession.session, moment.subsession.get_folder_name(), treatment)
    here = {number: seconds for number, seconds in moment.waiting.items() if number in numbers}
    gone = {
        number
        for number in numbers - moment.paused - here.keys()
        if LAB.waiting_room.is_gone(moment.people[number], config, moment.page, moment.now)
    }
    size, patience = config["group_size"], config["gather_seconds"]
    drawn, fit = _drawn_and_compatible(moment, treatment, config, numbers)
    seed = seating.group_seed(config, moment.game, treatment)
    playing = numbers & moment.playing
    planned = seating.plan_groups(seed, drawn, size, playing, fit)
    # A participant who is gone is no partner for now: their group is drawn again, as if they were playing.
    groups = seating.plan_groups(seed, drawn, size, playing | gone, fit) if gone else planned
    if treatment and moment.game == 1:  # where labels decide, a participant has no treatment before arrival
        groups = [group for group in groups if len(group) == size]
    left_out = {number for number in moment.drawn if number in numbers} - set(drawn)
    coming = (numbers & moment.on_the_way) - left_out - gone
    if chosen := seating.next_group_to_begin(groups, here, size, patience, fit, bool(coming)):
        return tuple(chosen)
    for number, ready in seating.count_ready(groups, here, size, patience, fit).items():
        attempt.statuses[number] = Status(ready, size, bool(coming))
    missing = seating.missing_members(planned, here, patience, coming)
    for number, seconds in here.items():
        attempt.waits[number] = Wait(round(moment.now - 1000 * seconds), missing[number])
    return ()


def _drawn_and_compatible(
    moment: Moment, treatment: str, config: Config, numbers: set[int]
) -> tuple[list[int], Compatibility]:
    """Returns the participants among whom groups are drawn, and who of them fits whom.

    Where players keep a role, one who has missed a game is left out.
    """
    drawn, rules = [number for number in moment.drawn if number in numbers], group_rules(moment.subsession)
    if not rules.role or moment.game == 1:
        return drawn, seating.ANYBODY
    ids = {moment.people[number].id: number for number in drawn}
    members = members_so_far(moment.subsession, treatment, config, ids)
    known = {member.number for member in members}
    return [number for number in drawn if number in known], seating.compatibility_of(rules, config, members)
