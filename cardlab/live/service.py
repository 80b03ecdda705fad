"""The service at a seat: the first look, each message, the page that is left. The only writer of records.

Sockets, alarms, pages and bots stand above it. What it stands on comes in as arguments: the store that keeps
records, the clock, and who is connected. Nothing here awaits: between a write and its commit nobody else may
touch the database connection, which all of oTree shares.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from gettext import gettext as _
from typing import Any, NamedTuple, Protocol

from cardlab.core.clock import Jump
from cardlab.core.hand_cache import UnreadableRecord, cache_hand, read_hand
from cardlab.core.protocol import Malformed, parse
from cardlab.core.record_chain import End, Key, Line, chain
from cardlab.core.transitions import (
    MAX_LINES_WITH_ASIDES,
    RELOAD,
    STOPPED,
    Draft,
    EngineAnswer,
    clock_notes,
    leave,
    message_to_seat,
    note_aside,
    play,
    play_due,
    play_engine_answer,
    stop,
)
from cardlab.games.events import (
    ARRIVE,
    BACK,
    DROPPED_OUT,
    PAUSE,
    RECONNECT,
    RESUME,
    SECOND_TAB,
    STOP,
    Event,
    server_note,
)
from cardlab.games.hand import Hand
from cardlab.games.record import write_event, write_opening
from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")


class Records(Protocol):
    """Where records are kept; :class:`cardlab.live.record_store.Records` for one."""

    def end(self, hand: str) -> End: ...

    def end_and_page(self, key: Key) -> tuple[End, int] | None: ...

    def lines(self, hand: str) -> list[Line]: ...

    def append(self, key: Key, end: End, lines: list[Line]) -> None: ...

    def tell_researcher(self, session_id: int, sentence: str) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> bool: ...


class Clock(Protocol):
    """What tells the time."""

    jumps: list[Jump]

    def now_ms(self) -> int: ...


class Connections(Protocol):
    """Who is connected to which hand."""

    def connected_seats(self, hand: str) -> set[str]:
        """The seats at a hand whose participants are connected."""

    def silent_seats(self, hand: str) -> set[str]:
        """The seats at a hand of whose participants nothing has been heard for some seconds."""

    def last_seen_ms(self, participant_code: str) -> int:
        """When a participant was last connected, Unix milliseconds."""

    def record_changed(self, hand: str) -> None:
        """To be told that a page has written a record, which is committed with the page."""


def paused_sentence() -> str:
    return _("The researcher has called a pause. Please wait.")


def _is_news(name: str, hand: Hand, seat: str) -> bool:
    """Whether a note of the researcher's would tell something new of a hand."""
    place, paused = hand.seats[seat], hand.paused_ms is not None
    new = {PAUSE: not paused, RESUME: paused, DROPPED_OUT: not place.dropped, BACK: place.dropped}
    return not hand.is_over_for(seat) and new[name] and (name in (PAUSE, RESUME) or len(hand.seats) > 1)


class NoConnections:
    """No connections."""

    def connected_seats(self, hand: str) -> set[str]:
        return set()

    def silent_seats(self, hand: str) -> set[str]:
        return set()

    def last_seen_ms(self, participant_code: str) -> int:
        return 0

    def record_changed(self, hand: str) -> None:
        pass


class Answer(NamedTuple):
    """What to tell the seat, and the hand if it may have changed: then others must see it too."""

    said: dict[str, Any]
    hand: Hand | None = None


class Service:
    """Handles requests from all seats.

    Methods ending in ``_and_write`` write but do not commit. Call them through :meth:`commit_batch`, under
    oTree's lock; only :meth:`leave_and_write` is part of the page's own transaction.
    """

    def __init__(self, records: Records, clock: Clock, connections: Connections, awake_ms: int) -> None:
        """``awake_ms``: no limit counts before, since the server stood still."""
        self.records, self.clock, self.connections = records, clock, connections
        self.awake_ms = awake_ms
        self._after_commit: list[Callable[[], None]] = []

    # Looking.

    def hand(self, seat: Seat) -> Hand | None:
        """The seat's hand, None before it began, or if the participant is elsewhere by now."""
        found = self._read(seat)
        return found[1] if found else None

    def _read(self, seat: Seat) -> tuple[End, Hand | None] | None:
        """The end of the record and the hand; None if the participant is elsewhere by now."""
        found = self.records.end_and_page(seat.key)
        if found is None or found[1] != seat.page_index:
            return None
        return found[0], read_hand(found[0], seat.page.rules, seat.key.hand, self.records)

    def time_at(self, hand: Hand) -> int:
        """The time, but never before the record's last row: the clock may have been set back since."""
        return max(self.clock.now_ms(), hand.latest_ms)

    def message_for(self, seat: Seat, hand: Hand, refused: str = "") -> dict[str, Any]:
        """The hand as the seat may see it now."""
        silent = self.connections.silent_seats(seat.key.hand)
        said = message_to_seat(
            hand, seat.name, seat.hand_number, self.time_at(hand), refused, self.awake_ms, silent
        )
        if absent := self.absent_co_players(seat, hand):
            score = hand.result(seat.name).score if seat.may_stop else None
            said["wait"]["choice"] = {"away": sorted(absent), "score": score}
        return said

    def choice_ms(self, seat: Seat, hand: Hand) -> dict[str, float]:
        """When the participant of a seat may choose what happens about each absent co-player (see
        :meth:`cardlab.games.hand.Hand.choice_ms`)."""
        if not seat.partner_away_seconds:
            return {}
        here = self.connections.connected_seats(seat.key.hand)
        seen = {
            name: self.connections.last_seen_ms(code) for name, code in seat.co_players if name not in here
        }
        return hand.choice_due_ms(seat.name, seen, 1000 * seat.partner_away_seconds)

    def absent_co_players(self, seat: Seat, hand: Hand) -> set[str]:
        """The seats about whose participants the participant of a seat may choose now."""
        now = self.time_at(hand)
        return {other for other, ms in self.choice_ms(seat, hand).items() if ms <= now}

    def due_ms(self, hand: Hand) -> float | None:
        """When the server next has to play in a hand, Unix milliseconds; None if not."""
        due = (hand.due_ms(seat, self.awake_ms) for seat in hand.seats)
        return min((ms for ms in due if ms is not None), default=None)

    # Writing.

    def commit_batch(self, handlers: Sequence[Callable[[], Answer]]) -> list[Answer | Exception]:
        """Handles several requests in one transaction; everything is on disk when this returns.

        If that fails, each request is handled again with a commit of its own, so that one faulty request
        spoils no other. A single request is handled again only if the database connection was replaced.
        An exception in the place of an answer says that nothing could be written for that request.
        """
        try:
            answers = [self._answer_or_damage(handler) for handler in handlers]
            self.records.commit()
        except Exception as error:  # noqa: BLE001 handling each alone shows which request failed
            was_reconnected = self._rollback()
            if len(handlers) == 1 and not was_reconnected:
                return [error]
            return [self._commit_alone(handler) for handler in handlers]
        self._run_after_commit()
        return answers

    def _commit_alone(self, handler: Callable[[], Answer]) -> Answer | Exception:
        try:
            message_to_seat = self._answer_or_damage(handler)
            self.records.commit()
        except Exception as error:  # noqa: BLE001 the caller tells the participant
            self._rollback()
            return error
        self._run_after_commit()
        return message_to_seat

    def _answer_or_damage(self, handler: Callable[[], Answer]) -> Answer | Exception:
        try:
            return handler()
        except UnreadableRecord as damage:  # raised before anything is written
            return damage

    def _rollback(self) -> bool:
        """Discards what was not committed; returns whether the connection was lost and made anew."""
        self._after_commit = []
        return self.records.rollback()

    def _run_after_commit(self) -> None:
        """Updates logs and notifications that follow a record; a failure undoes nothing on disk."""
        callbacks, self._after_commit = self._after_commit, []
        for callback in callbacks:
            try:
                callback()
            except Exception:
                logger.exception("what follows a record could not be brought up to date")
        if callbacks:
            self._commit_or_log("what follows a record could not be committed")

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        """Adds a sentence to the session's comment and commits it; a failure is only logged."""
        try:
            self.records.tell_researcher(session_id, sentence)
        except Exception:
            logger.exception("the researcher could not be told")
        self._commit_or_log("the researcher could not be told")

    def _commit_or_log(self, failure: str) -> None:
        try:
            self.records.commit()
        except Exception:
            logger.exception(failure)
            self.records.rollback()

    def connect_and_write(self, seat: Seat, *notes: str) -> Answer:
        """The hand as the participant finds it on connecting; it begins when first shown. ``notes`` are
        written down, too."""
        found = self._read(seat)
        return Answer(RELOAD) if found is None else self._connect(seat, *found, notes)

    def _connect(self, seat: Seat, end: End, hand: Hand | None, notes: Sequence[str] = ()) -> Answer:
        draft = self._draft(hand or self._first(seat, self.clock.now_ms()))
        place = draft.hand.seats[seat.name]
        if not draft.hand.is_over_for(seat.name):
            if place.arrived_ms is None and len(draft.hand.seats) > 1:
                notes = [*notes, ARRIVE]
            elif hand and draft.accepts_asides:
                notes = [*notes, RECONNECT]
            if place.away and seat.name not in seat.dropped:  # who dropped out says that they are back
                notes = [*notes, BACK]
            if seat.paused != (draft.hand.paused_ms is not None):
                notes = [*notes, PAUSE if seat.paused else RESUME]
            now = self.time_at(draft.hand)
            for name in notes:
                draft.add(server_note(seat.name, name, now))
            for other in sorted(seat.stopped):
                leave(draft, other, STOPPED, now)
            for other in sorted(seat.dropped):
                if _is_news(DROPPED_OUT, draft.hand, other):
                    draft.add(server_note(other, DROPPED_OUT, now))
            self._play_due(seat, draft, now)
        self._write(seat, end, draft, begins=not hand)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def note_second_tab_and_write(self, seat: Seat) -> Answer:
        """What a page is told whose seat is open on another one: only that, and it is written down."""
        end, hand = self._read(seat) or (End(), None)
        if not hand:
            return Answer(RELOAD)
        draft = self._draft(hand)
        if draft.accepts_asides and not hand.is_over_for(seat.name):
            draft.add(server_note(seat.name, SECOND_TAB, self.time_at(hand)))
            self._write(seat, end, draft)
        return Answer({"second_tab": seat.second_tab})

    def receive_and_write(self, seat: Seat, text: Any) -> Answer:
        """The answer to a message; a bad one changes nothing."""
        found = self._read(seat)
        if found is None:
            return Answer(RELOAD)
        end, hand = found
        if not hand:
            return self._connect(seat, end, hand)
        draft = self._draft(hand)
        now = self.time_at(hand)
        try:
            message = parse(text)
            if hand.paused_ms is not None:
                raise Malformed(paused_sentence())
            if message.hand != seat.hand_number:
                raise Malformed(_("This board belongs to another hand."))
            if message.again and not seat.page.repeatable:
                raise Malformed(_("This hand is played only once."))
            if message.note and not seat.page.may_note(message.note):
                raise Malformed(_("This message has no valid “{name}”.").format(name="note"))
            if message.again and end.lines >= MAX_LINES_WITH_ASIDES:
                raise Malformed(_("This board was dealt anew too often."))
            if seat.page.endless and end.lines >= MAX_LINES_WITH_ASIDES:
                raise Malformed(_("Too much was tried here. Please go on to the next page."))
            if seat.deadline is not None and now > seat.deadline * 1000:
                raise Malformed(_("The time for this hand is over."))
        except Malformed as malformed:
            return Answer(self.message_for(seat, hand, str(malformed)))
        if message.again:
            return self._connect(seat, end, None)
        if message.choice:
            return self._choose(seat, end, draft, message.choice, now)
        if message.note:
            note_aside(draft, seat.name, message, now, after_the_end=seat.page.repeatable)
        refused = "" if message.note else play(draft, seat.name, message, now)
        if draft.events:
            self._play_due(seat, draft, now)
            self._write(seat, end, draft)
        # With the hand, refused or not: what was asked twice may have been kept the first time (see above).
        said = self.message_for(seat, draft.hand, refused)
        return Answer({**said, "noted": message.note} if message.note else said, draft.hand)

    def _choose(self, seat: Seat, end: End, draft: Draft, choice: str, now: int) -> Answer:
        """Write down what a participant chose about absent co-players; the caller has the server play for
        them (``cardlab.live.absent_partners``)."""
        absent = self.absent_co_players(seat, draft.hand)
        if not absent or (choice == STOP and not seat.may_stop):
            return Answer(self.message_for(seat, draft.hand, _("Nobody is away any more. Please play on.")))
        if choice == STOP:
            stop(draft, seat.name, absent, now)
        else:
            draft.add(server_note(seat.name, choice, now))
        self._play_due(seat, draft, now)
        self._write(seat, end, draft)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def play_due_and_write(self, seat: Seat, found: EngineAnswer | None = None) -> Answer:
        """What the seat is told when what is due at its table has been played, first of all what an engine
        has found for a robot there."""
        end, hand = self._read(seat) or (End(), None)
        if not hand:
            return Answer(RELOAD)
        draft = self._draft(hand)
        now = self.time_at(hand)
        if found and (refused := play_engine_answer(draft, found, now)):
            logger.error("hand %s, %s cannot be played: %s (%s)", seat.key.hand, found.action, refused, found)
        self._play_due(seat, draft, now)
        self._write(seat, end, draft)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def note_and_write(self, seat: Seat, name: str) -> None:
        """Write a note of the researcher's about a seat, wherever its participant is, unless it says nothing
        new; and what the server plays by it."""
        end = self.records.end(seat.key.hand)
        hand = read_hand(end, seat.page.rules, seat.key.hand, self.records)
        if not hand:
            return
        if _is_news(name, hand, seat.name):
            draft = self._draft(hand)
            now = self.time_at(hand)
            draft.add(server_note(seat.name, name, now))
            play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand))
            self._write(seat, end, draft)
        # If it is nothing new, a commit that seemed to have failed may have kept it, and nobody knows.
        self._after_commit.append(partial(self.connections.record_changed, seat.key.hand))

    def leave_and_write(self, seat: Seat, outcome: str, page: Records) -> None:
        """Closes the hand when its participant leaves the page, or leaves it to the co-players.

        Writes into ``page``, the records as the page's own transaction sees them. The page holds oTree's
        lock until it has committed, so no move is written in between.
        """
        end = page.end(seat.key.hand)
        hand = read_hand(end, seat.page.rules, seat.key.hand, page)
        draft = self._draft(hand or self._first(seat, None))
        now = self.time_at(draft.hand)
        leave(draft, seat.name, outcome, now)
        if draft.events:
            play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand))
            self._append(seat, end, draft, page, begins=not hand)
            self._follow(seat, draft.hand, draft.events, page)
            self.connections.record_changed(seat.key.hand)
        seat.page.pay(seat, draft.hand, page)  # also a hand that ended before 0.11.0, unpaid

    def _first(self, seat: Seat, shown_ms: int | None) -> Hand:
        """The seat's hand when it is first shown; None: closed before it was shown."""
        return Hand(seat.page.rules, replace(seat.opening, shown_ms=shown_ms))

    def _draft(self, hand: Hand) -> Draft:
        return Draft(hand, clock_notes(hand, self.clock.now_ms(), self.clock.jumps))

    def _play_due(self, seat: Seat, draft: Draft, now: int) -> None:
        """Add what the server has to play by now; this seat's participant is there."""
        play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand) | {seat.name})

    def _write(self, seat: Seat, end: End, draft: Draft, begins: bool = False) -> None:
        """Write what a draft adds, if anything; the seat's page follows when it is on disk."""
        if draft.events or begins:
            ends_now = any(event.end_outcome is not None or event.is_note(STOP) for event in draft.events)
            self._append(seat, end, draft, self.records, begins)
            if ends_now:
                seat.page.pay(seat, draft.hand, self.records)
            self._after_commit.append(partial(self._follow, seat, draft.hand, draft.events, self.records))

    @staticmethod
    def _follow(seat: Seat, hand: Hand, events: list[Event], records: Records) -> None:
        """Lets the page class update its log files; tells the researcher what it complains of."""
        for sentence in seat.page.followed(seat, hand, events, records) or ():
            records.tell_researcher(seat.key.session_id, sentence)

    def _append(self, seat: Seat, end: End, draft: Draft, records: Records, begins: bool) -> None:
        texts = [write_opening(draft.hand.opening)] if begins else []
        lines = chain(seat.key.hand, end.digest, [*texts, *map(write_event, draft.events)])
        records.append(seat.key, end, lines)
        cache_hand(seat.key.hand, lines[-1].digest, draft.hand)
