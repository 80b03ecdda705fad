"""Putting the groups of a session together, and seating them, for every game that several play.

The app's first round has the instructions, each further one a game; the config says the ``group_size`` and
what becomes of ``no_shows``; before which games groups are put together, who fits whom and who sits where
says the game (``cardlab.games.seating.GroupRules``). The player needs a ``seat``, the group its
``opening``, the subsession ``openings``.

Partners are drawn by the session's seed. Whoever has waited for the config's ``gather_seconds`` is put
together with whoever else waits and fits. Who finds nobody is left out, or robots take the empty seats, as
``no_shows`` says; but not while anybody who has come is still on the way to the waiting page. Where the
session has treatments all of this goes on within each: who plays together has one.

Nobody waits for a participant who has had no connection for ``gone_after_seconds``, or whom the researcher
has marked as dropped out, until they return.

Who is at that page only their own browser can tell, which asks every few seconds
(``cardlab.pages.waiting_page``). What is found when somebody asks is kept for a moment, and all the others
who ask are told that, without oTree's lock and without the database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.constants import get_role, get_roles
from otree.database import db
from otree.lookup import get_min_idx_for_app
from otree.models import BaseSubsession, Session
from otree.settings import OTREE_APPS
from sqlalchemy import func

from cardlab.core.clock import now_ms
from cardlab.core.patch import Patch
from cardlab.games import seating
from cardlab.games.dealing import Config
from cardlab.games.record import Opening, read_opening, write_opening
from cardlab.games.seating import GroupRules, Member, PastGame
from cardlab.groups import group_lock
from cardlab.live import notices
from cardlab.live.presence import presence
from cardlab.live.query_cache import remember
from cardlab.live.record_store import ON_THE_PAGE
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import lines_of
from cardlab.sessions.treatments import config_in, has_treatments, names_in, of, of_row

SILENT_MS = 75_000  # a browser slows the clock of a hidden page down to one tick a minute
RELOADING_MS = 6_000  # while a page loads again, it is not connected for a moment
LOOK_AGAIN_MS = 2_000  # who waits long enough, or is on the way no more, is seen so late at most


class Found(NamedTuple):
    """What a participant who waits is told: how many of their group are ready, of how many, and whether
    participants who are still on the way are waited for. Sent to the browser as it is."""

    ready: int
    group_size: int
    others_come: bool


class Waits(NamedTuple):
    """Since when a participant waits, in Unix milliseconds, and the numbers of the participants they wait
    for."""

    since_ms: int
    missing: set[int]


class Look(NamedTuple):
    """That no group could be put together: when, and of those who wait, by their numbers, what they are told
    and whom they wait for."""

    ms: int
    found: dict[int, Found]
    waits: dict[int, Waits]


class Asked(NamedTuple):
    """That a browser has asked: when last, whether it was told then what was found for another (else the
    player has the time too), at which page, in which subsession, and as which of its players."""

    ms: int
    told: bool
    page: int
    subsession: int
    number: int


_looks: dict[int, Look] = {}  # by subsession; of the last moment
_asked: dict[str, Asked] = {}  # by participant; lost with the server, but who waits soon asks again


def game_number(player) -> int:
    """1 for the first game; the first round has the instructions."""
    return player.round_number - 1


def groups_of(row: Any) -> GroupRules:
    """What the game of an oTree row says of its groups."""
    groups: GroupRules = get_models_module(row.get_folder_name()).Gather.groups
    return groups


@lru_cache(maxsize=256)
def _games(app: str, session_code: str, treatment: str) -> tuple[Opening, ...]:
    """The games of a treatment of a session, as its first group has them; fixed when the session is made."""
    subsessions = get_models_module(app).Subsession.objects_filter().join(Session)
    lines = [
        lines_of(round_of_game.openings, treatment)
        for round_of_game in subsessions.filter(Session.code == session_code).order_by("round_number")
    ]
    return tuple(read_opening(of_groups[0]) for of_groups in lines if of_groups)


def are_put_together_here(app: str) -> bool:
    """Whether the groups of an app are put together here, and not as oTree does by itself."""
    return app in OTREE_APPS and hasattr(getattr(get_models_module(app), "Gather", None), "groups")


def _try_to_make_new_group(usual: Callable[..., Any], self: BaseSubsession, page_index: int) -> Any:
    if not are_put_together_here(self.get_folder_name()):
        return usual(self, page_index)
    app = get_models_module(self.get_folder_name())
    players = app.group_by_arrival_time_method(self, [])
    return put_together(self, players) if players else None


PATCHES = (
    Patch(
        *(BaseSubsession, "_gbat_try_to_make_new_group", _try_to_make_new_group, "speed"),
        "A group of our games is made in those rounds in which it stays together, with the commit of the "
        "page. oTree makes it in every further round, each with a commit: for 60 rounds more than half a "
        "second, in which nobody else is served.",
        source="a15af91a606fd358",
        wraps=True,
    ),
)


def put_together(subsession, players: Sequence[Any]) -> Any:
    """Make a group of the players, in this round and all in which they stay together; that of this round."""
    app = get_models_module(subsession.get_folder_name())
    Player, Group = app.Player, app.Group
    number = subsession._gbat_next_group_id_in_subsession()
    rounds = subsession.in_rounds(subsession.round_number, _until(players[0]))
    places = {player.participant_id: place for place, player in enumerate(players, 1)}
    of_rounds = Player.round_number.between(rounds[0].round_number, rounds[-1].round_number)
    members = Player.objects_filter(of_rounds, Player.participant_id.in_(places)).all()
    remember(members)
    left = Group.objects_filter(Group.id.in_({player.group_id for player in members})).all()
    for group in left:
        group_lock.refuse_if_begun(group)
    still = Player.objects_filter(
        Player.group_id.in_([group.id for group in left]), Player.participant_id.notin_(places)
    )
    taken = {group_id for (group_id,) in still.with_entities(Player.group_id).distinct()}
    groups = {
        of_round.round_number: Group(
            subsession=of_round,
            id_in_subsession=number,
            session=subsession.session,
            round_number=of_round.round_number,
        )
        for of_round in rounds
    }
    db.add_all(groups.values())
    roles = get_roles(subsession._Constants)
    for player in members:
        player.group = groups[player.round_number]
        player.id_in_group = places[player.participant_id]
        player._role = get_role(roles, player.id_in_group)
    for group in left:
        if group.id not in taken:
            db.delete(group)
    for player in players:
        player.participant._gbat_grouped, player.participant._waitpage_is_connected = True, False
    return groups[subsession.round_number]


def _until(row: Any) -> int:
    """The round of the last game in which a player or group stays together that begins with this one."""
    last, begins = _last_and_begins(row, config_of(row))
    game = row.round_number - 1
    return min((begin for begin in begins if begin > game), default=last + 1)


def _last_and_begins(row: Any, config: Config) -> tuple[int, list[int]]:
    """The number of the last game of a player or group, and those before which groups are put together."""
    games = _games(row.get_folder_name(), row.session.code, of_row(row))
    return len(games), list(groups_of(row).games_with_new_groups(config, games))


def is_due(player) -> bool:
    """Whether groups are put together before the game of this round, and the player is to be in one."""
    game = game_number(player)
    if game < 1 or game not in _last_and_begins(player, config_of(player))[1]:
        return False
    return game == 1 or not groups_of(player).role or bool(player.in_round(player.round_number - 1).seat)


def is_last(player) -> bool:
    """Whether no game comes for the player after this round."""
    game = game_number(player)
    last, begins = _last_and_begins(player, config_of(player))
    if player.seat or (len(begins) > 1 and not groups_of(player).role):
        return game == last
    return is_due(player)  # who is left out stays so


def found_for(player) -> Found | None:
    """What the player is told while they wait; None if nobody has looked for a moment, or since the player
    came."""
    return _found(player.subsession_id, player.id_in_subsession)


def waits_at(subsession_id: int) -> dict[int, Waits]:
    """Who waits at the waiting page of a subsession, by the participants' numbers, as it was last found."""
    look = _looks.get(subsession_id)
    return look.waits if look and now_ms() - look.ms <= SILENT_MS else {}


def asks(player) -> None:
    """The browser of a player asks at the waiting page it is at."""
    look = _looks.get(player.subsession_id)
    if look and (player.participant._is_bot or player.id_in_subsession not in look.found):
        del _looks[player.subsession_id]  # they were not there; and a bot asks only once
    page = player.participant._index_in_pages
    _asked[player.participant.code] = Asked(
        now_ms(), False, page, player.subsession_id, player.id_in_subsession
    )


def found_at(code: str, page: int) -> Found | None:
    """As :func:`found_for`, of a participant's code and the index of the page, without a look into the
    database; None too if the participant has not asked there before."""
    asked = _asked.get(code)
    if asked is None or asked.page != page:
        return None
    found = _found(asked.subsession, asked.number)
    if found:
        _asked[code] = asked._replace(ms=now_ms(), told=True)
    return found


def _found(subsession: int, number: int) -> Found | None:
    return _looks[subsession].found.get(number) if _have_just_looked(subsession) else None


def _have_just_looked(subsession: int) -> bool:
    """Whether it was found a moment ago that no group could be put together."""
    return subsession in _looks and now_ms() - _looks[subsession].ms <= LOOK_AGAIN_MS


def _heard_ms(person: Person) -> int:
    """When the browser of a participant was told last what was found for another; 0 if never."""
    asked = _asked.get(person.code)
    return asked.ms if asked and asked.told and asked.page == person.page else 0


def next_group(subsession, pages: int) -> list[Any]:
    """The players who play together next, empty if all go on waiting; a round has so many ``pages``.

    oTree asks whenever a browser asks, and whenever one opens the page. Who only opens it has no look made if
    there was one a moment ago: their browser asks at once.
    """
    if _have_just_looked(subsession.id):
        return []
    db._db.flush()  # what the page has written so far is to be found
    participants = _participants(subsession.session)
    now, game = now_ms(), subsession.round_number - 1
    page = _waiting_page(subsession, pages)
    seen = _seen_waiting(subsession)
    held = notices.held(ON_THE_PAGE, subsession.session_id)
    paused, dropped = (
        {number for number, one in participants.items() if kind in held.get(one.id, ())}
        for kind in (notices.PAUSE, notices.DROPPED)
    )
    waiting = {
        number: (now - seen[one.id].since_ms) / 1000
        for number, one in participants.items()
        if number not in paused | dropped and one.id in seen and _is_here(one, seen[one.id].ms, page, now)
    }
    if not waiting:
        return []
    # For the first game all are drawn, come or not; later those who are past the first waiting page.
    first_page = page - (game - 1) * pages
    drawn = [n for n, one in participants.items() if game == 1 or one.page > first_page]
    stopped = notices.stopped(ON_THE_PAGE, subsession.session_id, subsession.get_folder_name())
    dropped |= {number for number, one in participants.items() if one.id in stopped}
    playing = [n for n, one in participants.items() if n in dropped or _is_past(one, page)]
    on_the_way = {
        number
        for number, one in participants.items()
        if number not in dropped
        and (_is_on_the_way(one, page, now) or (number in paused and one.page == page))
    }
    for known in [known for known, look in _looks.items() if now - look.ms > LOOK_AGAIN_MS]:
        del _looks[known]
    for code in [code for code, asked in _asked.items() if now - asked.ms > SILENT_MS]:
        del _asked[code]
    _looks.pop(subsession.id, None)
    look, session, kind = Look(now, {}, {}), subsession.session, groups_of(subsession)
    everybody = session.get_participants() if has_treatments(session) else []
    assigned = {one.id_in_session: of(one) for one in everybody}
    for treatment in names_in(session):
        own = {number for number in participants if not assigned or assigned[number] == treatment}
        here = {number: seconds for number, seconds in waiting.items() if number in own}
        if not here:
            continue
        config = config_in(session, subsession.get_folder_name(), treatment)
        absent = own - paused - here.keys()
        gone = {number for number in absent if _is_gone(participants[number], config, page, now)}
        size, patience = config["group_size"], config["gather_seconds"]
        seed = seating.group_seed(config, game, treatment)
        to_draw = [number for number in drawn if number in own]
        fit, left_out = seating.ANYBODY, set()
        if kind.role and game > 1:
            ids = {participants[number].id: number for number in to_draw}
            members = _members(subsession, treatment, config, ids)
            left_out = set(to_draw) - {member.number for member in members}
            fit = seating.compatibility_of(kind, config, members)
        to_draw = [number for number in to_draw if number not in left_out]
        planned = seating.plan_groups(seed, to_draw, size, own.intersection(playing), fit)
        # A participant who has gone is no partner for now. Their group is drawn again, as if they
        # played elsewhere.
        groups = (
            seating.plan_groups(seed, to_draw, size, own.intersection(playing) | gone, fit)
            if gone
            else planned
        )
        if treatment and game == 1:  # where labels decide, nobody has a treatment who has not come
            groups = [group for group in groups if len(group) == size]
        come = own.intersection(on_the_way) - left_out - gone
        chosen = seating.next_group_to_begin(groups, here, size, patience, fit, bool(come))
        if chosen:
            Player, in_round = get_models_module(subsession.get_folder_name()).Player, subsession.round_number
            ids = (participants[number].id for number in chosen)
            return [Player.objects_get(participant_id=one, round_number=in_round) for one in ids]
        ready = seating.count_ready(groups, here, size, patience, fit)
        look.found.update({number: Found(count, size, bool(come)) for number, count in ready.items()})
        missing = seating.missing_members(planned, here, patience, come)
        look.waits.update(
            {number: Waits(round(now - 1000 * here[number]), missing[number]) for number in here}
        )
    _looks[subsession.id] = look
    return []


class Person(NamedTuple):
    """Those cells of a participant that tell whether they wait: to make objects of eighty whole rows takes a
    twentieth of a second, and all who wait ask."""

    id: int
    number: int
    code: str
    is_bot: bool | None
    page: int
    requested_s: int | None
    gather_page: int | None
    grouped: bool | None
    connected: bool | None


class Seen(NamedTuple):
    """Since when, and when last, a player's browser was at the waiting page."""

    since_ms: float
    ms: float


_PEOPLE = """
    SELECT id, id_in_session, code, _is_bot, _index_in_pages, _last_request_timestamp,
        _gbat_page_index, _gbat_grouped, _waitpage_is_connected
    FROM otree_participant WHERE session_id = :session_id ORDER BY id_in_session
"""
_SEEN = """
    SELECT participant_id, waiting_since_ms, seen_waiting_ms FROM {players}
    WHERE subsession_id = :subsession_id AND seen_waiting_ms IS NOT NULL
"""


def _participants(session) -> dict[int, Person]:
    """The participants by their numbers."""
    rows = ON_THE_PAGE.rows(_PEOPLE, session_id=session.id)
    return {person.number: person for person in map(Person._make, rows)}


def _seen_waiting(subsession) -> dict[int, Seen]:
    """The players of a round who have been at its waiting page, by the ids of their participants."""
    players = get_models_module(subsession.get_folder_name()).Player.__tablename__
    found = ON_THE_PAGE.rows(_SEEN.format(players=players), subsession_id=subsession.id)
    return {participant_id: Seen(*told) for participant_id, *told in found}


def _waiting_page(subsession, pages: int) -> int:
    """oTree's index of the waiting page of a round: its first page."""
    first = get_min_idx_for_app(subsession.session.code, subsession.get_folder_name())
    return first + (subsession.round_number - 1) * pages


def _is_at_a_waiting_page(person: Person) -> bool:
    return person.page == person.gather_page and not person.grouped


def _is_past(person: Person, page: int) -> bool:
    """Whether somebody waits at this page no more: also who is in a group, and has still to be led on."""
    return person.page > page or (person.page == person.gather_page == page and bool(person.grouped))


def _is_here(person: Person, seen_ms: float, page: int, now: int) -> bool:
    """Whether somebody has this round's waiting page open; a hidden tab counts, unlike with oTree.

    Not who already waits for a later game: to be put together here once more would take them out of the
    game they have played.
    """
    if person.page != page or not _is_at_a_waiting_page(person):
        return False
    patience = SILENT_MS if person.connected else RELOADING_MS
    return bool(person.is_bot) or now - max(seen_ms, _heard_ms(person)) < patience


def _is_on_the_way(person: Person, page: int, now: int) -> bool:
    """Whether somebody who has come may still reach the waiting page ``page``.

    Not who was moved on to a waiting page before it without being there.
    """
    if not 0 < person.page < page:
        return False
    heard_ms = max(1000 * person.requested_s, _heard_ms(person))
    return not _is_at_a_waiting_page(person) or now - heard_ms <= SILENT_MS


def _is_gone(person: Person, config: Config, page: int, now: int) -> bool:
    """Whether somebody who came, and is not past the waiting page ``page``, has had no connection for the
    session's ``gone_after_seconds``: no socket, and no request.
    """
    if person.is_bot or not 0 < person.page <= page or _is_past(person, page):
        return False
    seen_ms = max(presence.last_seen_ms(person.code), 1000 * (person.requested_s or 0), _heard_ms(person))
    seconds: float = config.get("gone_after_seconds", 30)  # a session made before 0.11.0 has none
    return now - seen_ms > 1000 * seconds


def _members(subsession, treatment: str, config: Config, ids: Mapping[int, int]) -> list[Member]:
    """Those of the participants, whose numbers are told by their ids, who have played, or play, all the games
    before this round, and what."""
    app, now = subsession.get_folder_name(), subsession.round_number - 1
    games = _games(app, subsession.session.code, treatment)
    begins = [game for game in groups_of(subsession).games_with_new_groups(config, games) if game <= now]
    Player = get_models_module(app).Player
    played: dict[int, list[PastGame]] = defaultdict(list)
    for end in begins[1:]:
        last = subsession.in_round(end)  # the game before ``end`` has the round of its number
        seated = last.player_set.filter(Player.participant_id.in_(ids), Player.seat != "").all()
        members: dict[int, list[int]] = defaultdict(list)
        for player in seated:
            members[player.group_id].append(ids[player.participant_id])
        for player in seated:
            number = ids[player.participant_id]
            partners = tuple(other for other in members[player.group_id] if other != number)
            source = read_opening(player.group.opening).source
            played[number].append(PastGame(player.seat, partners, source))
    return [Member(number, tuple(told)) for number, told in played.items() if len(told) == len(begins) - 1]


def seat(group) -> None:
    """Give the members of a new group their seats and their deals: of all games until groups are put together
    again."""
    config, players, kind = config_of(group), group.get_players(), groups_of(group)
    if len(players) < config["group_size"] and config["no_shows"] == "leave_out":
        return
    treatment, game = of_row(group), group.round_number - 1
    members = [Member(player.participant.id_in_session) for player in players]
    if kind.role and game > 1:
        ids = {player.participant_id: player.participant.id_in_session for player in players}
        told = {one.number: one for one in _members(group.subsession, treatment, config, ids)}
        members = [told[member.number] for member in members]
    earlier = _seated_earlier(group, treatment)
    for number in range(group.round_number, _until(group) + 1):
        there = [player.in_round(number) for player in players]
        of_groups = lines_of(there[0].subsession.openings, treatment)
        opening = read_opening(of_groups[earlier % len(of_groups)])
        own, robots = kind.assign_seats(config, members, opening)
        for player, name in zip(there, own):
            player.seat = name
        there[0].group.opening = write_opening(
            replace(opening, options={**opening.options, "robots": robots})
        )


def _seated_earlier(group, treatment: str) -> int:
    """How many groups of a treatment have their deals of the round already."""
    Group = get_models_module(group.get_folder_name()).Group
    seated = Group.objects_filter(Group.opening != "", subsession_id=group.subsession_id)
    if not treatment:
        return seated.with_entities(func.count(Group.id)).scalar()
    return sum(of_row(other) == treatment for other in seated)
