"""Tests the matching at a waiting page, in a simulated session."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.games import seating
from cardlab.games.seating import GroupRules, Member, PastGame
from cardlab.groups import matchmaking, waiting_room
from cardlab.groups.waiting_room import LastSeen, ParticipantState, Status, WaitingRoom
from cardlab.live.presence import Presence
from cardlab.sessions import study_register

NOW = 1_800_000_000_000
PAGES, FIRST_PAGE = 5, 10  # of a round; oTree's index of the waiting page before the first game


class Room:
    """The participants of a session, and its attempts at matching them."""

    def __init__(self, monkeypatch, size=2, game=1, **config):
        self.config = {"group_size": size, "gather_seconds": 0, "no_shows": "robots", "seed": 1, **config}
        self.game, self.page = game, FIRST_PAGE + (game - 1) * PAGES
        self.people, self.seen, self.kinds, self.treatments, self.teams = {}, {}, {}, {}, {}
        self.stopped, self.members, self.presence = set(), [], Presence()
        self.on_arrival = self.can_add = self.is_closed = False
        self.rules = GroupRules(assign_seats=None)
        self.waiting_room = WaitingRoom(self.presence)
        self.session = SimpleNamespace(config=self.config, get_participants=self._participants)
        self.subsession = SimpleNamespace(
            id=1, round_number=game + 1, session_id=5, session=self.session, get_folder_name=lambda: "app"
        )
        self.now = NOW
        monkeypatch.setattr(waiting_room, "now_ms", lambda: self.now)
        notices = vars(matchmaking.notices)
        known = {"PAUSE": notices["PAUSE"], "DROPPED": notices["DROPPED"]}
        functions = {
            "db": SimpleNamespace(_db=SimpleNamespace(flush=lambda: None)),
            "now_ms": lambda: self.now,
            "read_people": lambda _session: self.people,
            "read_seen": lambda _subsession: self.seen,
            "waiting_page": lambda _subsession, _pages: self.page,
            "notices": SimpleNamespace(
                standing_kinds=lambda *_arguments: self.kinds,
                stopped_participants=lambda *_arguments: self.stopped,
                **known,
            ),
            "LAB": SimpleNamespace(waiting_room=self.waiting_room, page_records=None),
            "get_models_module": lambda _app: SimpleNamespace(
                Player=SimpleNamespace(objects_get=lambda participant_id, round_number: participant_id - 100)
            ),
            "config_in_treatment": lambda _session, _app, treatment: self.config,
            "has_treatments": lambda _session: bool(self.treatments),
            "treatment_names": lambda _session: sorted({*self.treatments.values()} - {""}),
            "treatment_of": lambda person: self.treatments.get(person.id_in_session, ""),
            "makes_slots_on_arrival": lambda _config: self.on_arrival,
            "can_add_visitor": lambda _session: self.can_add,
            "is_closed": lambda _session: self.is_closed,
            "group_rules": lambda _subsession: self.rules,
            "members_so_far": lambda _subsession, _treatment, _config, numbers: [
                member for member in self.members if member.number in numbers.values()
            ],
        }
        for name, function in functions.items():
            monkeypatch.setattr(matchmaking, name, function)

    def _participants(self):
        return [
            SimpleNamespace(
                id_in_session=number,
                _vars={study_register.TEAM: self.teams[number]} if number in self.teams else {},
            )
            for number in self.people
        ]

    def put(self, *numbers, page=None, silent=0, **fields):
        """Puts participants on a page; their last request was ``silent`` seconds ago."""
        page = self.page if page is None else page
        for number in numbers:
            heard_s = (self.now // 1000 - silent) if page else None
            person = ParticipantState(
                100 + number, number, f"p{number}", False, page, heard_s, None, False, True
            )
            self.people[number] = person._replace(**fields)

    def wait(self, *numbers, seconds=0.0, **fields):
        """Puts participants on the waiting page, where they have been for so many seconds."""
        self.put(*numbers, waiting_page=self.page, **fields)
        for number in numbers:
            self.seen[100 + number] = LastSeen(self.now - 1000 * seconds, self.now)

    def match(self):
        """Returns the numbers of the next group, as on a first attempt."""
        self.waiting_room.drop_expired(1, self.now)
        return sorted(matchmaking.next_group(self.subsession, PAGES))

    def planned(self, size=2):
        """Returns the groups of all participants that the seed draws, smallest numbers first."""
        seed = seating.group_seed(self.config, self.game)
        return sorted(sorted(group) for group in seating.plan_groups(seed, [*self.people], size))

    def status(self, number):
        return self.waiting_room.status(1, number)

    def missing(self, number):
        return self.waiting_room.waits(1)[number].missing


@pytest.fixture
def make_room(monkeypatch):
    def make(people=4, **fields):
        room = Room(monkeypatch, **fields)
        room.put(*range(1, people + 1), page=room.page - 1)
        return room

    return make


def test_drawn_partners_are_matched_when_both_wait(make_room):
    room = make_room()
    (one, partner), (other, _fourth) = room.planned()
    assert room.match() == []
    room.wait(one, other)
    assert room.match() == []
    assert (room.status(one), room.missing(one)) == (Status(1, 2), {partner})
    room.wait(partner)
    assert room.match() == [one, partner]


def test_attempts_are_cached_for_two_seconds(make_room):
    room = make_room()
    (one, partner), _others = room.planned()
    room.wait(one)
    assert room.match() == []
    room.wait(partner)
    assert matchmaking.next_group(room.subsession, PAGES) == []
    room.now += 2_001
    assert sorted(matchmaking.next_group(room.subsession, PAGES)) == [one, partner]


def test_after_drawn_seconds_anybody_is_a_partner(make_room):
    room = make_room(drawn_seconds=20)
    (one, _partner), (other, _fourth) = room.planned()
    room.wait(one, other, seconds=19.9)
    assert room.match() == []
    room.now += 100
    assert room.match() == [one, other]


@pytest.mark.parametrize(
    ("config", "limits"),
    [
        ({}, (matchmaking.DRAWN_SECONDS, inf)),
        ({"drawn_seconds": 0}, (inf, inf)),
        ({"drawn_seconds": 20, "gather_seconds": 60}, (20, 60)),
        ({"drawn_seconds": 90, "gather_seconds": 60}, (60, 60)),
    ],
)
def test_limits_follow_the_session_config(make_room, config, limits):
    room = make_room(**config)
    assert matchmaking._limits(room.subsession, room.config) == limits
    room.on_arrival = True
    assert matchmaking._limits(room.subsession, room.config) == (0, limits[1])


def test_attempt_is_valid_until_a_limit_ends(make_room):
    room = make_room(drawn_seconds=20, gather_seconds=60)
    (one, _partner), (other, _fourth) = room.planned()
    room.wait(one, seconds=5)
    room.match()
    attempt = room.waiting_room._attempts[1]
    assert attempt.valid_until_ms == NOW + 15_000
    wait = attempt.waits[one]
    assert (wait.since_ms, wait.max_seconds, wait.no_shows) == (NOW - 5_000, 60, "robots")
    room.wait(one, seconds=20)
    room.match()
    assert room.waiting_room._attempts[1].valid_until_ms == NOW + 40_000


def test_the_last_is_not_left_waiting(make_room):
    room = make_room(people=3, drawn_seconds=20, gather_seconds=60)
    room.put(2, 3, page=room.page + 1)
    room.wait(1, seconds=19)
    assert room.match() == []
    room.wait(1, seconds=20)
    assert room.match() == [1]  # nobody else can arrive


def test_everybody_is_waited_for_until_the_limit(make_room):
    room = make_room(people=2, drawn_seconds=20, gather_seconds=60)
    room.wait(1, seconds=59)
    assert room.match() == []
    assert room.missing(1) == {2}
    room.wait(1, seconds=60)
    assert room.match() == [1]


def test_visitors_may_still_come_to_the_first_game(make_room):
    for game, group in ((1, []), (2, [1])):
        room = make_room(people=1, game=game, drawn_seconds=20)
        room.can_add = True
        room.wait(1, seconds=20)
        assert room.match() == group


def test_nobody_waits_for_visitors_of_closed_session(make_room):
    for is_closed, group in ((False, []), (True, [1])):
        for fields in ({}, {"same_partner": True}):
            room = make_room(people=2, drawn_seconds=20, **fields)
            room.put(2, page=0)
            room.teams = {1: ("a", 2)}
            room.can_add, room.is_closed = True, is_closed
            room.wait(1, seconds=20)
            assert room.match() == group, fields


def test_those_who_are_ready_first_play_together(make_room):
    room = make_room(people=9)
    room.on_arrival = room.can_add = True
    room.wait(1, 2, seconds=1)
    room.wait(9, seconds=5)
    assert room.match() == [1, 9]
    room.put(1, 2, page=room.page + 1)
    assert room.match() == []
    assert room.status(9) == Status(1, 2)


def test_partner_whose_page_loads_is_waited_for(make_room):
    """The other participant has opened the waiting page, but its script has not polled yet."""
    room = make_room(people=0)
    room.on_arrival = True
    room.wait(1)
    room.put(2, waiting_page=room.page)
    assert room.match() == []
    room.now += waiting_room.RELOADING_MS
    assert room.match() == [1]


def test_no_partners_are_drawn_on_arrival(make_room):
    """Also not where somebody is disconnected, so that partners would be drawn again."""
    for silent in (0, 31):
        room = make_room(people=7)
        room.on_arrival = True
        seed = seating.group_seed(room.config, 1)
        (one, _partner), (other, _fourth), *_rest = seating.plan_groups(seed, [*room.people], 2, {7})
        room.put(7, page=room.page - 1, silent=silent)
        room.wait(*range(1, 7))
        room.wait(one, other, seconds=1)
        assert room.match() == sorted([one, other])


def test_partners_of_absent_participants_are_drawn_again(make_room):
    for leave in ("dropped", "stopped", "gone", "past"):
        room = make_room()
        (one, partner), (other, fourth) = room.planned()
        for absent in (partner, fourth):
            if leave == "dropped":
                room.kinds[100 + absent] = {matchmaking.notices.DROPPED}
            elif leave == "stopped":
                room.stopped.add(100 + absent)
            elif leave == "gone":
                room.put(absent, page=room.page - 1, silent=31)
            else:
                room.put(absent, page=room.page + 1)
        room.wait(one, other)
        assert room.match() == sorted([one, other]), leave


def test_disconnected_partners_are_waited_for_at_first(make_room):
    room = make_room()
    (one, partner), (other, fourth) = room.planned()
    room.put(partner, fourth, page=room.page - 1, silent=29)
    room.wait(one, other)
    assert room.match() == []


def test_paused_participants_are_waited_for(make_room):
    room = make_room(people=2, drawn_seconds=20, gather_seconds=60)
    room.wait(1, 2, seconds=20)
    room.kinds[102] = {matchmaking.notices.PAUSE}
    assert room.match() == []
    assert room.missing(1) == {2}
    room.kinds.clear()
    assert room.match() == [1, 2]


def test_treatments_are_never_mixed(make_room):
    room = make_room(people=6, drawn_seconds=20)
    room.treatments = {1: "high", 2: "low", 3: "high", 4: "low", 5: "high", 6: ""}
    room.wait(1, 2, 6, seconds=20)
    assert room.match() == []
    room.wait(4, seconds=20)
    assert room.match() == [2, 4]


def test_left_over_of_a_treatment_waits_for_labels(make_room):
    """A group of one is not planned in the first game: a label may still assign the treatment to others."""
    for game, group in ((1, []), (2, [1])):
        room = make_room(people=2, game=game)
        room.treatments = {1: "high", 2: "low"}
        room.wait(1)
        room.put(2, page=room.page + 1)
        room.can_add = False
        assert room.match() == group


def test_teams_play_among_themselves(make_room):
    room = make_room(people=4, same_partner=True, drawn_seconds=20)
    room.teams = {1: ("a", 2), 2: ("b", 2), 3: ("a", 2), 4: ("b", 2)}
    room.wait(1, 2, seconds=20)
    assert room.match() == []
    room.wait(3)
    assert room.match() == [1, 3]


def test_people_without_a_team_play_alone(make_room):
    room = make_room(people=2, same_partner=True, drawn_seconds=20)
    room.wait(1, 2)
    assert room.match() == [1]


def test_teams_only_matter_in_the_first_game(make_room):
    room = make_room(people=0, game=2, same_partner=True, drawn_seconds=20)
    room.wait(1, 2, seconds=20)
    room.teams = {1: ("a", 2), 2: ("b", 2)}
    assert room.match() == [1, 2]


def test_missing_team_members_are_waited_for(make_room):
    for page, group in ((0, []), (FIRST_PAGE - 1, [1])):
        room = make_room(people=1, same_partner=True, drawn_seconds=20)
        room.teams = {1: ("a", 2)}
        room.wait(1, seconds=20)
        room.put(2, page=page)
        room.teams[2] = ("b", 1)
        assert room.match() == group
    room.put(2, page=0)
    room.teams[1] = ("a", 1)  # nobody is missing
    assert room.match() == [1]


def test_later_games_draw_those_who_have_played(make_room):
    room = make_room(game=2)
    room.put(4, page=FIRST_PAGE)
    for number in (1, 2, 3):
        room.put(number, page=room.page - 1)
    assert matchmaking._read_snapshot(room.subsession, PAGES).drawn == [1, 2, 3]
    seed = seating.group_seed(room.config, 2)
    (one, other), *_rest = seating.plan_groups(seed, [1, 2, 3], 2)
    room.wait(one, other)
    assert room.match() == sorted([one, other])


def test_players_without_a_role_are_left_out(make_room):
    room = make_room(game=2, drawn_seconds=20)
    room.rules = GroupRules(assign_seats=None, role=lambda _config, member: member.past_games[-1].seat)
    room.members = [
        Member(number, (PastGame(seat, (), ""),)) for number, seat in ((1, "S"), (2, "W"), (3, "S"))
    ]
    room.wait(1, 3, seconds=0)
    room.put(2, 4, page=room.page - 1)
    assert room.match() == []
    room.wait(2)
    assert room.match() in ([1, 2], [2, 3])
    numbers, fit = matchmaking._drawn_and_compatible(
        matchmaking._read_snapshot(room.subsession, PAGES), "", room.config, {1, 2, 4}
    )
    assert (numbers, fit.role) == ([1, 2], {1: "S", 2: "W"})
