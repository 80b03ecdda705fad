"""The hand service: handles a seat's connect, messages and leave. The only writer of records.

Sockets, timers, pages and bots call it. The record store, the clock and the connections are arguments.
Nothing here awaits, because no other code may use the database connection between a write and its commit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from gettext import gettext as _
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cardlab.core.hand_cache import cache_hand, read_hand
from cardlab.core.protocol import Malformed, Message, parse
from cardlab.core.record_chain import RecordEnd, chain
from cardlab.core.transitions import (
    MAX_LINES_WITH_ASIDES,
    RELOAD,
    Draft,
    EngineAnswer,
    clock_notes,
    leave,
    message_to_seat,
    note_aside,
    play,
    play_due,
    play_engine_answer,
    stop_playing,
)
from cardlab.games.contract import STOPPED
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
from cardlab.games.language import in_language
from cardlab.games.record import write_event, write_opening
from cardlab.live import notices
from cardlab.live.batch import Answer, Batch
from cardlab.live.interfaces import Connections
from cardlab.live.seat import Seat

if TYPE_CHECKING:
    from cardlab.core.clock import Clock
    from cardlab.live.record_journal import RecordJournal
    from cardlab.live.record_store import Records

logger = logging.getLogger("cardlab.hand")

NOBODY_ELSE: Mapping[str, str] = MappingProxyType({})


def paused_sentence() -> str:
    """Returns the sentence that rejects messages during a pause."""
    return _("The study is paused. Please wait.")


def _changes_hand(name: str, hand: Hand, seat: str) -> bool:
    """Returns whether a researcher's note would change a hand."""
    state, paused = hand.seats[seat], hand.paused_ms is not None
    is_change = {PAUSE: not paused, RESUME: paused, DROPPED_OUT: not state.dropped, BACK: state.dropped}[name]
    return not hand.is_over_for(seat) and is_change and (name in (PAUSE, RESUME) or len(hand.seats) > 1)


class HandService(Batch):
    """Handles requests from all seats.

    Methods ending in ``_and_write`` write but do not commit. Call them through :meth:`commit_batch`, under
    oTree's lock; only :meth:`leave_and_write` is part of the page's own transaction.
    """

    def __init__(
        self,
        records: Records,
        clock: Clock,
        connections: Connections,
        awake_ms: int,
        journal: RecordJournal | None = None,
    ) -> None:
        """Counts time limits from ``awake_ms`` (the server's start, Unix milliseconds) at the earliest."""
        super().__init__(records)
        self.clock, self.connections, self._journal = clock, connections, journal
        self.awake_ms = awake_ms

    # Reading.

    def hand(self, seat: Seat) -> Hand | None:
        """Returns the seat's hand; None if it has not begun or the participant has moved to another page."""
        _end, hand = self._read(seat) or (None, None)
        return hand

    def _read(self, seat: Seat) -> tuple[RecordEnd, Hand | None] | None:
        """Returns the record's end and the hand; None if the participant has moved to another page."""
        row = self.records.end_and_page(seat.key)
        if row is None or row[1] != seat.page_index:
            return None
        return row[0], read_hand(row[0], seat.page.rules, seat.key.hand, self.records)

    def time_at(self, hand: Hand) -> int:
        """Returns the present time in the time of a hand, in Unix ms (:meth:`Hand.time_at`)."""
        return hand.time_at(self.clock.now_ms(), self.awake_ms)

    def message_for(self, seat: Seat, hand: Hand, reason: str = "") -> dict[str, Any]:
        """Returns the message with the seat's view of the hand, in the language of its participant."""
        with in_language(seat.language):
            return self._message_for(seat, hand, reason)

    def _message_for(self, seat: Seat, hand: Hand, reason: str) -> dict[str, Any]:
        silent = self.connections.silent_seats(seat.key.hand)
        now = self.time_at(hand)
        message = message_to_seat(hand, seat.name, seat.hand_number, now, reason, self.awake_ms, silent)
        if message["over"] is not None:
            message.update(seat.page.end_message(seat, self.records))
        if absent := self.absent_co_players(seat, hand):
            score = hand.result(seat.name).score if seat.may_stop else None
            message["wait"]["choice"] = {"away": sorted(absent), "score": score}
        return message

    def choice_ms(self, seat: Seat, hand: Hand) -> dict[str, float]:
        """Returns the time in Unix ms from which the participant may choose about each absent co-player.

        See :meth:`cardlab.games.hand.Hand.choice_due_ms`.
        """
        if not seat.partner_away_seconds:
            return {}
        connected = self.connections.connected_seats(seat.key.hand)
        seen = {
            name: self.connections.last_seen_ms(code)
            for name, code in seat.co_players
            if name not in connected
        }
        return hand.choice_due_ms(seat.name, seen, 1000 * seat.partner_away_seconds)

    def absent_co_players(self, seat: Seat, hand: Hand) -> set[str]:
        """Returns the seats of the absent co-players about whom the participant may choose now."""
        now = self.time_at(hand)
        return {other for other, ms in self.choice_ms(seat, hand).items() if ms <= now}

    def due_ms(self, hand: Hand) -> float | None:
        """Returns the time of the server's next move in a hand, in Unix ms; None if it has none."""
        due = (hand.due_ms(seat, self.awake_ms) for seat in hand.seats)
        return min((ms for ms in due if ms is not None), default=None)

    # Writing.

    def connect_and_write(self, seat: Seat, *notes: str) -> Answer:
        """Connects a client and writes ``notes``. The hand begins with the first connect."""
        read = self._read(seat)
        return Answer(RELOAD) if read is None else self._connect(seat, *read, notes)

    def _connect(
        self,
        seat: Seat,
        end: RecordEnd,
        hand: Hand | None,
        notes: Sequence[str] = (),
        new_hand: Hand | None = None,
    ) -> Answer:
        draft = self._draft(hand or new_hand or self._new_hand(seat, self.clock.now_ms()))
        state = draft.hand.seats[seat.name]
        if not draft.hand.is_over_for(seat.name):
            if state.arrived_ms is None and len(draft.hand.seats) > 1:
                notes = [*notes, ARRIVE]
            elif hand and draft.accepts_asides:
                notes = [*notes, RECONNECT]
            if state.away and seat.name not in seat.dropped:  # dropouts confirm their return on the page
                notes = [*notes, BACK]
            if seat.paused != (draft.hand.paused_ms is not None):
                notes = [*notes, PAUSE if seat.paused else RESUME]
            now = self.time_at(draft.hand)
            for name in notes:
                draft.add(server_note(seat.name, name, now))
            _leave_stopped(draft, seat, now)
            for other in sorted(seat.dropped):
                if _changes_hand(DROPPED_OUT, draft.hand, other):
                    draft.add(server_note(other, DROPPED_OUT, now))
            self._play_due(seat, draft, now)
        self._write(seat, end, draft, begins=not hand)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def note_second_tab_and_write(self, seat: Seat) -> Answer:
        """Records that a seat was opened in a second tab, and warns that tab."""
        end, hand = self._read(seat) or (RecordEnd(), None)
        if not hand:
            return Answer(RELOAD)
        draft = self._draft(hand)
        if draft.accepts_asides and not hand.is_over_for(seat.name):
            draft.add(server_note(seat.name, SECOND_TAB, self.time_at(hand)))
            self._write(seat, end, draft)
        return Answer({"second_tab": seat.second_tab})

    def receive_and_write(self, seat: Seat, text: Any) -> Answer:
        """Handles a page's message. A malformed or forbidden message changes nothing."""
        with in_language(seat.language):
            return self._receive(seat, text)

    def _receive(self, seat: Seat, text: Any) -> Answer:
        read = self._read(seat)
        if read is None:
            return Answer(RELOAD)
        end, hand = read
        if not hand:
            return self._connect(seat, end, hand)
        now = self.time_at(hand)
        try:
            message = parse(text)
            _validate(message, seat, hand, end, self.clock.now_ms())
        except Malformed as error:
            return Answer(self.message_for(seat, hand, str(error)))
        if message.again:
            return self._deal_again(seat, end, hand, message.note)
        draft = self._draft(hand)
        if message.choice:
            return self._choose(seat, end, draft, message.choice, now)
        reason = ""
        if message.note:
            note_aside(draft, seat.name, message, now, after_the_end=seat.page.repeatable)
        else:
            reason = play(draft, seat.name, message, now)
        if draft.events:
            self._play_due(seat, draft, now)
            self._write(seat, end, draft)
        answer = self.message_for(seat, draft.hand, reason)
        if message.note:
            answer["noted"] = message.note
        # Broadcast even if rejected: the first copy of a resent message may have been committed without
        # notifying the others.
        return Answer(answer, draft.hand)

    def _deal_again(self, seat: Seat, end: RecordEnd, hand: Hand, deal: str) -> Answer:
        """Begins a board again, unless the participant is paused.

        A board that is over does not record pauses, so the notices are asked.
        """
        if notices.standing_since_ms(self.records, seat.key.participant_id, notices.PAUSE) is not None:
            return Answer(self.message_for(seat, hand, paused_sentence()))
        new_hand = self._new_hand(seat, self.time_at(hand), deal)  # its record's times run on
        return self._connect(replace(seat, paused=False), end, None, new_hand=new_hand)

    def _choose(self, seat: Seat, end: RecordEnd, draft: Draft, choice: str, now: int) -> Answer:
        """Writes a participant's choice about absent co-players.

        ``cardlab.live.absent_partners`` lets the server play for them.
        """
        absent = self.absent_co_players(seat, draft.hand)
        if not absent or (choice == STOP and not seat.may_stop):
            return Answer(
                self.message_for(seat, draft.hand, _("Everybody is back. Please continue playing."))
            )
        if choice == STOP:
            stop_playing(draft, seat.name, absent, now)
        else:
            draft.add(server_note(seat.name, choice, now))
        self._play_due(seat, draft, now)
        self._write(seat, end, draft)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def play_due_and_write(self, seat: Seat, engine_answer: EngineAnswer | None = None) -> Answer:
        """Plays an engine's answer, if there is one, and the server's due moves in a seat's hand."""
        end, hand = self._read(seat) or (RecordEnd(), None)
        if not hand:
            return Answer(RELOAD)
        draft = self._draft(hand)
        now = self.time_at(hand)
        if engine_answer and (reason := play_engine_answer(draft, engine_answer, now)):
            details = seat.key.hand, engine_answer.action, reason, engine_answer
            logger.error("hand %s, %s cannot be played: %s (%s)", *details)
        self._play_due(seat, draft, now)
        self._write(seat, end, draft)
        return Answer(self.message_for(seat, draft.hand), draft.hand)

    def note_and_write(self, seat: Seat, name: str) -> None:
        """Writes a researcher's note about a seat, if it changes the hand, and plays due moves.

        The participant may be on any page.
        """
        end = self.records.end(seat.key.hand)
        hand = read_hand(end, seat.page.rules, seat.key.hand, self.records)
        if not hand:
            return
        if _changes_hand(name, hand, seat.name):
            draft = self._draft(hand)
            now = self.time_at(hand)
            draft.add(server_note(seat.name, name, now))
            play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand))
            self._write(seat, end, draft)
        # Even without a change: a commit that seemed to fail may have written the note.
        self._after_commit.append(partial(self.connections.record_changed, seat.key.hand))

    def leave_and_write(
        self, seat: Seat, outcome: str, page: Records, others: Mapping[str, str] = NOBODY_ELSE
    ) -> None:
        """Closes the hand when its participant leaves the page, or takes them out of a shared hand.

        Writes in the transaction of the page, through ``page``. The page holds oTree's lock until its commit,
        so no move is written in between. ``others`` has the outcomes of other seats that leave at the same
        time, so that the server plays for none of them.
        """
        end = page.end(seat.key.hand)
        hand = read_hand(end, seat.page.rules, seat.key.hand, page)
        draft = self._draft(hand or self._new_hand(seat, None))
        now = self.time_at(draft.hand)
        outcomes = {**dict.fromkeys(sorted(seat.stopped), STOPPED), seat.name: outcome, **others}
        # Those who stopped are first, because the last one ends the hand, and is paid.
        for name in sorted(outcomes, key=lambda name: outcomes[name] != STOPPED):
            leave(draft, name, outcomes[name], now)
        if draft.events:
            play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand))
            self._append(seat, end, draft, page, begins=not hand)
            self._update_logs(seat, draft.hand, draft.events, page)
            self.connections.record_changed(seat.key.hand)
        seat.page.pay(seat, draft.hand, page)  # also an unpaid hand that ended in a version before 0.11.0

    def _new_hand(self, seat: Seat, shown_ms: int | None, deal: str = "") -> Hand:
        """Returns a new hand, first shown at ``shown_ms`` (None: closed before it was shown)."""
        opening = seat.page.deal_of_step(seat.opening, deal)
        return Hand(seat.page.rules, replace(opening, shown_ms=shown_ms))

    def _draft(self, hand: Hand) -> Draft:
        return Draft(hand, clock_notes(hand, self.clock.now_ms(), self.clock.jumps, self.awake_ms))

    def _play_due(self, seat: Seat, draft: Draft, now: int) -> None:
        """Adds the server's due moves to the draft. This seat's participant counts as connected."""
        play_due(draft, now, self.awake_ms, self.connections.connected_seats(seat.key.hand) | {seat.name})

    def _write(self, seat: Seat, end: RecordEnd, draft: Draft, begins: bool = False) -> None:
        """Writes a draft's rows, if it has any; updates the page's log files after the commit."""
        if draft.events or begins:
            self._append(seat, end, draft, self.records, begins)
            if any(event.end_outcome is not None or event.is_note(STOP) for event in draft.events):
                seat.page.pay(seat, draft.hand, self.records)
            self._after_commit.append(
                partial(self._update_logs, seat, draft.hand, draft.events, self.records)
            )

    @staticmethod
    def _update_logs(seat: Seat, hand: Hand, events: list[Event], records: Records) -> None:
        """Lets the page class update its log files, and shows its error messages to the researcher."""
        for sentence in seat.page.update_logs(seat, hand, events, records) or ():
            records.tell_researcher(seat.key.session_id, sentence)

    def _append(self, seat: Seat, end: RecordEnd, draft: Draft, records: Records, begins: bool) -> None:
        texts = [write_opening(draft.hand.opening)] if begins else []
        lines = chain(seat.key.hand, end.digest, [*texts, *map(write_event, draft.events)])
        records.append(seat.key, end, lines)
        if self._journal:
            self._journal.note_change(seat.key.hand, end.lines + len(lines))
        cache_hand(seat.key.hand, lines[-1].digest, draft.hand)


def _leave_stopped(draft: Draft, seat: Seat, now: int) -> None:
    """Takes co-players who play no more hands out of the hand. In a new hand, nothing else does this."""
    for other in sorted(seat.stopped):
        leave(draft, other, STOPPED, now)


def _validate(message: Message, seat: Seat, hand: Hand, end: RecordEnd, now: int) -> None:
    """Raises Malformed if a message is rejected regardless of the game's rules."""
    is_full = end.lines >= MAX_LINES_WITH_ASIDES
    if hand.paused_ms is not None:
        raise Malformed(paused_sentence())
    if message.hand != seat.hand_number:
        raise Malformed(_("This page is out of date. Please reload it."))
    if message.again and not seat.page.repeatable:
        raise Malformed(_("You cannot start over here."))
    if message.note and not seat.page.can_note(message.note):
        raise Malformed(_("Your move could not be read: “{name}” is not valid.").format(name="note"))
    if message.again and is_full:
        raise Malformed(_("You have restarted this board too many times. Please continue."))
    if seat.page.endless and is_full:
        raise Malformed(_("You have used all tries. Please continue."))
    if seat.deadline is not None and now > seat.deadline * 1000:
        raise Malformed(_("Time is up."))
