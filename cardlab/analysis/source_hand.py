"""Defines the class of a hand from a source, which is a table of actions or a log."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from cardlab.analysis.cells import parse_time, parse_whole
from cardlab.games.contract import BadFile
from cardlab.games.events import ABSENT, Event

PARTICIPANT_CELLS = ("participant_code", "participant_label", "is_bot")

ODD_SETTINGS = "The settings of this hand differ from the format that the server writes."

Row = dict[str, Any]  # a row of the table of hands, by column


class RowSource(Protocol):
    """Makes the rows of a hand from a log."""

    def rows(self) -> Iterator[Row]:
        """Yields the rows of the hand in the table of hands. Raises BadFile."""
        ...

    def replay(self, seat: str | None) -> dict[str, Any]:
        """Returns the steps of the hand, like ``cardlab.analysis.replay.steps``. Raises BadFile."""
        ...


class PlayedAction(NamedTuple):
    """An accepted action of a seat. ``by_server`` is true if the server played for an absent participant."""

    seat: str
    action: str
    by_server: bool = False


class RecordedHand(NamedTuple):
    """The parts of a hand that the rules need: the deal, the settings and the accepted actions."""

    deal: str
    options: dict[str, Any]
    actions: tuple[PlayedAction, ...]


@dataclass(eq=False)  # hands are cached by identity
class SourceHand:
    """A hand of a source. Times are Unix milliseconds.

    Attributes:
        file: The file where it begins.
        line: The line where it begins; None for a log.
        cells: The deal row by column, without the apostrophes that guard spreadsheets.
        events: The rows after the deal.
        people: By seat, the ``PARTICIPANT_CELLS`` of participants who have rows.
        damage: A sentence about rows that contradict each other, "" if there are none, None if unchecked.
        row_source: Makes the rows of a hand whose events are incomplete. A hand without it can be folded.
        from_log: Whether it is from the game's own log files.
        source_count: The number of files that have it.
        is_whole: Whether its rows match their digests and none is missing; true for a source without digests.
    """

    file: str
    line: int | None
    cells: dict[str, str]
    events: tuple[Event, ...]
    people: Mapping[str, Sequence[str]]
    damage: str | None = None
    row_source: RowSource | None = None
    from_log: bool = False
    source_count: int = 1
    is_whole: bool = True

    @property
    def lines(self) -> Sequence[str] | None:
        """Its rows in the table of hands as CSV if a worker has made them, else None. Raises BadFile."""
        return None

    def find_damage(self) -> str | None:
        """Returns ``damage``. Raises BadFile if a worker has found that the hand cannot be read."""
        return self.damage

    @property
    def participant(self) -> str:
        """The code of a participant who plays alone; empty if the hand has several seats."""
        return self.cells["participant_code"]

    @property
    def codes(self) -> set[str]:
        """The codes of the participants of the hand."""
        codes = {self.participant, *[code for code, *_ in self.people.values()]}
        codes.discard("")
        return codes

    @property
    def played(self) -> set[PlayedHand]:
        """The hand as played by each of its participants."""
        session, app = self.cells["session_code"], self.cells["app"]
        number = self.number
        return {PlayedHand(session, app, code, number) for code in self.codes}

    @property
    def remaining_codes(self) -> set[str]:
        """The codes of the participants who did not leave before the end of the hand."""
        seats_left = {
            event.seat
            for event in self.events
            if event.leave_outcome is not None and event.seat in self.people
        }
        return self.codes - {self.people[seat][0] for seat in seats_left}

    def participant_cells(self, seat: str) -> dict[str, str]:
        """Returns the ``PARTICIPANT_CELLS`` of a seat by column; empty for a robot and for a no-show."""
        if seat in self.people:
            return dict(zip(PARTICIPANT_CELLS, self.people[seat]))
        if seat in self.robots:
            return dict.fromkeys(PARTICIPANT_CELLS, "")
        return {column: self.cells[column] for column in PARTICIPANT_CELLS}

    @property
    def hand_id(self) -> str:
        """An id that is unique across sessions and servers; for a log, participant and number: ``Anna-3``."""
        return self.cells["hand_id"]

    @cached_property
    def number(self) -> int:
        """The number of the hand in its app, from 1."""
        return self.whole("hand")

    @property
    def deal(self) -> str:
        """The deal as text; for a log only the layout."""
        return self.cells["action"].removeprefix("deal ")

    @property
    def options(self) -> dict[str, Any]:
        """The settings in force. Raises BadFile if the cell is not in the server's format."""
        try:
            return _parse_settings(self.cells["settings"])
        except _OddSettingsError:
            raise self.error_at(ODD_SETTINGS) from None
        except (ValueError, RecursionError):
            raise self.error_at("The cell settings is not a JSON object.") from None

    @property
    def robots(self) -> dict[str, str]:
        """The robots of the hand by seat."""
        return self.options.get("robots") or {}

    @property
    def created_ms(self) -> int:
        """The time when the session was created."""
        return self.time("session_created_utc")

    @property
    def shown_ms(self) -> int | None:
        """The time when the hand was shown, None if it ended before that."""
        return self.time("shown_utc") if self.cells["shown_utc"] else None

    @cached_property
    def end(self) -> Event | None:
        """The row ``end …``, None while the hand is open."""
        for event in self.events:
            if event.accepted and event.action.startswith("end "):  # a rejected action may have this text
                return event
        return None

    def record(self) -> RecordedHand | None:
        """Returns the parts of the hand that the rules need; None for a log without the goal."""
        actions, absent = [], ""
        for event in self.events:
            if event.is_note(ABSENT):
                absent = event.seat
            elif event.accepted and event.end_outcome is None:
                actions.append(PlayedAction(event.seat, event.action, event.seat == absent))
                absent = ""
        return RecordedHand(self.deal, self.options, tuple(actions))

    def whole(self, column: str) -> int:
        """Returns the whole number in a cell of the deal row. Raises BadFile."""
        return self._read(parse_whole, column)

    def time(self, column: str) -> int:
        """Returns the time in a cell of the deal row. Raises BadFile."""
        return self._read(parse_time, column)

    def _read(self, reader: Callable[[str, str], int], column: str) -> int:
        try:
            return reader(self.cells[column], column)
        except ValueError as error:
            raise self.error_at(str(error)) from None

    def check_app(self, apps: Sequence[str]) -> None:
        """Raises BadFile if the hand is not of one of the apps."""
        if (app := self.cells["app"]) not in apps:
            raise self.error_at(
                f"This is a hand of {app}. Only hands of {' or '.join(apps)} can be read here."
            )

    def error_at(self, sentence: str) -> BadFile:
        """Returns the error to raise if the hand cannot be read."""
        return BadFile(self.file, sentence, self.line)

    def damage_error(self, sentence: str) -> DamagedHand:
        """Returns the error to raise if its rows contradict each other or the rules."""
        return DamagedHand(self.file, sentence, self.line)


class DamagedHand(BadFile):
    """A hand has rows that contradict each other or the rules, so its data are unreliable."""


class _OddSettingsError(Exception):
    """Settings are JSON, but not in the server's format."""


PlayerKey = tuple[str, str, str]  # session, app and participant


class PlayedHand(NamedTuple):
    """A participant, and the number in its app of a hand that they have played."""

    session: str
    app: str
    participant: str
    hand: int

    @property
    def who(self) -> PlayerKey:
        """The session, the app and the participant."""
        return self[:3]


@lru_cache(maxsize=64)
def _parse_settings(text: str) -> dict[str, Any]:
    # Cached, because the hands of a session have few different settings.
    options = json.loads(text, parse_float=_parse_finite, parse_constant=_parse_finite)
    if not isinstance(options, dict):
        raise ValueError
    if not isinstance(options.get("robots") or {}, dict):
        raise _OddSettingsError
    return options


def _parse_finite(text: str) -> float:
    """Parses a number. Rejects Infinity, NaN and 1e999, which the server never writes."""
    number = float(text)
    if not math.isfinite(number):
        raise _OddSettingsError
    return number
