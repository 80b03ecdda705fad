"""The record of a hand: lines of JSON, only ever added to, the only truth about the hand.

The first line is the opening: deal, settings in force, where the deal came from, when the hand was
first shown. Each further line is one :class:`cardlab.games.contract.Event`:

``[number, seat, action, client_ms, server_ms]``            an accepted action
``[number, seat, action, client_ms, server_ms, reason]``    a refused one, with the number it asked for
``[null, seat, action, client_ms, server_ms]``              a note of the server (``reconnect``)

The last line of a closed hand is the action ``end <outcome>``. A board that may be tried again has another
opening then, with which it starts over. This module knows nothing of oTree.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from cardlab import __version__
from cardlab.games.events import Event


@dataclass(frozen=True, slots=True)
class Opening:
    """How a hand begins.

    ``number`` of ``of`` is what the participant reads ("Hand 3 of 40"); ``hands`` is how many hands the
    session has, practice included. ``shown_ms`` is when the hand was first shown, in Unix milliseconds, or
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
    """Returns one line of JSON, compact, readable in any language."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_opening(opening: Opening) -> str:
    """Returns the first line of a record."""
    return compact_json({field.name: getattr(opening, field.name) for field in fields(opening)})


def read_opening(line: str) -> Opening:
    """Returns what :func:`write_opening` wrote. Raises ValueError or TypeError for any other text."""
    return Opening(**json.loads(line))


def is_opening_line(line: str) -> bool:
    """Whether it is the line of an opening, and not of an event."""
    return line.startswith("{")


def write_event(event: Event) -> str:
    """Returns a further line of a record."""
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
    first, *rest = lines
    return read_opening(first), [read_event(line) for line in rest]
