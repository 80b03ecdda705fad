"""Tests which messages about browser events are valid; none of any other content is stored."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.browser_events import (
    DETAILS,
    MAX_HZ,
    MAX_PER_BATCH,
    BrowserEvent,
    PathPoint,
    read_batch,
    read_event,
    read_path,
)

SIZES = {"width": 1280, "height": 720, "screen_width": 1920, "screen_height": 1080, "pixel_ratio": 1.25}
STATE = {"visible": True, "focused": False, "full_screen": False}
VALID = {
    "opened": {**SIZES, "browser": "Firefox", "system": "macOS", "language": "it-IT", **STATE},
    "resized": SIZES,
    "input": {"type": "pen"},
    "pointer": {"hz": 5, "path": "500,20 10,0 -5,-8 3 -505,0"},
    "heartbeat": {"beats": 6, "round_trip_ms": 12, "longest_ms": 80, "late_ms": 0, "offset_ms": -3600000},
}
LONGEST = 500  # characters of the details of an event

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner, max_size=5),
    max_leaves=12,
)


def message(*events: object, **changes: object) -> dict:
    return {"tab": "abc1", "now": 1_764_000_000_000, "events": [*events], **changes}


@pytest.mark.parametrize("event", DETAILS)
def test_valid_events_are_read(event):
    cells = [1, 12, event, 1_764_000_000_000, VALID.get(event, {})]
    assert read_event(cells) == BrowserEvent(*cells)
    assert read_batch(message(cells)).events == [BrowserEvent(*cells)]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((0, number) for number in (0, -1, True, 1.0, "1", None, 10**7)),
        *((1, page) for page in (-1, "3", 10**7)),
        *((2, event) for event in ("unknown", "", None, ["blur"], {"blur": 1})),
        *((3, ms) for ms in (-1, 1.5, 10**15, math.inf)),
        *((4, details) for details in (None, [], {"width": 1280}, {**SIZES, "more": 1})),
        *((4, {**SIZES, "width": width}) for width in (-1, 1.5, True, "1280", None, 10**6)),
        *((4, {**SIZES, "pixel_ratio": ratio}) for ratio in (0, -1, math.nan, math.inf, "2", True)),
    ],
)
def test_invalid_cells_are_refused(place, value):
    cells = [1, 12, "resized", 1_764_000_000_000, SIZES]
    cells[place] = value
    assert read_event(cells) is None
    assert read_batch(message(cells, [2, 12, "blur", 0, {}])).events == [BrowserEvent(2, 12, "blur", 0, {})]


@pytest.mark.parametrize(
    "changes",
    [
        {"browser": "Mozilla/5.0"},
        {"system": ["Linux"]},
        {"language": "x" * 36},
        {"language": "=1+1"},
        {"visible": 1},
    ],
)
def test_browsers_are_described_by_known_words(changes):
    assert read_event([1, 12, "opened", 0, {**VALID["opened"], **changes}]) is None


@pytest.mark.parametrize(
    "changes",
    [
        *({"tab": tab} for tab in ("", "x" * 21, "A", "<b>", 1, None, ["a"])),
        *({"now": now} for now in (None, "0", 1.5, -1, 10**15, True)),
        *({"events": events} for events in (None, {}, "blur", 3)),
    ],
)
def test_other_messages_are_no_batch(changes):
    assert read_batch(message(**changes)) is None


def test_long_batches_are_cut():
    events = [[number, 1, "blur", 0, {}] for number in range(1, 2 * MAX_PER_BATCH)]
    assert len(read_batch(message(*events)).events) == MAX_PER_BATCH


@given(st.lists(anything, max_size=7))
def test_any_cells_are_read_or_refused(cells):
    event = read_event(cells)
    assert event is None or json.loads(json.dumps([*event])) == cells


@given(st.sampled_from([*DETAILS]), st.data())
def test_details_are_declared_and_short(event, data):
    valid = VALID.get(event, {})
    details = {name: data.draw(anything | st.just(value)) for name, value in valid.items()}
    read = read_event([1, 1, event, 0, details])
    if read:
        assert read.details.keys() == DETAILS[event].keys()
        assert len(json.dumps(read.details)) <= LONGEST
    else:
        assert details != valid


PLACES = st.tuples(st.integers(-2000, 2000), st.integers(-2000, 2000))


@given(st.lists(st.tuples(st.integers(1, 90), PLACES), max_size=60), PLACES, st.integers(1, MAX_HZ))
def test_path_is_read_as_it_was_written(moves, first, hz):
    path, (x, y), points, tick = "{},{}".format(*first), first, [PathPoint(0, *first)], 0
    for ticks, (to_x, to_y) in moves:
        path += (f" {ticks - 1}" if ticks > 1 else "") + f" {to_x - x},{to_y - y}"
        x, y, tick = to_x, to_y, tick + ticks
        points.append(PathPoint(round(1000 * tick / hz), x, y))
    assert read_path(path, hz) == points
    assert read_event([1, 1, "pointer", 0, {"hz": hz, "path": path}])


@pytest.mark.parametrize(
    "path",
    [
        "",
        "5",
        "5,",
        "1,2 ",
        "1,2 3",
        "1,2  3,4",
        "1,2 3 4 5,6x",
        "1,2;3,4",
        "99999,0",
        "1,2 -3 4,5",
        "<b>",
        None,
        3,
    ]
    + ["0,0" + " 1,1" * 500],
)
def test_no_other_text_is_a_path(path):
    assert read_event([1, 1, "pointer", 0, {"hz": 5, "path": path}]) is None
