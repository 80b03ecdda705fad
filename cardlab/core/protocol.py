"""Parses and validates browsers' messages, which are untrusted."""

from __future__ import annotations

import json
from gettext import gettext as _
from typing import Any, NamedTuple

from cardlab.games.events import ABSENCE_CHOICES

MAX_MESSAGE_LENGTH = 10_000  # characters of a whole message; fifty pick-ups take about 1,500
MAX_ACTION_LENGTH = 40
MAX_TRACES = 50
MAX_MS = 10 * 24 * 3600 * 1000  # ten days: no hand is shown for longer


class Malformed(Exception):
    """Raised for an invalid message; ``str(error)`` is a sentence for the participant."""


class Message(NamedTuple):
    """A message about hand number ``hand``: an action, or one of ``again``, ``note`` and ``choice``.

    Attributes:
        number: the action's sequence number at its seat.
        ms: the browser's milliseconds since the hand was first shown, as in ``traces``.
        traces: earlier pick-ups, with their times.
        early: it was not the seat's turn, so the action is refused, even if the turn has come since.
        again: requests a fresh deal of a repeatable board; of the step in ``note``, if there is one.
        note: names something done on the page, outside of the hand.
        choice: the decision about an absent co-player, one of ``cardlab.games.events.ABSENCE_CHOICES``.
    """

    hand: int
    number: int = 0
    action: str = ""
    ms: int = 0
    traces: tuple[tuple[str, int], ...] = ()
    early: bool = False
    again: bool = False
    note: str = ""
    choice: str = ""


def parse(text: Any) -> Message:
    """Returns the message in a WebSocket text frame. Raises Malformed."""
    if not isinstance(text, str) or len(text) > MAX_MESSAGE_LENGTH:
        raise Malformed(_("Your move could not be read: it is too long."))
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed(_("Your move could not be read. Please reload the page.")) from None
    if not isinstance(fields, dict):
        raise Malformed(_("Your move could not be read. Please reload the page."))
    hand = _read_integer(fields.get("hand"), "hand")
    if fields.get("again") is True:
        deal = fields.get("deal", "")
        return Message(hand, again=True, note=_read_name(deal, "deal") if deal else "")
    if "choice" in fields:
        if fields["choice"] not in ABSENCE_CHOICES:
            raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name="choice"))
        return Message(hand, choice=fields["choice"])
    if "note" in fields:
        return Message(
            hand, note=_read_name(fields["note"], "note"), ms=_read_integer(fields.get("ms"), "ms")
        )
    return Message(
        hand,
        _read_integer(fields.get("number"), "number"),
        _read_name(fields.get("action"), "action"),
        _read_integer(fields.get("ms"), "ms"),
        _read_traces(fields.get("traces", [])),
        fields.get("early") is True,
    )


def _read_integer(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_MS:
        raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name=name))
    return value


def _read_name(value: Any, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ACTION_LENGTH or not value.isprintable():
        raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name=name))
    return value


def _read_traces(value: Any) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, list) or len(value) > MAX_TRACES:
        raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name="traces"))
    traces = []
    for trace in value:
        if not isinstance(trace, list) or len(trace) != 2:
            raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name="traces"))
        traces.append((_read_name(trace[0], "action"), _read_integer(trace[1], "traces")))
    return tuple(traces)
