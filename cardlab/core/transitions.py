"""Pure functions that add the next rows to a draft of a hand's record: for a message, an absence, an end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from cardlab.core.clock import Jump
from cardlab.core.protocol import Message
from cardlab.games.contract import STOPPED, IllegalAction
from cardlab.games.events import (
    ABSENT,
    AWAY,
    CLOCK_CHANGE,
    END,
    LEAVE,
    SEARCHED,
    STOP,
    UNSEARCHED,
    Event,
    server_note,
)
from cardlab.games.hand import Hand
from cardlab.games.sentence import sentence as _
from cardlab.games.sentence import translate

# "Asides" are rows that do not advance the hand: pick-ups, marks, refused actions, reconnects. A record of
# this length takes only moves, so that a faulty browser cannot fill the disk.
MAX_LINES_WITH_ASIDES = 2000

MAX_REFUSED = 200  # refused actions of a seat that are kept in the record of one hand

# The message to a client whose participant has moved to another page: the browser loads that page.
RELOAD: dict[str, Any] = {"reload": True}


class Draft:
    """Rows to be added to a record, and the hand after them."""

    def __init__(self, hand: Hand, notes: Sequence[Event] = ()) -> None:
        """``notes`` precede the first added row; without one they are dropped."""
        self.hand = hand
        self.events: list[Event] = []
        self._notes = notes

    def add(self, event: Event, notes: Sequence[Event] = ()) -> None:
        """Adds a row, after ``notes`` about it. Raises IllegalAction without adding anything."""
        rows = [*self._notes, *notes, event]
        self.hand = self.hand.after_all(rows) if len(rows) > 1 else self.hand.after(event)
        self.events += rows
        self._notes = ()

    @property
    def accepts_asides(self) -> bool:
        """Whether rows that do not advance the hand are written. A row after clock notes always is."""
        return bool(self._notes) or self.hand.event_count < MAX_LINES_WITH_ASIDES

    def accepts(self, seat: str, action: str) -> bool:
        """Returns whether a legal action is still written; one that advances the hand always is."""
        rules, state = self.hand.rules, self.hand.state
        return self.accepts_asides or (
            seat in rules.waiting_for(state) and action in rules.legal_actions(state, seat)
        )


def clock_notes(hand: Hand, now_ms: int, jumps: Sequence[Jump], awake_ms: int = 0) -> list[Event]:
    """Returns notes about changes of the computer's clock since the last row of a record.

    A change while the server was off is noted at the time of that row. ``now_ms`` and ``awake_ms`` as in
    :meth:`Hand.time_at`.
    """
    change_ms = now_ms + hand.clock_behind_ms - hand.time_at(now_ms, awake_ms)
    behind_ms = hand.clock_behind_ms - change_ms
    seconds = {hand.latest_ms: change_ms / 1000} if change_ms else {}
    for jump in jumps:
        ms = jump.ms + behind_ms
        if 0 < hand.latest_ms < ms:  # jumps at the same time have one note: the fold looks at its time
            seconds[ms] = round(seconds.get(ms, 0.0) + jump.seconds, 3)
    return [server_note("", f"{CLOCK_CHANGE}{change:+}", ms) for ms, change in seconds.items()]


def play(draft: Draft, seat: str, message: Message, now_ms: int) -> str:
    """Adds the rows of an action: traces, the action itself, and the end row if it ends the hand.

    Returns the reason for a refusal in the participant's language; "" if the action is accepted.
    """
    if draft.hand.is_over_for(seat):
        return str(translate(_("This hand is over.")))
    is_late = message.early and seat in draft.hand.rules.waiting_for(draft.hand.state)
    if message.number != draft.hand.seats[seat].next_number or is_late:
        return _refuse(draft, seat, message, now_ms, _("The board changed. This is the current position."))
    for action, ms in message.traces if draft.accepts_asides else ():
        _add_trace(draft, Event(draft.hand.next_number, seat, action, ms, now_ms))
    try:
        if not draft.accepts(seat, message.action):
            raise IllegalAction(_("You have done this too often here. You can still make moves."))
        draft.add(Event(draft.hand.next_number, seat, message.action, message.ms, now_ms))
    except IllegalAction as error:
        return _refuse(draft, seat, message, now_ms, error.sentence)
    _end_hand_if_over(draft, now_ms, message.ms)
    return ""


def note_aside(draft: Draft, seat: str, message: Message, now_ms: int, after_the_end: bool) -> None:
    """Adds the note of a message, if the record accepts asides; after the end only if ``after_the_end``."""
    if draft.accepts_asides and (after_the_end or not draft.hand.is_over_for(seat)):
        draft.add(Event(None, seat, message.note, message.ms, now_ms, None))


def _add_trace(draft: Draft, event: Event) -> None:
    """Adds a trace, unless the rules refuse it or it would change the state."""
    try:
        traced = draft.hand.after(event)
    except IllegalAction:
        return
    if traced.state == draft.hand.state:
        draft.add(event)


def _refuse(draft: Draft, seat: str, message: Message, now_ms: int, sentence: str) -> str:
    if draft.accepts_asides and draft.hand.seats[seat].refused < MAX_REFUSED:
        draft.add(Event(message.number, seat, message.action, message.ms, now_ms, False, str(sentence)))
    return str(translate(sentence))


def end_hand(draft: Draft, outcome: str, now_ms: int, client_ms: int | None = None) -> None:
    """Adds the end row, unless there is one. If the hand is over by the rules, their outcome applies."""
    hand = draft.hand
    if hand.is_over:
        return
    if hand.rules.is_over(hand.state):
        outcome = hand.rules.result(hand.state, hand.rules.seats(hand.state)[0], 0).outcome
    draft.add(Event(hand.next_number, "", f"{END}{outcome}", client_ms, now_ms))


def _end_hand_if_over(draft: Draft, now_ms: int, client_ms: int | None) -> None:
    if draft.hand.rules.is_over(draft.hand.state):
        end_hand(draft, "", now_ms, client_ms)


def leave(draft: Draft, seat: str, outcome: str, now_ms: int) -> None:
    """Adds the row for a participant who continues to the next page, unless the hand is over.

    The hand ends if nobody else plays, or by its time limit. Otherwise the server plays for the seat.
    """
    if draft.hand.is_over_for(seat):
        return
    if outcome == "timeout" or draft.hand.human_seats == (seat,):
        end_hand(draft, outcome, now_ms)
    else:
        draft.add(server_note(seat, f"{LEAVE}{outcome}", now_ms))


def stop_playing(draft: Draft, seat: str, absent: Collection[str], now_ms: int) -> None:
    """Adds a note that a seat's participant stops because co-players are ``absent``.

    The hand ends if no other participant is left. Otherwise the others play on.
    """
    draft.add(server_note(seat, STOP, now_ms))
    if set(draft.hand.human_seats) <= {seat, *absent}:
        end_hand(draft, STOPPED, now_ms)
    else:
        draft.add(server_note(seat, f"{LEAVE}{STOPPED}", now_ms))


def play_due(draft: Draft, now_ms: int, awake_ms: int = 0, connected: Collection[str] = ()) -> None:
    """Adds all actions that the server has to play by now.

    These are forced actions, and those of robots without an engine and of participants who left or are away.
    ``awake_ms`` as in :meth:`Hand.due_ms`; ``connected`` are the seats whose participants are connected.
    """
    while not draft.hand.is_over and draft.hand.paused_ms is None:
        if not (_play_forced(draft, now_ms) or _play_due(draft, now_ms, awake_ms, connected)):
            break
        _end_hand_if_over(draft, now_ms, None)


def _play_forced(draft: Draft, now_ms: int) -> bool:
    """Adds an action that the rules force; returns whether there was one."""
    hand = draft.hand
    action = hand.rules.forced_action(hand.state)
    if action is not None:
        (seat,) = hand.rules.waiting_for(hand.state)
        draft.add(Event(hand.next_number, seat, action, None, now_ms))
    return action is not None


def _play_due(draft: Draft, now_ms: int, awake_ms: int, connected: Collection[str]) -> bool:
    """Adds the action of a seat for which the server plays now; returns whether there was one."""
    hand = draft.hand
    due = [seat for seat in hand.seats if (ms := hand.due_ms(seat, awake_ms)) is not None and ms <= now_ms]
    if not due:
        return False
    seat = due[0]
    if seat in hand.robots:
        _play_robot(draft, seat, now_ms)
        return True
    is_away = seat not in connected and hand.misses_too_many_limits(seat)
    draft.add(server_note(seat, ABSENT, now_ms))
    if is_away:
        draft.add(server_note(seat, AWAY, now_ms))
    action = hand.rules.absent_action(hand.state, seat, hand.opening.options["seed"])
    draft.add(Event(hand.next_number, seat, action, None, now_ms))
    return True


class EngineAnswer(NamedTuple):
    """An engine's answer to a question for a robot's seat; ``action`` is None after a timeout.

    ``searched`` describes the search (``cardlab.games.contract.Reply``).
    """

    seat: str
    question: str
    action: str | None = None
    searched: str = ""


def play_engine_answer(draft: Draft, answer: EngineAnswer, now_ms: int) -> str:
    """Adds an engine's action, unless its question is out of date; returns the reason for a refusal, or "".

    Without a legal action, adds a note and the robot's action without a search.
    """
    hand, seat = draft.hand, answer.seat
    if hand.engine_questions.get(seat) != answer.question:
        return ""
    reason = ""
    if answer.action is not None:
        notes = [server_note(seat, f"{SEARCHED}{answer.searched}", now_ms)] if answer.searched else []
        try:
            draft.add(Event(hand.next_number, seat, answer.action, None, now_ms), notes)
        except IllegalAction as error:
            reason = str(error)
    if answer.action is None or reason:
        draft.add(server_note(seat, UNSEARCHED, now_ms))
        _play_robot(draft, seat, now_ms)
    _end_hand_if_over(draft, now_ms, None)
    return reason


def _play_robot(draft: Draft, seat: str, now_ms: int) -> None:
    """Adds a robot's action without a search."""
    hand = draft.hand
    action = hand.rules.robot_action(hand.state, seat, hand.robots[seat], hand.opening.options["seed"])
    draft.add(Event(hand.next_number, seat, action, None, now_ms))


def message_to_seat(
    hand: Hand,
    seat: str,
    hand_number: int,
    now_ms: int,
    reason: str = "",
    awake_ms: int = 0,
    silent: Collection[str] = (),
) -> dict[str, Any]:
    """Returns the message to a seat's browser: the seat's own view, and nothing else of the hand.

    ``paused`` is set during the researcher's pause, ``stopped`` if the participant chose to stop. ``time``
    has the milliseconds that count for the score (:meth:`Hand.scored_ms`), if these differ from ``clock``:
    they begin with the first move, or there was a pause. With several seats, ``wait`` has the disconnected
    seats (``away``) and the milliseconds until the server plays, for this seat or else for the next one due
    (``ms``).

    Args:
        hand: the hand.
        seat: the seat.
        hand_number: the hand's number in messages.
        now_ms: the time, in Unix milliseconds.
        reason: why the seat's action was refused; "" if it was not.
        awake_ms: as in :meth:`Hand.due_ms`.
        silent: the seats whose browsers answer no ping.
    """
    result = hand.result(seat) if hand.is_over_for(seat) else None
    message = {
        "hand": hand_number,
        "next": hand.seats[seat].next_number,
        "clock": max(0, now_ms - (hand.shown_ms or now_ms)),
        "view": hand.rules.view(hand.state, seat),
        "over": result.outcome if result else None,
        "result": {"score": result.score, "parts": result.parts} if result else None,
    }
    if hand.is_timed_from_move or hand.pauses or hand.paused_ms is not None:
        message["time"] = hand.scored_ms(now_ms)
    if hand.paused_ms is not None:
        message["paused"] = True
    if len(hand.seats) > 1:
        message["wait"] = _wait_message(hand, seat, now_ms, awake_ms, silent)
    if hand.seats[seat].stopped:
        message["stopped"] = True
    if reason:
        message["refused"] = reason
    return message


def _wait_message(
    hand: Hand, seat: str, now_ms: int, awake_ms: int, silent: Collection[str]
) -> dict[str, Any]:
    due = {other: ms for other in hand.seats if (ms := hand.due_ms(other, awake_ms)) is not None}
    soonest = due.get(seat, min(due.values(), default=None))
    absent = {*hand.away_seats(), *(() if hand.is_over else set(silent) - {seat})}
    away = [other for other in hand.seats if other in absent]
    return {"ms": None if soonest is None else max(0, round(soonest - now_ms)), "away": away}
