"""What a browser may say, checked before anything else looks at it.

Everything from a browser is hostile until checked here: a message is a :class:`Message` or it is
:class:`Malformed`, whose sentence the page can show.
"""

from __future__ import annotations

import json
from gettext import gettext as _
from typing import Any, NamedTuple

from cardlab.games.events import ABSENCE_CHOICES

LONGEST_TEXT = 10_000  # characters of a whole message; fifty pick-ups take about 1,500
LONGEST_ACTION = 40
MOST_TRACES = 50
LAST_MS = 10 * 24 * 3600 * 1000  # ten days: no hand is shown for longer


class Malformed(Exception):
    """A message that no page of ours sends; ``str(error)`` is fit to show."""


class Message(NamedTuple):
    """An action for hand number ``hand`` that wants to be action ``number``.

    ``ms`` and those of the traces are the browser's milliseconds since the hand was first shown.
    ``again`` asks for a fresh deal of a board that may be repeated, ``note`` has the name of something that
    was done on the page beside the hand; ``choice`` is what is to happen about an absent co-player, one of
    ``cardlab.games.events.ABSENCE_CHOICES``. Then nothing else counts.
    """

    hand: int
    number: int = 0
    action: str = ""
    ms: int = 0
    traces: tuple[tuple[str, int], ...] = ()
    again: bool = False
    note: str = ""
    choice: str = ""


def parse(text: Any) -> Message:
    """The message in a text frame; raises Malformed."""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise Malformed(_("This message is too long to be a move."))
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed(_("This message cannot be read.")) from None
    if not isinstance(said, dict):
        raise Malformed(_("This message cannot be read."))
    hand = _whole(said.get("hand"), "hand")
    if said.get("again") is True:
        return Message(hand, again=True)
    if "choice" in said:
        if said["choice"] not in ABSENCE_CHOICES:
            raise Malformed(_("This message has no valid “{name}”.").format(name="choice"))
        return Message(hand, choice=said["choice"])
    if "note" in said:
        return Message(hand, note=_name(said["note"], "note"), ms=_whole(said.get("ms"), "ms"))
    return Message(
        hand,
        _whole(said.get("number"), "number"),
        _name(said.get("action"), "action"),
        _whole(said.get("ms"), "ms"),
        _traces(said.get("traces", [])),
    )


def _whole(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= LAST_MS:
        raise Malformed(_("This message has no valid “{name}”.").format(name=name))
    return value


def _name(value: Any, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_ACTION or not value.isprintable():
        raise Malformed(_("This message has no valid “{name}”.").format(name=name))
    return value


def _traces(value: Any) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, list) or len(value) > MOST_TRACES:
        raise Malformed(_("This message has no valid “{name}”.").format(name="traces"))
    traces = []
    for trace in value:
        if not isinstance(trace, list) or len(trace) != 2:
            raise Malformed(_("This message has no valid “{name}”.").format(name="traces"))
        traces.append((_name(trace[0], "action"), _whole(trace[1], "traces")))
    return tuple(traces)
