"""Who plays with whom: groups drawn by the seed, waiting with and without patience."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import seating

sizes = st.integers(1, 4)
participants = st.sets(st.integers(1, 99), max_size=30).map(sorted)


@given(st.text(), participants, sizes)
def test_everybody_is_planned_once_and_only_the_last_group_is_smaller(seed, people, size):
    groups = seating.planned(seed, people, size)
    assert sorted(member for group in groups for member in group) == people
    assert all(len(group) == size for group in groups[:-1])
    assert all(0 < len(group) <= size for group in groups)
    assert seating.planned(seed, people[::-1], size) == groups  # the order in which they are named is nothing


def test_other_seeds_draw_other_groups():
    drawn = {tuple(seating.planned(f"seed {number}", range(1, 9), 2)) for number in range(20)}
    assert len(drawn) > 15


def test_every_partner_is_as_likely():
    met = [frozenset(group) for seed in range(3000) for group in seating.planned(f"{seed}", range(1, 5), 2)]
    for pair in set(met):
        assert met.count(pair) == pytest.approx(1000, abs=150)
    assert len(set(met)) == 6


GROUPS = [(1, 2), (3, 4)]


def test_a_planned_group_begins_when_it_is_complete():
    assert seating.next_group(GROUPS, {1: 0, 3: 5}, 2, 10) == ()
    assert seating.next_group(GROUPS, {1: 0, 3: 5, 2: 0}, 2, 10) == (1, 2)
    assert seating.next_group(GROUPS, {4: 0, 3: 0, 1: 0}, 2, 0) == (3, 4)


def test_planned_partners_come_before_patience():
    assert seating.next_group(GROUPS, {1: 99, 3: 0, 4: 0}, 2, 10) == (3, 4)


def test_who_has_waited_long_enough_is_put_together_with_the_longest_waiting():
    assert seating.next_group(GROUPS, {1: 9.9, 3: 5}, 2, 10) == ()
    assert seating.next_group(GROUPS, {1: 10, 3: 5}, 2, 10) == (1, 3)
    assert seating.next_group([(1, 2), (3, 4), (5, 6)], {1: 10, 3: 5, 5: 7}, 2, 10) == (1, 5)
    assert seating.next_group(GROUPS, {4: 10}, 2, 10) == (4,)


def test_how_many_are_ready_of_the_group_that_each_is_to_be_in():
    assert seating.ready(GROUPS, {1: 0, 3: 5}, 2, 10) == {1: 1, 3: 1}
    assert seating.ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 0, 3: 5, 4: 0, 8: 2}, 4, 10) == {
        **dict.fromkeys((1, 3, 4), 3),
        8: 1,
    }
    assert seating.ready(GROUPS, {5: 0}, 2, 10) == {5: 1}  # whom the draw has left over


def test_once_patience_is_over_all_who_wait_are_ready_for_one_group():
    assert seating.ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 10, 4: 0, 8: 2}, 4, 10) == {1: 3, 4: 3, 8: 3}
    assert seating.ready([(1, 2, 3, 4), (5, 6, 7, 8)], {1: 10, 8: 2}, 4, 0) == {1: 1, 8: 1}


def test_without_end_nobody_is_put_together_otherwise():
    assert seating.next_group(GROUPS, {1: 1e6, 3: 1e6}, 2, 0) == ()


@given(st.text(), participants, sizes, st.data())
def test_the_next_group_is_of_those_who_wait(seed, people, size, data):
    groups = seating.planned(seed, people, size)
    seconds = st.floats(0, 100)
    waiting = data.draw(st.dictionaries(st.sampled_from(people), seconds) if people else st.just({}))
    patience = data.draw(st.sampled_from([0, 10, 50]))
    chosen = seating.next_group(groups, waiting, size, patience)
    assert set(chosen) <= waiting.keys()
    assert len(set(chosen)) == len(chosen) <= size
    if not chosen:
        assert not any(set(group) <= waiting.keys() for group in groups)
        assert not patience or all(seconds < patience for seconds in waiting.values())
