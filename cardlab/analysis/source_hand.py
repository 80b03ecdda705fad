"""A hand as a source tells it, a table of actions or another: the one class for hands in the analysis."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from cardlab.analysis.cells import parse_time, parse_whole
from cardlab.games.contract import BadFile
from cardlab.games.events import Event

PARTICIPANT_CELLS = ("participant_code", "participant_label", "is_bot")

ODD_SETTINGS = "The settings of this hand are not as the server writes them."

Row = dict[str, Any]  # of the table of hands, by column


class RowSource(Protocol):
    """What a hand comes to that no rows of a record tell: it was computed elsewhere, or a log tells it in
    its own way."""

    def rows(self) -> Iterator[Row]:
        """The rows of the hand in the table of hands. Raises BadFile."""
        ...

    def replay(self, seat: str | None) -> dict[str, Any]:
        """The hand step by step, as ``cardlab.analysis.replay.steps`` tells one; asked of logs. Raises
        BadFile."""
        ...


@dataclass(eq=False)  # a hand is remembered as the one that it is, whatever it tells
class SourceHand:
    """One hand: ``cells``, its deal row by column (apostrophes against spreadsheets taken off), and its
    events. ``people`` has the cells ``WHO`` of those whose rows are among them, by seat. ``file`` and
    ``line`` say where it begins (a log names the file alone). ``damage`` says what is wrong with its rows,
    "" if nothing is, None as long as nobody has played it again. Times are Unix milliseconds.

    ``telling`` is None for a hand whose record is told, row by row: it can be folded. Else it says what the
    hand comes to; ``events`` may be empty then. ``from_log`` says that it is told by a log of the game's own,
    ``times_told`` by how many of them.
    """

    file: str
    line: int | None
    cells: dict[str, str]
    events: tuple[Event, ...]
    people: dict[str, Sequence[str]]
    damage: str | None = None
    row_source: RowSource | None = None
    from_log: bool = False
    source_count: int = 1

    @property
    def lines(self) -> Sequence[str] | None:
        """Its rows in the table of hands as CSV, where they are known beforehand. Raises BadFile."""
        return None

    @property
    def participant(self) -> str:
        """The code of who plays alone; empty where several sit at the table."""
        return self.cells["participant_code"]

    @property
    def codes(self) -> set[str]:
        """The codes of the participants who sat at the table."""
        codes = {self.participant, *[code for code, *_ in self.people.values()]}
        codes.discard("")
        return codes

    @property
    def played(self) -> set[PlayedHand]:
        """Of each of them, which hand it is."""
        session, app = self.cells["session_code"], self.cells["app"]
        number = self.number
        return {PlayedHand(session, app, code, number) for code in self.codes}

    @property
    def remaining_codes(self) -> set[str]:
        """Those of them who have not left before the end of the hand."""
        left = {
            event.seat
            for event in self.events
            if event.leave_outcome is not None and event.seat in self.people
        }
        return self.codes - {self.people[seat][0] for seat in left}

    def who(self, seat: str) -> dict[str, str]:
        """The cells ``WHO`` of a seat; empty for a robot, and for a participant who never came."""
        if seat in self.people:
            return dict(zip(PARTICIPANT_CELLS, self.people[seat]))
        if seat in self.robots:
            return dict.fromkeys(PARTICIPANT_CELLS, "")
        return {
            column: self.cells[column] for column in PARTICIPANT_CELLS
        }  # empty where several sit at the table

    @property
    def hand_id(self) -> str:
        """Unique across sessions and servers; of a log, the participant and the hand's number: ``Anna-3``."""
        return self.cells["hand_id"]

    @cached_property
    def number(self) -> int:
        """The number of the hand in its app, from 1."""
        return self.whole("hand")

    @property
    def deal(self) -> str:
        """The deal as text; of a log its layout alone."""
        return self.cells["action"].removeprefix("deal ")

    @property
    def options(self) -> dict[str, Any]:
        """The settings in force; BadFile if the cell holds none, or some that no game could have."""
        try:
            return _parse_settings(self.cells["settings"])
        except _OddSettingsError:
            raise self.error_at(ODD_SETTINGS) from None
        except (ValueError, RecursionError):
            raise self.error_at("The cell settings is no JSON object.") from None

    @property
    def robots(self) -> dict[str, str]:
        """The robots of the table by their seats."""
        return self.options.get("robots") or {}

    @property
    def created_ms(self) -> int:
        """When the session was created."""
        return self.time("session_created_utc")

    @property
    def shown_ms(self) -> int | None:
        """None for a hand that was closed before it was shown."""
        return self.time("shown_utc") if self.cells["shown_utc"] else None

    @cached_property
    def end(self) -> Event | None:
        """The row ``end …``, None while the hand is open. (A refused text may read so too.)"""
        for event in self.events:
            if event.accepted and event.action.startswith("end "):
                return event
        return None

    def whole(self, column: str) -> int:
        """The whole number in a cell of the deal row. Raises BadFile."""
        return self._read(parse_whole, column)

    def time(self, column: str) -> int:
        """The time in a cell of the deal row. Raises BadFile."""
        return self._read(parse_time, column)

    def _read(self, reader: Callable[[str, str], int], column: str) -> int:
        try:
            return reader(self.cells[column], column)
        except ValueError as error:
            raise self.error_at(str(error)) from None

    def error_at(self, sentence: str) -> BadFile:
        """The error to raise for this hand."""
        return BadFile(self.file, sentence, self.line)

    def damage_error(self, sentence: str) -> DamagedHand:
        """The error to raise if its rows can be read, but not all of them can be true."""
        return DamagedHand(self.file, sentence, self.line)


class DamagedHand(BadFile):
    """A hand whose rows contradict each other or the rules, so that nothing it tells can be relied on."""


class _OddSettingsError(Exception):
    """Settings that are JSON, but not such as the server writes."""


PlayerKey = tuple[str, str, str]  # session, app and participant


class PlayedHand(NamedTuple):
    """That a participant has played a hand, by its number in the app."""

    session: str
    app: str
    participant: str
    hand: int

    @property
    def who(self) -> PlayerKey:
        """Session, app and participant."""
        return self[:3]


@lru_cache(maxsize=64)
def _parse_settings(text: str) -> dict[str, Any]:
    """The same few settings stand in every hand of a session."""
    options = json.loads(text, parse_float=_parse_finite, parse_constant=_parse_finite)
    if not isinstance(options, dict):
        raise ValueError
    if not isinstance(options.get("robots") or {}, dict):
        raise _OddSettingsError
    return options


def _parse_finite(text: str) -> float:
    """Python also reads Infinity, NaN and 1e999, which the server never writes."""
    number = float(text)
    if not math.isfinite(number):
        raise _OddSettingsError
    return number
