"""Defines the events that browsers report, and validates their messages.

Only the families of the browser and its system are kept, so that the data do not identify a browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

OPENED, HIDDEN, VISIBLE, BLUR, FOCUS = "opened", "hidden", "visible", "blur", "focus"
FULL_SCREEN, FULL_SCREEN_LEFT = "full screen", "full screen left"
RESIZED, INPUT, HEARTBEAT, POINTER = "resized", "input", "heartbeat", "pointer"

BROWSERS = ("Chrome", "Edge", "Firefox", "Opera", "Safari", "other")
SYSTEMS = ("Android", "ChromeOS", "iOS", "Linux", "macOS", "Windows", "other")
INPUTS = ("mouse", "touch", "pen", "keyboard")
MAX_PER_BATCH = 40  # events in one message
MAX_PATH_LENGTH = 2000  # characters of a path of the pointer
MAX_HZ = 10

_PLACE = r"-?\d{1,4},-?\d{1,4}"
_PATH = re.compile(rf"{_PLACE}( {_PLACE}| \d{{1,4}}(?= ))*")

Check = Callable[[Any], bool]


def _whole(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def _one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def _text(pattern: str) -> Check:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_PATH_LENGTH and _PATH.fullmatch(value) is not None


def _is_ratio(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= 100


def _is_flag(value: Any) -> bool:
    return value is True or value is False


_MS, _COUNT = _whole(0, 10**9), _whole(0, 10_000)
_SIZES: dict[str, Check] = {
    **dict.fromkeys(("width", "height", "screen_width", "screen_height"), _whole(0, 100_000)),
    "pixel_ratio": _is_ratio,
}
DETAILS: Mapping[str, Mapping[str, Check]] = {
    OPENED: {
        **_SIZES,
        "browser": _one_of(*BROWSERS),
        "system": _one_of(*SYSTEMS),
        "language": _text(r"[A-Za-z0-9-]{0,35}"),
        **dict.fromkeys(("visible", "focused", "full_screen"), _is_flag),
    },
    **{event: {} for event in (HIDDEN, VISIBLE, BLUR, FOCUS, FULL_SCREEN, FULL_SCREEN_LEFT)},
    RESIZED: _SIZES,
    INPUT: {"type": _one_of(*INPUTS)},
    HEARTBEAT: {
        "beats": _COUNT,
        **dict.fromkeys(("round_trip_ms", "longest_ms", "late_ms"), _MS),
        "offset_ms": _whole(-(10**14), 10**14),
    },
    POINTER: {"hz": _whole(1, MAX_HZ), "path": _is_path},
}
"""The details of each event, all of which it must have, with their checks."""

_NUMBER, _PAGE, _TIME = _whole(1, 10**6), _whole(0, 10**6), _whole(0, 10**14)
_TAB = _text(r"[0-9a-z]{1,20}")


class BrowserEvent(NamedTuple):
    """An event as a browser sends it.

    ``number`` counts the events of a tab. ``page`` is the index of the page, 0 if the page has none.
    ``client_ms`` is in Unix milliseconds by the browser's clock.
    """

    number: int
    page: int
    event: str
    client_ms: int
    details: dict[str, Any]


class Batch(NamedTuple):
    """The valid events of a message.

    ``tab`` names one loaded document, and ``sent_ms`` is the browser's time when it sent the message.
    """

    tab: str
    sent_ms: int
    events: list[BrowserEvent]


class PathPoint(NamedTuple):
    """A place on the board, in thousandths of its width and height, ``ms`` after the path began."""

    ms: int
    x: int
    y: int


def read_path(path: str, hz: int) -> list[PathPoint]:
    """Parses a path: the first place, then moves, and counts of ticks without a move.

    There are ``hz`` ticks per second. A move follows each count. Raises ValueError for any other text.
    """
    if not _is_path(path):
        raise ValueError("This is not a path of the pointer.")
    tick = x = y = 0
    points: list[PathPoint] = []
    for part in path.split():
        if "," not in part:
            tick += int(part)
            continue
        dx, dy = map(int, part.split(","))
        tick, x, y = tick + bool(points), x + dx, y + dy
        points.append(PathPoint(round(1000 * tick / hz), x, y))
    return points


def read_batch(fields: Mapping[str, Any]) -> Batch | None:
    """Returns the valid events of a message; None if the message is about something else."""
    tab, sent_ms, events = (fields.get(name) for name in ("tab", "now", "events"))
    if not (_TAB(tab) and _TIME(sent_ms) and isinstance(events, list)):
        return None
    read = (read_event(cells) for cells in events[:MAX_PER_BATCH])
    return Batch(str(tab), int(sent_ms or 0), [event for event in read if event])


def read_event(cells: Any) -> BrowserEvent | None:
    """Returns the event that a browser has sent as a list of its cells; None if it is not valid."""
    if not isinstance(cells, list) or len(cells) != len(BrowserEvent._fields):
        return None
    event = BrowserEvent(*cells)
    is_valid = _NUMBER(event.number) and _PAGE(event.page) and _TIME(event.client_ms)
    return event if is_valid and has_valid_details(event.event, event.details) else None


def has_valid_details(event: Any, details: Any) -> bool:
    """Returns whether it is a declared event with all of its details and no others."""
    checks = DETAILS.get(event) if isinstance(event, str) else None
    if checks is None or not isinstance(details, dict) or details.keys() != checks.keys():
        return False
    return all(check(details[name]) for name, check in checks.items())
