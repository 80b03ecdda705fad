"""The service at a seat: the first look, each message, the page that is left. The only writer of records.

Sockets, alarms, pages and bots stand above it. What it stands on comes in as arguments: the store that keeps
records, the clock, and who is connected. Nothing here awaits: between a write and its commit nobody else may
touch the database connection, which all of oTree shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _
from typing import Any, NamedTuple, Protocol

from experiment import clock, store
from experiment.clock import Jump
from experiment.folds import extended, fold, opened
from experiment.message import Malformed, parse
from experiment.play import ELSEWHERE, Draft, answer, attend, clock_notes, leave, play
from experiment.seat import Key, Seat, Table
from games.events import ARRIVE, BACK, RECONNECT, SECOND_TAB, note
from games.hand import Hand


class Records(Protocol):
    """Where records are kept; ``experiment.store`` for one."""

    def read(self, key: Key) -> tuple[str, int] | None:
        """The record ("" before the hand began) and the participant's page; None if the row is gone."""

    def write(self, key: Key, record: str) -> None:
        """Keep a record. When this returns, it is on disk."""


class Clock(Protocol):
    """What tells the time."""

    jumps: list[Jump]

    def now_ms(self) -> int: ...


class Connections(Protocol):
    """Who is connected to which hand."""

    def seats_at(self, table: Table) -> set[str]:
        """The seats at a table whose participants are connected."""

    def changed(self, table: Table) -> None:
        """To be told that a page has written a record, which is committed with the page."""


class Nobody:
    """No connections."""

    def seats_at(self, table: Table) -> set[str]:
        return set()

    def changed(self, table: Table) -> None:
        pass


class Answer(NamedTuple):
    """What to tell the seat, and the hand if it changed: then others must see it too."""

    said: dict[str, Any]
    hand: Hand | None = None


class Service:
    """Serves every seat of this server. Its methods that write say so."""

    def __init__(self, records: Records, clock: Clock, connections: Connections, awake_ms: int) -> None:
        """``awake_ms``: no limit counts before, since the server stood still."""
        self.records, self.clock, self.connections = records, clock, connections
        self.awake_ms = awake_ms

    # Looking.

    def read(self, seat: Seat) -> str | None:
        """The record of the seat's hand, "" before it began; None if the participant is elsewhere by now."""
        found = self.records.read(seat.key)
        return found[0] if found and found[1] == seat.page_index else None

    def time_at(self, hand: Hand) -> int:
        """The time, but never before the record's last row: the clock may have been set back since."""
        return max(self.clock.now_ms(), hand.latest_ms)

    def told(self, seat: Seat, hand: Hand, refused: str = "") -> dict[str, Any]:
        """The hand as the seat may see it now."""
        return answer(hand, seat.name, seat.hand_number, self.time_at(hand), refused, self.awake_ms)

    def due_ms(self, hand: Hand) -> float | None:
        """When the server next has to play in a hand, Unix milliseconds; None if not."""
        due = (hand.due_ms(seat, self.awake_ms) for seat in hand.places)
        return min((ms for ms in due if ms is not None), default=None)

    # Writing.

    def look_and_write(self, seat: Seat, *notes: str) -> Answer:
        """The hand as the participant finds it on connecting; it begins when first shown. ``notes`` are
        written down, too."""
        record = self.read(seat)
        return Answer(ELSEWHERE) if record is None else self._look(seat, record, notes)

    def _look(self, seat: Seat, record: str, notes: Sequence[str] = ()) -> Answer:
        begun = bool(record)
        if not begun:
            record = opened(seat.opening, self.clock.now_ms())
        draft = self._draft(fold(seat.page.rules, record))
        place = draft.hand.places[seat.name]
        if not draft.hand.over_for(seat.name):
            if place.came_ms is None and len(draft.hand.places) > 1:
                notes = [*notes, ARRIVE]
            elif begun and draft.takes_asides:
                notes = [*notes, RECONNECT]
            if place.away:
                notes = [*notes, BACK]
            now = self.time_at(draft.hand)
            for name in notes:
                draft.add(note(seat.name, name, now))
            self._attend(seat, draft, now)
        if draft.events or not begun:
            self._write(seat, record, draft)
        return Answer(self.told(seat, draft.hand), draft.hand)

    def note_second_tab(self, seat: Seat) -> Answer:
        """What a page is told whose seat is open on another one: only that, and it is written down."""
        record = self.read(seat)
        if not record:
            return Answer(ELSEWHERE)
        draft = self._draft(fold(seat.page.rules, record))
        if draft.takes_asides and not draft.hand.over_for(seat.name):
            draft.add(note(seat.name, SECOND_TAB, self.time_at(draft.hand)))
            self._write(seat, record, draft)
        return Answer({"second_tab": seat.second_tab})

    def receive_and_write(self, seat: Seat, text: Any) -> Answer:
        """The answer to a message. What it accepts is on disk when this returns; a bad one changes
        nothing."""
        record = self.read(seat)
        if record is None:
            return Answer(ELSEWHERE)
        if not record:
            return self._look(seat, record)
        draft = self._draft(fold(seat.page.rules, record))
        now = self.time_at(draft.hand)
        try:
            message = parse(text)
            if message.hand != seat.hand_number:
                raise Malformed(_("This board belongs to another hand."))
            if message.again and not seat.page.repeatable:
                raise Malformed(_("This hand is played only once."))
            if seat.deadline is not None and now > seat.deadline * 1000:
                raise Malformed(_("The time for this hand is over."))
        except Malformed as malformed:
            return Answer(self.told(seat, draft.hand, str(malformed)))
        if message.again:
            return self._look(seat, "")
        refused = play(draft, seat.name, message, now)
        if draft.events:
            self._attend(seat, draft, now)
            self._write(seat, record, draft)
        moved = any(event.accepted for event in draft.events)
        return Answer(self.told(seat, draft.hand, refused), draft.hand if moved else None)

    def attend_and_write(self, seat: Seat, record: str) -> Hand:
        """Play what is due at the seat's table; the hand then."""
        draft = self._draft(fold(seat.page.rules, record))
        self._attend(seat, draft, self.time_at(draft.hand))
        if draft.events:
            self._write(seat, record, draft)
        return draft.hand

    def leave_and_write(self, seat: Seat, record: str, outcome: str, page: Records) -> Hand:
        """Close the hand that a page is left with, or leave it to the others; the hand then.

        Written into ``page``, whose commit is the page's own.
        """
        record = record or opened(seat.opening, None)
        draft = self._draft(fold(seat.page.rules, record))
        now = self.time_at(draft.hand)
        leave(draft, seat.name, outcome, now)
        if draft.events:
            attend(draft, now, self.awake_ms, self.connections.seats_at(seat.table))
            self._write(seat, record, draft, page)
            self.connections.changed(seat.table)
        return draft.hand

    def _draft(self, hand: Hand) -> Draft:
        return Draft(hand, clock_notes(hand, self.clock.now_ms(), self.clock.jumps))

    def _attend(self, seat: Seat, draft: Draft, now: int) -> None:
        """Add what the server has to play by now; this seat's participant is there."""
        attend(draft, now, self.awake_ms, self.connections.seats_at(seat.table) | {seat.name})

    def _write(self, seat: Seat, record: str, draft: Draft, records: Records | None = None) -> None:
        record = extended(record, draft)
        (records or self.records).write(seat.key, record)
        seat.page.followed(seat.participant_code, seat.hand_number, record, draft.events)


SERVICE = Service(store, clock.SERVER, Nobody(), clock.STARTED_MS)
"""Of this server; ``experiment.tables`` takes the place of ``Nobody`` when the socket is there."""
