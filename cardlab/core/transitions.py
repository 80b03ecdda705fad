"""What is written next into a hand's record: how the server answers a message, an absence, an end.

Pure: the folded hand and the time come in as arguments, a draft of the next rows goes out. Nothing here knows
of oTree, sockets or the clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from cardlab.core.clock import Jump
from cardlab.core.protocol import Message
from cardlab.games.contract import IllegalAction
from cardlab.games.events import ABSENT, AWAY, CLOCK_CHANGE, END, LEAVE, STOP, UNSEARCHED, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.sentence import sentence as _
from cardlab.games.sentence import translate

# Pick-ups, marks, refused actions and reconnects are kept too, but a browser gone mad must not fill the disk.
# In a record of so many lines only moves of a seat that is waited for are still written.
MAX_LINES_WITH_ASIDES = 2000


STOPPED = "stopped"  # the outcome for a participant who stops because co-players are absent
MAX_REFUSED = 200  # refused actions of a seat that are kept in the record of one hand

# Answered when the participant is on another page by now: the browser loads that page.
RELOAD: dict[str, Any] = {"reload": True}


class Draft:
    """Rows to be added to a record, and the hand after them, so that nothing is played twice."""

    def __init__(self, hand: Hand, notes: Sequence[Event] = ()) -> None:
        """``notes`` come first, but only if anything is added."""
        self.hand = hand
        self.events: list[Event] = []
        self._notes = notes

    def add(self, event: Event) -> None:
        """Add a row. Raises IllegalAction, and then nothing is added."""
        notes = () if self.events else self._notes
        self.hand = self.hand.after_all([*notes, event]) if notes else self.hand.after(event)
        self.events += [*notes, event]

    @property
    def accepts_asides(self) -> bool:
        """Whether rows that do not bring the hand on are still written."""
        return self.hand.event_count < MAX_LINES_WITH_ASIDES

    def takes(self, seat: str, action: str) -> bool:
        """Whether an action that the rules allow is still written: always, if it brings the hand on."""
        rules, state = self.hand.rules, self.hand.state
        return self.accepts_asides or (
            seat in rules.waiting_for(state) and action in rules.legal_actions(state, seat)
        )


def clock_notes(hand: Hand, now_ms: int, jumps: Sequence[Jump]) -> list[Event]:
    """What happened to the server's clock since the last row of a record: each jump once.

    ``now_ms`` lies before that row if the clock was set back while the server was off.
    """
    notes = [(jump.ms, jump.seconds) for jump in jumps if 0 < hand.latest_ms < jump.ms]
    if now_ms < hand.latest_ms and not hand.clock_is_back:
        notes.append((hand.latest_ms, round((now_ms - hand.latest_ms) / 1000, 1)))
    return [server_note("", f"{CLOCK_CHANGE}{seconds:+}", ms) for ms, seconds in notes]


def play(draft: Draft, seat: str, message: Message, now_ms: int) -> str:
    """Add what a message adds to the record; the sentence it is refused with, in the participant's language,
    or "" if it is accepted.

    Traces come first, with their own client times; the action follows; the end row closes a hand
    that the action ended.
    """
    if draft.hand.is_over_for(seat):
        return translate(_("This hand is over."))
    if message.number != draft.hand.seats[seat].next_number:
        return _refuse(
            draft, seat, message, now_ms, _("The board had changed. It is shown now as it stands.")
        )
    for action, ms in message.traces if draft.accepts_asides else ():
        _add_trace(draft, Event(draft.hand.next_number, seat, action, ms, now_ms))
    try:
        if not draft.takes(seat, message.action):
            raise IllegalAction(_("That was done too often in this hand. Moves still count."))
        draft.add(Event(draft.hand.next_number, seat, message.action, message.ms, now_ms))
    except IllegalAction as refused:
        return _refuse(draft, seat, message, now_ms, refused.sentence)
    _end_by_the_rules(draft, now_ms, message.ms)
    return ""


def note_aside(draft: Draft, seat: str, message: Message, now_ms: int, after_the_end: bool) -> None:
    """Add what a message notes, if there is room. A hand's end row is its last, but on a board to try."""
    if draft.accepts_asides and (after_the_end or not draft.hand.is_over_for(seat)):
        draft.add(Event(None, seat, message.note, message.ms, now_ms, None))


def _add_trace(draft: Draft, event: Event) -> None:
    """Add a trace. One that the rules refuse is only worth leaving out; a move that poses as one is none."""
    try:
        traced = draft.hand.after(event)
    except IllegalAction:
        return
    if traced.state == draft.hand.state:
        draft.add(event)


def _refuse(draft: Draft, seat: str, message: Message, now_ms: int, sentence: str) -> str:
    if draft.accepts_asides and draft.hand.seats[seat].refused < MAX_REFUSED:
        draft.add(Event(message.number, seat, message.action, message.ms, now_ms, False, str(sentence)))
    return translate(sentence)


def close(draft: Draft, outcome: str, now_ms: int, client_ms: int | None = None) -> None:
    """Add the end row, unless there is one. What the rules say of an ended hand stands."""
    hand = draft.hand
    if hand.is_over:
        return
    if hand.rules.is_over(hand.state):
        outcome = hand.rules.result(hand.state, hand.rules.seats(hand.state)[0], 0).outcome
    draft.add(Event(hand.next_number, "", f"{END}{outcome}", client_ms, now_ms))


def _end_by_the_rules(draft: Draft, now_ms: int, client_ms: int | None) -> None:
    if draft.hand.rules.is_over(draft.hand.state):
        close(draft, "", now_ms, client_ms)


def leave(draft: Draft, seat: str, outcome: str, now_ms: int) -> None:
    """Add what is written when the participant of a seat goes on to the next page.

    Nothing if the hand is over. Who is alone closes it, and so does a time limit, which is the hand's.
    Otherwise the others play on, against cards that the server plays for the seat.
    """
    if draft.hand.is_over_for(seat):
        return
    if outcome == "timeout" or draft.hand.human_seats == (seat,):
        close(draft, outcome, now_ms)
    else:
        draft.add(server_note(seat, f"{LEAVE}{outcome}", now_ms))


def stop(draft: Draft, seat: str, absent: Collection[str], now_ms: int) -> None:
    """Add that the participant of a seat stops because co-players are ``absent``.

    The others play on. The hand ends if they are all absent.
    """
    draft.add(server_note(seat, STOP, now_ms))
    if set(draft.hand.human_seats) <= {seat, *absent}:
        close(draft, STOPPED, now_ms)
    else:
        draft.add(server_note(seat, f"{LEAVE}{STOPPED}", now_ms))


def play_due(draft: Draft, now_ms: int, awake_ms: int = 0, here: Collection[str] = ()) -> None:
    """Add what the server plays by now: what the rules force, for robots that need no engine, for those who
    left or stay away.

    ``awake_ms`` as in :meth:`Hand.due_ms`; ``here`` has the seats whose participants are connected.
    """
    while not draft.hand.is_over and draft.hand.paused_ms is None:
        if not (_play_forced(draft, now_ms) or _play_due(draft, now_ms, awake_ms, here)):
            break
        _end_by_the_rules(draft, now_ms, None)


def _play_forced(draft: Draft, now_ms: int) -> bool:
    """Add what nobody decides, in games that have such actions; whether there was anything."""
    hand = draft.hand
    action = hand.rules.forced_action(hand.state)
    if action is not None:
        (seat,) = hand.rules.waiting_for(hand.state)
        draft.add(Event(hand.next_number, seat, action, None, now_ms))
    return action is not None


def _play_due(draft: Draft, now_ms: int, awake_ms: int, here: Collection[str]) -> bool:
    """Add the action of a seat that the server plays for by now; whether there was one."""
    hand = draft.hand
    due = [seat for seat in hand.seats if (ms := hand.due_ms(seat, awake_ms)) is not None and ms <= now_ms]
    if not due:
        return False
    seat = due[0]
    if seat in hand.robots:
        _play_robot(draft, seat, now_ms)
        return True
    gone = seat not in here and hand.misses_too_many_limits(seat)
    draft.add(server_note(seat, ABSENT, now_ms))
    if gone:
        draft.add(server_note(seat, AWAY, now_ms))
    action = hand.rules.absent_action(hand.state, seat, hand.opening.options["seed"])
    draft.add(Event(hand.next_number, seat, action, None, now_ms))
    return True


class EngineAnswer(NamedTuple):
    """What an engine has answered to a question for a robot's seat; ``action`` is None if nothing in time."""

    seat: str
    question: str
    action: str | None


def play_engine_answer(draft: Draft, found: EngineAnswer, now_ms: int) -> str:
    """Add what an engine has found, unless it is asked something else by now.

    If it has found nothing, or what the rules refuse, what the robot does without is added, and that it was
    so. The sentence of the refusal, "" if there was none.
    """
    hand, seat = draft.hand, found.seat
    if hand.engine_questions.get(seat) != found.question:
        return ""
    refused = ""
    if found.action is not None:
        try:
            draft.add(Event(hand.next_number, seat, found.action, None, now_ms))
        except IllegalAction as refusal:
            refused = str(refusal)
    if found.action is None or refused:
        draft.add(server_note(seat, UNSEARCHED, now_ms))
        _play_robot(draft, seat, now_ms)
    _end_by_the_rules(draft, now_ms, None)
    return refused


def _play_robot(draft: Draft, seat: str, now_ms: int) -> None:
    """Add what a robot does without an engine."""
    hand = draft.hand
    action = hand.rules.robot_action(hand.state, seat, hand.robots[seat], hand.opening.options["seed"])
    draft.add(Event(hand.next_number, seat, action, None, now_ms))


def message_to_seat(
    hand: Hand,
    seat: str,
    hand_number: int,
    now_ms: int,
    refused: str = "",
    awake_ms: int = 0,
    silent: Collection[str] = (),
) -> dict[str, Any]:
    """The message that a browser gets: the seat's own view and nothing else of the hand.

    ``paused`` says that the researcher has the hand stand still, and ``stopped`` that no further hand
    follows, because the participant chose to stop. Where others play too, ``wait`` says which participants
    are not at the table (``away``) and in how many milliseconds the server plays for a seat that is waited
    for, the seat itself first (``ms``).
    ``awake_ms`` as in :meth:`Hand.due_ms`; ``silent`` has the seats of whose browsers nothing has been heard
    for some seconds.
    """
    result = hand.result(seat) if hand.is_over_for(seat) else None
    said = {
        "hand": hand_number,
        "next": hand.seats[seat].next_number,
        "clock": max(0, now_ms - (hand.shown_ms or now_ms)),
        "view": hand.rules.view(hand.state, seat),
        "over": result.outcome if result else None,
        "result": {"score": result.score, "parts": result.parts} if result else None,
    }
    if hand.paused_ms is not None:
        said["paused"] = True
    if len(hand.seats) > 1:
        said["wait"] = _wait(hand, seat, now_ms, awake_ms, silent)
    if hand.seats[seat].stopped:
        said["stopped"] = True
    if refused:
        said["refused"] = refused
    return said


def _wait(hand: Hand, seat: str, now_ms: int, awake_ms: int, silent: Collection[str]) -> dict[str, Any]:
    due = {other: ms for other in hand.seats if (ms := hand.due_ms(other, awake_ms)) is not None}
    soonest = due.get(seat, min(due.values(), default=None))
    gone = {*hand.away_seats(), *(() if hand.is_over else set(silent) - {seat})}
    away = [other for other in hand.seats if other in gone]
    return {"ms": None if soonest is None else max(0, round(soonest - now_ms)), "away": away}
