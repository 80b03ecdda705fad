"""Tests the planning of groups: draws by the seed, waiting, patience and left-over participants."""

from __future__ import annotations

from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cardlab.games import seating
from cardlab.games.record import Opening

sizes = st.integers(1, 4)
participants = st.sets(st.integers(1, 99), max_size=30).map(sorted)


@given(st.text(), participants, sizes)
def test_everybody_is_planned_once_in_full_groups(seed, people, size):
    groups = seating.plan_groups(seed, people, size)
    assert sorted(member for group in groups for member in group) == people
    assert all(len(group) == size for group in groups[:-1])
    assert all(0 < len(group) <= size for group in groups)
    assert (
        seating.plan_groups(seed, people[::-1], size) == groups
    )  # the order of the participants does not matter


def test_other_seeds_draw_other_groups():
    drawn = {tuple(seating.plan_groups(f"seed {number}", range(1, 9), 2)) for number in range(20)}
    assert len(drawn) > 15


def test_every_partner_is_equally_likely():
    met = [
        frozenset(group) for seed in range(3000) for group in seating.plan_groups(f"{seed}", range(1, 5), 2)
    ]
    for pair in set(met):
        assert met.count(pair) == pytest.approx(1000, abs=150)
    assert len(set(met)) == 6


GROUPS = [(1, 2), (3, 4)]


def test_planned_group_begins_when_complete():
    assert seating.next_group_to_begin(GROUPS, {1: 0, 3: 5}, 2, 10) == ()
    assert seating.next_group_to_begin(GROUPS, {1: 0, 3: 5, 2: 0}, 2, 10) == (1, 2)
    assert seating.next_group_to_begin(GROUPS, {4: 0, 3: 0, 1: 0}, 2, inf) == (3, 4)


def test_planned_partners_precede_those_who_waited_longest():
    assert seating.next_group_to_begin(GROUPS, {1: 99, 3: 0, 4: 0}, 2, 10) == (3, 4)


def test_after_gather_seconds_the_longest_waiting_are_matched():
    assert seating.next_group_to_begin(GROUPS, {1: 9.9, 3: 5}, 2, 10) == ()
    assert seating.next_group_to_begin(GROUPS, {1: 10, 3: 5}, 2, 10) == (1, 3)
    assert seating.next_group_to_begin([(1, 2), (3, 4), (5, 6)], {1: 10, 3: 5, 5: 7}, 2, 10) == (1, 5)
    assert seating.next_group_to_begin(GROUPS, {4: 10}, 2, 10) == (4,)


def test_ready_members_of_each_group_are_counted():
    assert seating.count_ready(GROUPS, {1: 0, 3: 5}, 2, 10) == {1: 1, 3: 1}
    assert seating.count_ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 0, 3: 5, 4: 0, 8: 2}, 4, 10) == {
        **dict.fromkeys((1, 3, 4), 3),
        8: 1,
    }
    assert seating.count_ready([(1, 2, 3, 4)], {5: 0}, 4, 10) == {5: 1}  # 5 was left over by the draw


def test_after_gather_seconds_everyone_waiting_counts_as_ready():
    assert seating.count_ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 10, 4: 0, 8: 2}, 4, 10) == {1: 3, 4: 3, 8: 3}
    assert seating.count_ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 10, 8: 2}, 4, 10) == {1: 2, 8: 2}
    assert seating.count_ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 10, 8: 2}, 4, inf) == {1: 1, 8: 1}


def test_missing_members_of_waiting_groups_are_known():
    four = [(1, 2, 3, 4), (5, 6)]
    assert seating.missing_members(four, {1: 0, 3: 5}, 10, {2, 4, 6}) == {1: {2, 4}, 3: {2, 4}}
    assert seating.missing_members(four, {1: 10, 3: 5}, 10, {6}) == {
        1: {6},
        3: {2, 4},
    }  # 1 no longer waits for 2 and 4
    assert seating.missing_members(four, {1: 10}, 10, set()) == {1: {2, 3, 4}}
    assert seating.missing_members(four, {1: 10}, inf, {6}) == {1: {2, 3, 4}}
    assert seating.missing_members(four, {5: 0, 6: 0, 7: 0}, 10, {2}) == {5: {2}, 6: {2}, 7: {2}}


def test_without_gather_seconds_planned_groups_stay():
    assert seating.next_group_to_begin(GROUPS, {1: 1e6, 3: 1e6}, 2, inf) == ()


@given(st.text(), participants, sizes, st.data())
def test_next_group_consists_of_waiting_participants(seed, people, size, data):
    groups = seating.plan_groups(seed, people, size)
    seconds = st.floats(0, 100)
    waiting = data.draw(st.dictionaries(st.sampled_from(people), seconds) if people else st.just({}))
    patience = data.draw(st.sampled_from([0, 10, 50]))
    chosen = seating.next_group_to_begin(groups, waiting, size, patience)
    assert set(chosen) <= waiting.keys()
    assert len(set(chosen)) == len(chosen) <= size
    if not chosen:
        assert not any(set(group) <= waiting.keys() for group in groups)
        assert all(seconds < patience for seconds in waiting.values())


@given(st.text(), participants, sizes, st.data())
def test_nobody_waits_longer_than_promised(seed, people, size, data):
    groups = seating.plan_groups(seed, people, size)
    waiting = data.draw(
        st.dictionaries(st.sampled_from(people), st.floats(0, 100)) if people else st.just({})
    )
    on_the_way = data.draw(st.booleans())
    while chosen := seating.next_group_to_begin(
        groups, waiting, size, 50, on_the_way=on_the_way, max_seconds=60
    ):
        waiting = {member: seconds for member, seconds in waiting.items() if member not in chosen}
    assert all(seconds < 60 for seconds in waiting.values())


def test_nobody_waits_after_the_limit():
    for seconds, group in ((59.9, ()), (60, (1,))):
        waiting = {1: seconds}
        arguments = [], waiting, 2, 50, seating.ANYBODY, True, 60
        assert seating.next_group_to_begin(*arguments) == group


@given(st.dictionaries(st.integers(1, 30), st.floats(0, 100)), sizes)
def test_without_drawn_partners_readiness_decides(waiting, size):
    chosen = seating.next_group_to_begin([], waiting, size, 0, on_the_way=True)
    assert len(chosen) == (size if len(waiting) >= size else 0)
    others = [seconds for member, seconds in waiting.items() if member not in chosen]
    assert not chosen or min(waiting[member] for member in chosen) >= max(others, default=0)


# Groups whose members have roles, such as the keepers of Target the Two.


def role_of(number: int) -> str:
    return "ck" if number % 2 else "nk"


@st.composite
def people_with_roles(draw):
    """Draws participants, whose numbers' parity is their role, and the conflicts of pairs."""
    people = draw(st.sets(st.integers(1, 12), max_size=9).map(sorted))
    pairs = [(one, other) for one in people for other in people if one < other]
    against = {pair: draw(st.integers(0, 2)) for pair in pairs}
    role = {number: role_of(number) for number in people}
    return people, seating.Compatibility(role, lambda one, other: against[min(one, other), max(one, other)])


def cheapest(people, fit):
    """Returns the least total conflict of as many pairs as possible, by trying all."""
    fewer, more = sorted(([n for n in people if n % 2 == side] for side in (0, 1)), key=len)
    return min(sum(map(fit.conflict, fewer, some)) for some in permutations(more, len(fewer)))


@given(st.text(), people_with_roles())
def test_pairs_combine_roles_with_fewest_objections(seed, roles_and_fit):
    people, fit = roles_and_fit
    groups = seating.plan_groups(seed, people, 2, compatibility=fit)
    assert sorted(member for group in groups for member in group) == people
    pairs = [group for group in groups if len(group) == 2]
    assert groups[: len(pairs)] == pairs
    assert all(fit.are_compatible(*pair) for pair in pairs)
    assert len(pairs) == min(sum(number % 2 == side for number in people) for side in (0, 1))
    assert sum(fit.conflict(*pair) for pair in pairs) == cheapest(people, fit)
    assert seating.plan_groups(seed, people[::-1], 2, compatibility=fit) == groups


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (4, 4), (7, 9), (12, 12)])
def test_assignment_costs_as_little_as_scipys(rows, columns):
    chance = np.random.default_rng(rows * columns)
    for highest in (2, 9, 1_000):
        costs = chance.integers(0, highest, (rows, columns), endpoint=True)
        own = seating._assign(costs.tolist())
        assert len({*own}) == rows
        assert costs[range(rows), own].sum() == costs[linear_sum_assignment(costs)].sum()


def test_partners_of_those_who_play_are_redrawn():
    """They are drawn into full groups only, and the other groups stay as they were."""
    groups = seating.plan_groups("x", range(1, 11), 2)
    (first, left), (second, also_left), *others = groups
    replanned = seating.plan_groups("x", range(1, 11), 2, playing={first, second})
    assert [{*group} for group in replanned] == [{*group} for group in (*others, (left, also_left))]
    assert seating.plan_groups("x", range(1, 11), 2, playing={first}) == groups[1:]
    four = seating.plan_groups("x", range(1, 10), 4)
    assert [len(group) for group in four] == [4, 4, 1]
    of_three = seating.plan_groups("x", range(1, 10), 4, playing={four[0][0]})
    assert of_three == four[1:]


def test_partners_of_the_other_role_are_equally_likely():
    fit = seating.Compatibility({number: role_of(number) for number in range(1, 7)})
    met = [
        pair
        for seed in range(450)
        for pair in seating.plan_groups(f"{seed}", range(1, 7), 2, compatibility=fit)
    ]
    counts = {pair: met.count(pair) + met.count(pair[::-1]) for pair in met}
    assert len({frozenset(pair) for pair in met}) == 9
    assert all(count == pytest.approx(150, abs=50) for count in counts.values())


@given(st.text(), people_with_roles(), st.data())
def test_everybody_plays_or_is_left_over_once(seed, roles_and_fit, data):
    """As on the server, people arrive in any order or never, and some wait until their patience is over."""
    people, fit = roles_and_fit
    come = data.draw(st.permutations(people)) if people else []
    come = come[: data.draw(st.integers(0, len(come)))]
    waiting: dict[int, float] = {}
    playing: set[int] = set()
    began = []
    for number in [*come, None, *come]:  # None: nobody else arrives, and everybody has waited too long
        if number is None or number in waiting or number in playing:
            waiting = dict.fromkeys(waiting, 99.0)
        else:
            waiting = {**dict.fromkeys(waiting, 1.0), number: 0.0}
        groups = seating.plan_groups(seed, people, 2, playing, fit)
        on_the_way = bool(set(come) - playing - waiting.keys())
        chosen = seating.next_group_to_begin(groups, waiting, 2, 10, fit, on_the_way)
        if not chosen:
            ready = seating.count_ready(groups, waiting, 2, 10, fit)
            assert ready.keys() == waiting.keys()
            assert set(ready.values()) <= {1}
            continue
        assert set(chosen) <= waiting.keys()
        assert len(chosen) == 1 or fit.are_compatible(*chosen)
        assert not on_the_way or (len(chosen) == 2 and not fit.conflict(*chosen))
        began.append(chosen)
        playing |= set(chosen)
        waiting = {other: seconds for other, seconds in waiting.items() if other not in chosen}
    assert sorted(member for group in began for member in group) == sorted(come)
    alone = {role_of(*group) for group in began if len(group) == 1}
    assert len(alone) < 2


def test_after_gather_seconds_compatibility_is_relaxed():
    fit = seating.Compatibility(
        {number: role_of(number) for number in range(1, 7)}, lambda one, other: {one, other} == {1, 4}
    )
    assert seating.next_group_to_begin([(1, 2), (3, 6)], {1: 10, 3: 9, 4: 8, 6: 2}, 2, 10, fit) == (3, 6)
    assert seating.next_group_to_begin([(1, 2)], {1: 10, 3: 9, 4: 8, 6: 2}, 2, 10, fit) == (1, 6)
    assert seating.next_group_to_begin([(1, 2)], {1: 10, 3: 9, 4: 8}, 2, 10, fit) == (1, 4)
    assert seating.next_group_to_begin([(1, 2)], {1: 10, 3: 11}, 2, 10, fit) == (3,)
    assert seating.count_ready([(1, 2)], {1: 10, 3: 11}, 2, 10, fit) == {1: 1, 3: 1}
    assert seating.count_ready([], {1: 10, 3: 9, 2: 0}, 5, 10, fit) == {1: 2, 3: 2, 2: 3}


def test_only_compatible_full_groups_begin_while_others_arrive():
    fit = seating.Compatibility(
        {number: role_of(number) for number in range(1, 7)}, lambda one, other: {one, other} == {1, 4}
    )
    arguments = 2, 10, fit, True
    assert seating.next_group_to_begin([(1, 4), (3, 6)], {1: 0, 4: 0}, *arguments) == ()
    assert seating.next_group_to_begin([(1, 4), (3, 6)], {1: 0, 4: 0}, *arguments[:3]) == (1, 4)
    assert seating.next_group_to_begin([(1, 4), (3, 6)], {1: 0, 4: 0, 3: 0, 6: 0}, *arguments) == (3, 6)
    assert seating.next_group_to_begin([(1, 2)], {1: 11, 4: 10}, *arguments) == ()
    assert seating.next_group_to_begin([(1, 2)], {1: 11, 4: 10, 6: 0}, *arguments) == (1, 6)
    assert seating.next_group_to_begin([(1, 2), (3,)], {3: 0}, *arguments) == ()
    assert seating.next_group_to_begin([(1, 2), (3,)], {3: 0}, *arguments[:3]) == (3,)
    assert seating.next_group_to_begin([(1, 2), (3,)], {3: 0, 2: 0}, *arguments[:3]) == ()
    assert seating.count_ready([(1, 4), (3, 6)], {1: 0, 4: 0}, 2, 10, fit) == {1: 1, 4: 1}


# The seats of a whole session, as in simulations.

WAYS = [[Opening(f"{way}{game}", {}, source=f"{way}.txt") for game in (1, 2, 3)] for way in "ab"]


def assign(_config, members, game):
    """Seats the first two members at S and W; a robot takes an empty W."""
    own = ("S", "W")[: len(members)]
    return own, {} if len(own) == 2 else {"W": f"random in {game.deal}"}


def config_of(partners=seating.KEPT, **fields):
    return {"partners": partners, "group_size": 2, "seed": 1, **fields}


def test_kept_partners_play_all_games_of_their_way():
    games = [*seating.seat_session(seating.GroupRules(assign), config_of(), WAYS, range(1, 8))]
    people = [[[*table.seats.values()] for table in tables] for tables in games]
    assert people[0] == people[1] == people[2]
    assert sorted(number for group in people[0] for number in group) == [*range(1, 8)]
    assert [min(group) for group in people[0]] == sorted(min(group) for group in people[0])
    assert [[table.game.deal for table in tables] for tables in games] == [
        [f"{way}{game}" for way in "abab"] for game in (1, 2, 3)
    ]
    assert [[table.is_new for table in tables] for tables in games] == [[True] * 4, [False] * 4, [False] * 4]


def test_robots_fill_tables_that_share_hands():
    (tables, *_later) = seating.seat_session(seating.GroupRules(assign), config_of(), WAYS[:1], range(1, 10))
    full = [table for table in tables if len(table.seats) == 2]
    (alone,) = [table for table in tables if len(table.seats) == 1]
    assert len(full) == 4
    assert all(table.game is full[0].game for table in full)
    assert (full[0].game.options, full[0].game.deal) == ({"robots": {}}, "a1")
    assert alone.game.options == {"robots": {"W": "random in a1"}}
    assert WAYS[0][0].options == {}


def test_rematched_partners_are_drawn_for_each_game():
    config = config_of(seating.REMATCHED)
    games = [*seating.seat_session(seating.GroupRules(assign), config, WAYS[:1], range(1, 21))]
    assert all(table.is_new for tables in games for table in tables)
    people = [{frozenset(table.seats.values()) for table in tables} for tables in games]
    assert people[0] != people[1] != people[2] != people[0]
    for number, groups in enumerate(people, 1):
        planned = seating.plan_groups(seating.group_seed(config, number), range(1, 21), 2)
        assert groups == {frozenset(group) for group in planned}
    (in_treatment, *_later) = seating.seat_session(
        seating.GroupRules(assign), config, WAYS[:1], range(1, 21), "high"
    )
    assert {frozenset(table.seats.values()) for table in in_treatment} != people[0]
    assert seating.group_seed(config, 1, "high") == f"{seating.group_seed(config, 1)} of high"


def test_players_keep_roles_and_meet_new_partners():
    seen = []

    def role(_config, member):
        seen.append(member)
        return member.past_games[-1].seat

    def conflict(_config, one, other):
        return sum(other.number in game.partners for game in one.past_games)

    rules = seating.GroupRules(assign, role=role, conflict=conflict)
    games = [*seating.seat_session(rules, config_of(seating.REMATCHED), WAYS[:1], range(1, 7))]
    role_of_member = {number: seat for table in games[0] for seat, number in table.seats.items()}
    pairs = [frozenset(table.seats.values()) for tables in games for table in tables]
    assert len({*pairs}) == len(pairs) == 9
    assert all(len({role_of_member[number] for number in pair}) == 2 for pair in pairs)
    last = [member for member in seen if len(member.past_games) == 2]
    for member in last:
        tables = [next(t for t in of_game if member.number in t.seats.values()) for of_game in games[:2]]
        assert member.past_games == tuple(
            seating.PastGame(
                next(seat for seat, number in table.seats.items() if number == member.number),
                tuple(number for number in table.seats.values() if number != member.number),
                "a.txt",
            )
            for table in tables
        )


def test_anybody_is_compatible_before_roles_are_known():
    new, played = seating.Member(1), seating.Member(2, (seating.PastGame("S", (3,), ""),))
    with_roles = seating.GroupRules(assign, role=lambda _config, member: f"role of {member.number}")
    assert seating.compatibility_of(seating.GroupRules(assign), {}, [new, played]) == seating.ANYBODY
    assert seating.compatibility_of(with_roles, {}, [new]) == seating.ANYBODY
    fit = seating.compatibility_of(with_roles, {}, [new, played])
    assert fit.role == {1: "role of 1", 2: "role of 2"}
    assert fit.conflict(1, 2) == 0
