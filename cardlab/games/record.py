"""Reads and writes the record of a hand: append-only lines of JSON, the single source of truth.

The first line is the opening: deal, settings in force, where the deal came from, when the hand was
first shown. Each further line is one :class:`cardlab.games.events.Event`:

``[number, seat, action, client_ms, server_ms]``            an accepted action
``[number, seat, action, client_ms, server_ms, reason]``    a refused one, with the number that was sent
``[null, seat, action, client_ms, server_ms]``              a note of the server (``reconnect``)

The last line of a closed hand is the action ``end <outcome>``. If the participant may try a board again,
another opening follows, with which the board starts over.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from cardlab import __version__
from cardlab.games.events import Event


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening of a hand: its deal, its settings and their source.

    The participant reads ``number`` and ``of`` as "Hand 3 of 40". ``hands`` is the number of hands in the
    session, including practice. ``shown_ms`` is when the hand was first shown, in Unix milliseconds, or
    None. ``source`` and ``sha256`` name the file of the deal; ``notice`` is a warning about it.
    """

    deal: str
    options: dict[str, Any]
    number: int = 1
    of: int = 1
    hands: int = 1
    practice: bool = False
    source: str = ""
    sha256: str = ""
    notice: str = ""
    version: str = __version__
    shown_ms: int | None = None

    @property
    def is_last(self) -> bool:
        """Whether it is the last hand of the session."""
        return self.number == self.of and not self.practice


def compact_json(value: Any) -> str:
    """Returns one line of compact JSON, without escapes for non-ASCII characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_opening(opening: Opening) -> str:
    """Returns the first line of a record."""
    return compact_json({field.name: getattr(opening, field.name) for field in fields(opening)})


def read_opening(line: str) -> Opening:
    """Returns what :func:`write_opening` wrote. Raises ValueError or TypeError for any other text."""
    return Opening(**json.loads(line))


def read_shared_opening(line: str) -> Opening:
    """Returns the same as :func:`read_opening`, for an opening that stays in memory.

    The options of a hand take 8 kB and hardly differ within a session. So openings with the same options
    share one dictionary, which must not be changed.
    """
    opening = read_opening(line)
    return replace(opening, options=_shared_options(compact_json(opening.options)))


@lru_cache(maxsize=256)
def _shared_options(text: str) -> dict[str, Any]:
    """Returns the options of a JSON text."""
    options: dict[str, Any] = json.loads(text)
    return options


def is_opening_line(line: str) -> bool:
    """Whether a line of a record is an opening, and not an event."""
    return line.startswith("{")


def write_event(event: Event) -> str:
    """Returns the line of an event."""
    cells = [event.number, event.seat, event.action, event.client_ms, event.server_ms]
    if event.accepted is False:
        cells.append(event.reason)
    return compact_json(cells)


def read_event(line: str) -> Event:
    """Returns what :func:`write_event` wrote. Raises ValueError or TypeError for any other text."""
    number, seat, action, client_ms, server_ms, *reason = json.loads(line)
    if reason:
        return Event(number, seat, action, client_ms, server_ms, False, reason[0])
    return Event(number, seat, action, client_ms, server_ms, None if number is None else True)


def read_record(lines: Sequence[str]) -> tuple[Opening, list[Event]]:
    """Returns the opening and the events of a record."""
    first_line, *event_lines = lines
    return read_opening(first_line), [read_event(line) for line in event_lines]
