"""Tests that a record written as text is read back unchanged."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab import __version__
from cardlab.games.events import Event
from cardlab.games.record import (
    Opening,
    is_opening_line,
    read_event,
    read_opening,
    read_record,
    read_shared_opening,
    write_event,
    write_opening,
)

# Ordinary characters, and those at which some tools split a line or end a JSON string.
HARD = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\n\t\"'\\,[]{}:;♥🂱é=\x00 "
texts = st.text(st.one_of(st.sampled_from(HARD), st.characters(exclude_categories=["Cs"])), max_size=30)
whole = st.integers(0, 10**13)
times = st.none() | whole

events = st.one_of(
    st.tuples(whole, texts, texts, times, whole).map(lambda cells: Event(*cells)),
    st.tuples(whole, texts, texts, times, whole, st.just(False), texts).map(lambda cells: Event(*cells)),
    st.tuples(st.none(), texts, texts, times, whole, st.none()).map(lambda cells: Event(*cells)),
)
openings = st.builds(
    Opening,
    deal=texts,
    options=st.dictionaries(texts, st.one_of(texts, st.integers(), st.booleans(), st.none()), max_size=5),
    number=whole,
    of=whole,
    practice=st.booleans(),
    source=texts,
    sha256=texts,
    notice=texts,
    version=texts,
    shown_ms=times,
)


@given(openings, st.lists(events, max_size=8))
def test_written_record_is_read_back(opening, history):
    lines = [write_opening(opening), *map(write_event, history)]
    assert read_record(lines) == (opening, history)
    assert [is_opening_line(line) for line in lines] == [True] + [False] * len(history)


@given(events)
def test_an_event_is_one_line(event):
    line = write_event(event)
    assert "\n" not in line
    assert read_event(line) == event


def test_a_record_is_readable_text():
    line = write_event(Event(3, "solo", "T", 4100, 1_700_000_000_000, False, "Colours differ: 3♥ is red."))
    assert line == '[3,"solo","T",4100,1700000000000,"Colours differ: 3♥ is red."]'
    assert write_event(Event(None, "solo", "reconnect", None, 5, None)) == '[null,"solo","reconnect",null,5]'


@given(openings)
def test_shared_opening_equals_the_written_one(opening):
    assert write_opening(read_shared_opening(write_opening(opening))) == write_opening(opening)


def test_openings_with_the_same_options_share_them():
    lines = [
        write_opening(Opening(f"deal {number}", {"games": games}))
        for number, games in enumerate((1, 1, True, 1.0))
    ]
    first, second, third, fourth = (read_shared_opening(line).options for line in lines)
    assert first is second
    assert [type(options["games"]) for options in (first, third, fourth)] == [int, bool, float]


def test_an_opening_names_version_and_time():
    opening = read_opening(write_opening(Opening("a deal", {"MaxRounds": 20})))
    assert opening.version == __version__
    assert opening.shown_ms is None
    assert (opening.number, opening.of, opening.practice) == (1, 1, False)


@pytest.mark.parametrize(
    ("number", "of", "practice", "last"),
    [(1, 2, False, False), (2, 2, False, True), (2, 2, True, False), (1, 1, False, True)],
)
def test_last_counted_hand_is_the_last_hand(number, of, practice, last):
    opening = replace(Opening("a deal", {}), number=number, of=of, practice=practice)
    assert opening.is_last is last
