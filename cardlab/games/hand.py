"""Folds a deal and the events of its record into the state of a hand.

The server, bots, exports, measures, replays and simulations all use this fold. It reads no clock and no
storage: all times come from the events. Times are Unix milliseconds of the server, unless stated otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

from cardlab.games.contract import OPEN, STOPPED, Result, Rules
from cardlab.games.events import (
    ABSENT,
    ARRIVE,
    AWAY,
    BACK,
    CLOCK_CHANGE,
    DROPPED_OUT,
    KEEP_WAITING,
    PAUSE,
    PERSON,
    RESUME,
    STOP,
    Event,
)
from cardlab.games.record import Opening

FIRST_MOVE = "first_move"  # a value of the option ``clock``: the time counts from the first move
AWAY_MS = 1000  # turn limit of a participant who has missed several turns, so that the others need not wait


class Departure(NamedTuple):
    """The outcome for a participant who left a hand before its end, the time, and the state at that time."""

    outcome: str
    ms: int
    state: Any


class SeatState(NamedTuple):
    """The state of one seat and its participant, computed from the events of a hand.

    ``next_number``
        The number that the next action of the seat must carry. It counts the seat's own actions and those
        after which the seat began or ceased to be waited for. It does not count the secret choice of another
        seat that chooses at the same time, so nobody learns how often another changes a choice.
    ``since_ms``
        When the hand began to wait for the seat's present choice; None before the hand is shown.
    ``arrived_ms``
        When the participant arrived at the table; None if they have not.
    ``server_played``
        Whether the server has played for the seat.
    ``missed_limits``
        How many turn limits in a row the participant has missed.
    ``away``
        Whether the hand no longer waits for the participant until they are back.
    ``dropped``
        Whether they were marked as a dropout.
    ``stopped``
        Whether they chose to stop because of an absent co-player.
    ``left``
        How they left before the end, None if they have not.
    ``moves``, ``refused``
        How many of their actions changed the hand, and how many were refused.
    ``last_acted_ms``
        When they last acted, accepted or refused; None if never.
    ``waits_on_since_ms``
        When they last chose to keep waiting for an absent co-player; None if never.
    """

    next_number: int = 1
    since_ms: int | None = None
    arrived_ms: int | None = None
    server_played: bool = False
    missed_limits: int = 0
    away: bool = False
    dropped: bool = False
    left: Departure | None = None
    moves: int = 0
    refused: int = 0
    last_acted_ms: int | None = None
    waits_on_since_ms: int | None = None
    stopped: bool = False

    @property
    def is_present(self) -> bool:
        """Whether the participant is at the table."""
        return not (self.left or self.away or self.dropped or self.arrived_ms is None)

    @property
    def stopped_before(self) -> bool:
        """Whether the participant stopped in an earlier hand, so that this one is not paid."""
        return self.left is not None and self.left.outcome == STOPPED and not self.stopped


# How a note changes the state of its seat, from the time of the note.
_SEAT_NOTES: dict[str, Callable[[SeatState, int], SeatState]] = {
    ARRIVE: lambda seat, ms: seat._replace(arrived_ms=ms, since_ms=max(seat.since_ms or 0, ms)),
    ABSENT: lambda seat, _ms: seat._replace(server_played=True, missed_limits=seat.missed_limits + 1),
    AWAY: lambda seat, _ms: seat._replace(away=True),
    BACK: lambda seat, ms: seat._replace(away=False, dropped=False, missed_limits=0, since_ms=ms),
    DROPPED_OUT: lambda seat, _ms: seat._replace(dropped=True),
    KEEP_WAITING: lambda seat, ms: seat._replace(waits_on_since_ms=ms),
    STOP: lambda seat, _ms: seat._replace(stopped=True),
}


class Hand:
    """A hand after some of its events. It is immutable: :meth:`after` returns another hand.

    ``next_number`` is the number of the next accepted row (the deal is number 0), ``event_count`` the number
    of events so far. ``seats`` has the state of every seat, in the order of the rules. ``outcome`` is
    ``open`` until the end row, whose time is ``ended_ms``. ``shown_ms`` is when anybody first saw the hand,
    None if nobody has; ``begun_ms`` is when an action first changed the hand. ``absent_seat`` is the seat
    whose next action the server plays, "" if none. ``latest_ms`` is the latest time among the events, 0
    without any; ``clock_behind_ms`` says how far the server's clock is behind the times of the hand, because
    the computer's clock was set back before a restart. ``paused_ms`` is the start of the current pause, None
    if the hand is not paused; ``pauses`` has the start and end of each earlier pause.
    """

    __slots__ = (
        *("rules", "opening", "state", "seats", "shown_ms", "begun_ms", "next_number", "event_count"),
        *("outcome", "ended_ms", "absent_seat", "latest_ms", "clock_behind_ms", "paused_ms", "pauses"),
        "_engine_questions",
    )

    def __init__(self, rules: Rules, opening: Opening) -> None:
        """Deals the hand. A participant who plays alone has arrived when the hand is shown.

        Raises:
            ValueError: The deal is invalid with these settings; the text says why.
        """
        self.rules, self.opening = rules, opening
        self.state: Any = rules.start(opening.deal, opening.options)
        names = rules.seats(self.state)
        arrived_ms = opening.shown_ms if len(names) == 1 else None
        seat = SeatState(since_ms=opening.shown_ms, arrived_ms=arrived_ms)
        self.seats: dict[str, SeatState] = dict.fromkeys(names, seat)
        self.shown_ms: int | None = opening.shown_ms
        self.begun_ms: int | None = None
        self.next_number, self.event_count = 1, 0
        self.outcome = OPEN
        self.ended_ms: int | None = None
        self.absent_seat = ""
        self.latest_ms, self.clock_behind_ms = opening.shown_ms or 0, 0
        self.paused_ms: int | None = None
        self.pauses: tuple[tuple[int, int], ...] = ()
        self._engine_questions: dict[str, str] | None = None  # computed on first use

    # Folding events

    def after(self, event: Event) -> Hand:
        """Returns the hand after one more event. Raises IllegalAction for an action that the rules refuse."""
        hand = self._copy()
        hand._take(event)
        return hand

    def after_all(self, events: Iterable[Event]) -> Hand:
        """Returns the hand after more events. Raises IllegalAction as :meth:`after` does."""
        hand = self._copy()
        for event in events:
            hand._take(event)
        return hand

    def _copy(self) -> Hand:
        # A loop over the slots would take five times as long, and the analysis folds many hands.
        hand = object.__new__(Hand)
        hand.rules, hand.opening, hand.state, hand.seats = self.rules, self.opening, self.state, self.seats
        hand.shown_ms, hand.begun_ms = self.shown_ms, self.begun_ms
        hand.next_number, hand.event_count = self.next_number, self.event_count
        hand.outcome, hand.ended_ms, hand.absent_seat = self.outcome, self.ended_ms, self.absent_seat
        hand.latest_ms, hand.clock_behind_ms = self.latest_ms, self.clock_behind_ms
        hand.paused_ms, hand.pauses = self.paused_ms, self.pauses
        hand._engine_questions = self._engine_questions
        return hand

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and all(
            getattr(self, name) == getattr(other, name)
            for name in Hand.__slots__
            if name != "_engine_questions"
        )

    __hash__ = None  # type: ignore[assignment]  # its seats and its state may not be hashable

    def _take(self, event: Event) -> None:
        self.event_count += 1
        self._engine_questions = None
        if event.accepted is None:
            self._take_note(event)
        elif event.accepted:
            outcome = event.end_outcome
            if outcome is None:
                self._take_action(event)
            else:
                self._resume(event.server_ms)
                self.outcome, self.ended_ms = outcome, event.server_ms
                self.seats = {
                    name: seat._replace(next_number=seat.next_number + 1) for name, seat in self.seats.items()
                }
            self.next_number += 1
        elif seat := self.seats.get(event.seat):
            seat = seat._replace(refused=seat.refused + 1, last_acted_ms=event.server_ms)
            self.seats = {**self.seats, event.seat: seat}
        self.latest_ms = max(self.latest_ms, event.server_ms)

    def _take_note(self, event: Event) -> None:
        note, ms = event.action, event.server_ms
        if note.startswith(CLOCK_CHANGE):
            if ms <= self.latest_ms:  # a later time is of a change while the server ran, which has no effect
                self.clock_behind_ms -= round(1000 * float(note[len(CLOCK_CHANGE) :]))
        elif note == PAUSE:
            self.paused_ms = ms if self.paused_ms is None else self.paused_ms
        elif note == RESUME:
            self._resume(ms)
        else:
            seat = self.seats[event.seat]
            if note in _SEAT_NOTES:
                self.seats = {**self.seats, event.seat: _SEAT_NOTES[note](seat, ms)}
            elif (outcome := event.leave_outcome) is not None:
                departure = Departure(outcome, ms, self.state)
                self.seats = {**self.seats, event.seat: seat._replace(left=departure)}
            if note == ABSENT:
                self.absent_seat = event.seat
            elif note == ARRIVE and self.shown_ms is None:
                self.shown_ms = ms  # a co-player may have been advanced before anybody saw the hand

    def _resume(self, ms: int) -> None:
        if self.paused_ms is not None:
            self.pauses, self.paused_ms = (*self.pauses, (self.paused_ms, ms)), None

    def _take_action(self, event: Event) -> None:
        previous_state, state = self.state, self.rules.apply(self.state, event.seat, event.action)
        if event.seat == self.absent_seat:
            state = self.rules.mark_played_by_server(state, event.seat)
        self.absent_seat = ""
        if self.begun_ms is None and state is not previous_state:
            self.begun_ms = event.server_ms
        if len(self.seats) == 1:
            (seat,) = self.seats.values()
            # Positional arguments, because `_replace` would take three times as long.
            moves, ms = seat.moves + (state is not previous_state), event.server_ms
            unchanged = seat.arrived_ms, seat.server_played, 0, seat.away, seat.dropped, seat.left
            seat = SeatState(seat.next_number + 1, ms, *unchanged, moves, seat.refused, ms)
            self.seats = {event.seat: seat}
        else:
            self.seats = self._seats_after(event, state)
        self.state = state

    def _seats_after(self, event: Event, state: Any) -> dict[str, SeatState]:
        """Returns the seats of a multiplayer hand after an action that leads to ``state``."""
        rules, name, ms = self.rules, event.seat, event.server_ms
        waiting_before, waiting_after = rules.waiting_for(self.state), rules.waiting_for(state)
        seats = {
            other_name: seat._replace(next_number=seat.next_number + 1, since_ms=ms)
            if other_name == name or (other_name in waiting_before) != (other_name in waiting_after)
            else seat
            for other_name, seat in self.seats.items()
        }
        # If the seat still has the same choice, its time limit continues.
        if (
            name in waiting_before
            and name in waiting_after
            and rules.legal_actions(self.state, name) == rules.legal_actions(state, name)
        ):
            seats[name] = seats[name]._replace(since_ms=self.seats[name].since_ms)
        if event.client_ms is not None:  # the participant's own action
            moves = seats[name].moves + (state is not self.state)  # a pick-up leaves the state as it is
            seats[name] = seats[name]._replace(missed_limits=0, moves=moves, last_acted_ms=ms)
        return seats

    # Outcome and times

    @property
    def is_over(self) -> bool:
        """Whether there is an end row: the hand is over for everybody."""
        return self.outcome != OPEN

    def is_over_for(self, seat: str) -> bool:
        """Whether the hand is over, or the participant of the seat has left it."""
        return self.is_over or self.seats[seat].left is not None

    def outcome_for(self, seat: str) -> str:
        """Returns the outcome for the seat, for example ``won`` if another seat has lost.

        If the rules ended the hand, the end row has the outcome of the first seat.
        """
        departure = self.seats[seat].left
        if departure:
            return departure.outcome
        if self.is_over and seat != next(iter(self.seats)) and self.rules.is_over(self.state):
            return self.rules.result(self.state, seat, 0).outcome
        return self.outcome

    def ended_ms_for(self, seat: str) -> int | None:
        """Returns when the hand ended for the seat; None if it has not."""
        departure = self.seats[seat].left
        return departure.ms if departure else self.ended_ms

    def seconds(self, seat: str) -> float:
        """Returns the seconds without pauses from when the hand was first shown to its end for the seat.

        Returns 0 while the hand is open or if it was never shown.
        """
        return self._seconds_since(self.shown_ms, seat)

    def scored_seconds(self, seat: str) -> float:
        """Returns the seconds that count for the score: :meth:`seconds`, or those since the first move."""
        return self._seconds_since(self._scored_from_ms, seat)

    def scored_ms(self, now_ms: int) -> int | None:
        """Returns the milliseconds up to now that count for the score; None before they begin."""
        return None if self._scored_from_ms is None else self.active_ms(self._scored_from_ms, now_ms)

    @property
    def _scored_from_ms(self) -> int | None:
        return self.begun_ms if self.is_timed_from_move else self.shown_ms

    @property
    def is_timed_from_move(self) -> bool:
        """Whether the option ``clock`` counts the time from the first move."""
        return bool(self.opening.options.get("clock") == FIRST_MOVE)

    def _seconds_since(self, since_ms: int | None, seat: str) -> float:
        ended_ms = self.ended_ms_for(seat)
        if since_ms is None or ended_ms is None:
            return 0.0
        return self.active_ms(since_ms, ended_ms) / 1000

    def active_ms(self, since_ms: int, until_ms: int) -> int:
        """Returns the milliseconds between two times, minus pauses."""
        return max(0, until_ms - since_ms - round(self.paused_ms_between(since_ms, until_ms)))

    def paused_ms_between(self, since_ms: float, until_ms: float = inf) -> float:
        """Returns how many milliseconds the hand was paused between two times, including an open pause."""
        current_pause = () if self.paused_ms is None else ((self.paused_ms, until_ms),)
        pauses: tuple[tuple[float, float], ...] = (*self.pauses, *current_pause)
        return sum(max(0.0, min(end, until_ms) - max(begin, since_ms)) for begin, end in pauses)

    def state_for(self, seat: str) -> Any:
        """Returns the state of the game, or the state at which the participant of the seat left."""
        departure = self.seats[seat].left
        return departure.state if departure else self.state

    def result(self, seat: str) -> Result:
        """Returns the result of the seat, with the outcome from the record."""
        result = self.rules.result(self.state_for(seat), seat, self.scored_seconds(seat))
        return result._replace(outcome=self.outcome_for(seat))

    # Participants and robots

    @property
    def robots(self) -> dict[str, str]:
        """The seats that robots play, with the robots' names."""
        robots: dict[str, str] = self.opening.options.get("robots") or {}
        return robots

    @property
    def human_seats(self) -> tuple[str, ...]:
        """The seats of the participants who have not left."""
        return tuple(
            name for name, seat in self.seats.items() if name not in self.robots and seat.left is None
        )

    def away_seats(self) -> list[str]:
        """Returns the seats of the participants who are not at the table."""
        return [name for name, seat in self.seats.items() if name not in self.robots and not seat.is_present]

    @property
    def engine_questions(self) -> dict[str, str]:
        """The open questions to the game's engine, by the seats of the robots that wait for an answer."""
        if self._engine_questions is None:
            needs_engine = not self.is_over and self.paused_ms is None and self.robots
            self._engine_questions = dict(self._find_engine_questions()) if needs_engine else {}
        return self._engine_questions

    def _find_engine_questions(self) -> Iterator[tuple[str, str]]:
        rules, seed = self.rules, self.opening.options["seed"]
        for seat in rules.waiting_for(self.state):
            if seat in self.robots:
                question = rules.engine_question(self.state, seat, self.robots[seat], seed)
                if question is not None:
                    yield seat, question

    def time_at(self, now_ms: int, awake_ms: int = 0) -> int:
        """Returns the time of the next event, in the time of this hand, which never runs backwards.

        If the computer's clock was set back before a restart, the time continues from the latest event. If it
        was put right before another restart, the server's clock counts again.

        Args:
            now_ms: the time by the server's clock.
            awake_ms: the start of the server by its clock.
        """
        return now_ms if awake_ms >= self.latest_ms else max(now_ms + self.clock_behind_ms, self.latest_ms)

    def due_ms(self, name: str, awake_ms: int = 0) -> float | None:
        """Returns when the server plays for a seat that the hand waits for; None if never (ruling 14).

        Returns 0, at once, for a robot that needs no engine, for a participant who has left, and for one who
        has dropped out while others still play. Otherwise the time is the end of the turn limit. The limit
        excludes pauses and any time before ``awake_ms``, the start of the server by its clock, because nobody
        could play while it was down. The first limit of a participant who has not arrived is the time to
        arrive, if that is longer. The limit of an inactive participant is ``AWAY_MS``. Nothing is due while
        the hand is paused.
        """
        seat, options = self.seats[name], self.opening.options
        if self.is_over or self.paused_ms is not None or name not in self.rules.waiting_for(self.state):
            return None
        if name in self.robots:
            return None if name in self.engine_questions else 0
        if seat.left or (seat.dropped and not all(self.seats[other].dropped for other in self.human_seats)):
            return 0
        limit: float = options.get("turn_limit_seconds", 0)
        to_arrive: float = options.get("gather_seconds", 0)
        is_expected = seat.arrived_ms is None and not seat.server_played
        if seat.since_ms is None or not limit or (is_expected and not to_arrive):
            return None
        since_ms: float = max(seat.since_ms, awake_ms + self.clock_behind_ms)
        since_ms += self.paused_ms_between(since_ms)
        if seat.away:
            return since_ms + min(AWAY_MS, 1000 * limit)
        return since_ms + 1000 * (max(limit, to_arrive) if is_expected else limit)

    def choice_due_ms(
        self, name: str, last_seen_ms: Mapping[str, int], patience_ms: float
    ) -> dict[str, float]:
        """Returns when the seat may choose how to deal with each absent co-player, by the co-players' seats.

        Args:
            name: The seat that may choose.
            last_seen_ms: When the participants of the absent seats were last connected, by the server's
                clock. Seats that the hand does not wait for, or for which the server already plays, are
                ignored.
            patience_ms: How long to wait before the choice, excluding pauses. It counts from the last
                connection, but not from before the hand began or the participant last chose to keep waiting.
        """
        if self.is_over_for(name) or self.paused_ms is not None:
            return {}
        from_ms, due = max(self.seats[name].waits_on_since_ms or 0, self.shown_ms or 0), {}
        for other in set(self.human_seats) & last_seen_ms.keys() - {name}:
            seat = self.seats[other]
            if other in self.rules.waiting_for(self.state) and not seat.away and not seat.dropped:
                since_ms = max(last_seen_ms[other] + self.clock_behind_ms, from_ms)
                due[other] = since_ms + patience_ms + self.paused_ms_between(since_ms)
        return due

    def misses_too_many_limits(self, name: str) -> bool:
        """Whether the hand stops waiting for the seat if it misses one more turn limit."""
        enough, seat = self.opening.options.get("absent_after", 0), self.seats[name]
        return bool(enough) and not seat.left and not seat.away and seat.missed_limits + 1 >= enough


class Step(NamedTuple):
    """An event of a hand, with the hand before and after it."""

    before: Hand
    event: Event
    after: Hand

    @property
    def is_action(self) -> bool:
        """Whether the event is an accepted action of a seat, and not a refused action, a note or the end."""
        return bool(self.event.accepted and self.event.seat)

    @property
    def actor(self) -> str:
        """The actor in a hand of several seats: ``person``, ``absent`` (the server) or the robot's name."""
        seat = self.event.seat
        return self.before.robots.get(seat) or (ABSENT if seat == self.before.absent_seat else PERSON)


class History(NamedTuple):
    """A dealt hand and all its steps, folded only once for all measures and replays."""

    dealt: Hand
    steps: tuple[Step, ...]

    @classmethod
    def replay(cls, rules: Rules, opening: Opening, events: Iterable[Event]) -> History:
        """Folds the events of a hand. Raises what :class:`Hand` and :meth:`Hand.after` raise."""
        hand = dealt_hand = Hand(rules, opening)
        steps = []
        for event in events:
            previous_hand, hand = hand, hand.after(event)
            steps.append(Step(previous_hand, event, hand))
        return cls(dealt_hand, tuple(steps))

    @property
    def hand(self) -> Hand:
        """The hand after all its events."""
        return self.steps[-1].after if self.steps else self.dealt

    @property
    def opening(self) -> Opening:
        """The opening: the deal, the settings, and when the hand was first shown."""
        return self.dealt.opening

    @property
    def events(self) -> tuple[Event, ...]:
        """All rows of the record after the deal, including refused actions and notes."""
        return tuple([step.event for step in self.steps])
