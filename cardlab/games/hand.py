"""What a hand is: the one fold of deal and events, for every seat, at every step.

The server, the bots, exports, measures, replays and simulations all call it. It knows neither the clock nor
where a record is kept: times come in with the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple

from cardlab.games.contract import OPEN, Result, Rules
from cardlab.games.events import (
    ABSENT,
    ARRIVE,
    AWAY,
    BACK,
    CLOCK,
    DROP,
    GO_ON,
    KEEP_WAITING,
    PAUSE,
    PERSON,
    STOP,
    Event,
)
from cardlab.games.record import Opening

AWAY_MS = 1000  # how long a seat is waited for whose participant has been away for some turns


class Left(NamedTuple):
    """How a hand ended for a participant who went on before its end, when, and how it stood then."""

    outcome: str
    ms: int
    state: Any


class Place(NamedTuple):
    """Where one seat stands in a hand.

    ``next`` is the number that the next action of the seat must carry. It counts the seat's own actions
    and those by which it came to be waited for or ceased to be, but not the secret choice of another who
    chooses at the same time: so two may choose at once, and nobody learns how often another changes a
    choice.
    ``since_ms`` is the server's time from which the seat is waited for as it is now, None before the hand
    is shown. ``came_ms`` is when its participant came to the table, None if nobody has; ``absent`` says
    whether the server has had to play for the seat, ``missed`` how many limits its participant has let pass
    in a row, ``away`` that it is not waited for until they are back, ``dropped`` that the researcher says so,
    ``left`` that they went on before the end. ``moves`` counts what its participant did that changed the
    hand, ``refused`` what was refused to them, and ``acted_ms`` is the server's time of the last of either.
    ``kept_waiting_ms`` is when they last chose to wait on for an absent co-player, None if never, and
    ``stopped`` says that they chose to stop.
    """

    next: int = 1
    since_ms: int | None = None
    came_ms: int | None = None
    absent: bool = False
    missed: int = 0
    away: bool = False
    dropped: bool = False
    left: Left | None = None
    moves: int = 0
    refused: int = 0
    acted_ms: int | None = None
    kept_waiting_ms: int | None = None
    stopped: bool = False


class Hand:
    """A hand as it stands after some of its events. Never changed: :meth:`after` gives another.

    ``next`` is the number that the next accepted row gets; the deal is number 0. ``lines`` counts the events,
    ``outcome`` is ``open`` until the end row, and ``ended_ms`` is that row's server time. ``shown_ms`` is
    when the hand was first shown to anybody, None if it never was; ``places`` has every seat, in their order.
    ``absent`` is the seat for which the server plays next, "" if none.
    ``latest_ms`` is the latest server time among the events, 0 if there is none; ``set_back`` says that the
    clock was set back and has not come to it again. ``paused_ms`` is since when the researcher has the hand
    stand still, None while it goes on; ``rests`` are the times before in which it stood still, from and to.
    """

    __slots__ = (
        *("rules", "opening", "state", "places", "shown_ms", "next", "lines"),
        *("outcome", "ended_ms", "absent", "latest_ms", "set_back", "paused_ms", "rests", "_questions"),
    )

    def __init__(self, rules: Rules, opening: Opening) -> None:
        """The hand before its first event. Where one plays alone, that one is there when it is shown.

        ValueError says in a sentence if there is no such deal with these settings.
        """
        self.rules, self.opening = rules, opening
        self.state: Any = rules.start(opening.deal, opening.options)
        seats = rules.seats(self.state)
        place = Place(since_ms=opening.shown_ms, came_ms=opening.shown_ms if len(seats) == 1 else None)
        self.places: dict[str, Place] = dict.fromkeys(seats, place)
        self.shown_ms: int | None = opening.shown_ms
        self.next, self.lines = 1, 0
        self.outcome = OPEN
        self.ended_ms: int | None = None
        self.absent = ""
        self.latest_ms, self.set_back = opening.shown_ms or 0, False
        self.paused_ms: int | None = None
        self.rests: tuple[tuple[int, int], ...] = ()
        self._questions: dict[str, str] | None = None  # once they are asked for

    # What happened.

    def after(self, event: Event) -> Hand:
        """The hand with one more event. Raises IllegalAction if it is an action that the rules refuse."""
        hand = self._copy()
        hand._take(event)
        return hand

    def after_all(self, events: Iterable[Event]) -> Hand:
        """The hand with more events, in their order."""
        hand = self._copy()
        for event in events:
            hand._take(event)
        return hand

    def _copy(self) -> Hand:
        # Not by a loop over the names, which takes five times as long: whole tables are played again so.
        hand = object.__new__(Hand)
        hand.rules, hand.opening, hand.state, hand.places = self.rules, self.opening, self.state, self.places
        hand.shown_ms, hand.next, hand.lines = self.shown_ms, self.next, self.lines
        hand.outcome, hand.ended_ms, hand.absent = self.outcome, self.ended_ms, self.absent
        hand.latest_ms, hand.set_back = self.latest_ms, self.set_back
        hand.paused_ms, hand.rests, hand._questions = self.paused_ms, self.rests, self._questions
        return hand

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and all(
            getattr(self, name) == getattr(other, name) for name in Hand.__slots__ if name != "_questions"
        )

    __hash__ = None  # type: ignore[assignment]  # its places and its state may not be hashable

    def _take(self, event: Event) -> None:
        self.lines += 1
        self._questions = None
        if event.server_ms > self.latest_ms:
            self.latest_ms, self.set_back = event.server_ms, False
        if event.accepted is None:
            self._note(event)
        elif event.accepted:
            outcome = event.ends
            if outcome is None:
                state = self.rules.apply(self.state, event.seat, event.action)
                if event.seat == self.absent:
                    state = self.rules.by_server(state, event.seat)
                self.absent = ""
                self._move_on(state, event)
                self.state = state
            else:
                self._go_on(event.server_ms)
                self.outcome, self.ended_ms = outcome, event.server_ms
                self.places = {
                    seat: place._replace(next=place.next + 1) for seat, place in self.places.items()
                }
            self.next += 1
        elif place := self.places.get(event.seat):
            place = place._replace(refused=place.refused + 1, acted_ms=event.server_ms)
            self.places = {**self.places, event.seat: place}

    def _note(self, event: Event) -> None:
        name, ms = event.action, event.server_ms
        if name.startswith(CLOCK):
            self.set_back = name.startswith(f"{CLOCK}-")
            return
        if name == PAUSE:
            self.paused_ms = ms if self.paused_ms is None else self.paused_ms
            return
        if name == GO_ON:
            self._go_on(ms)
            return
        place = self.places[event.seat]
        if name == ARRIVE:
            # Somebody may have been moved on before anybody saw the hand; then it is first shown now.
            self.shown_ms = ms if self.shown_ms is None else self.shown_ms
            place = place._replace(came_ms=ms, since_ms=max(place.since_ms or 0, ms))
        elif name == ABSENT:
            self.absent = event.seat
            place = place._replace(absent=True, missed=place.missed + 1)
        elif name == AWAY:
            place = place._replace(away=True)
        elif name == BACK:
            place = place._replace(away=False, dropped=False, missed=0, since_ms=ms)
        elif name == DROP:
            place = place._replace(dropped=True)
        elif name == KEEP_WAITING:
            place = place._replace(kept_waiting_ms=ms)
        elif name == STOP:
            place = place._replace(stopped=True)
        elif (outcome := event.leaves) is not None:
            place = place._replace(left=Left(outcome, ms, self.state))
        else:
            return
        self.places = {**self.places, event.seat: place}

    def _go_on(self, ms: int) -> None:
        if self.paused_ms is not None:
            self.rests, self.paused_ms = (*self.rests, (self.paused_ms, ms)), None

    def _move_on(self, state: Any, event: Event) -> None:
        """The places after an action that leads to ``state``."""
        if len(self.places) == 1:
            (place,) = self.places.values()
            # Not `_replace`, which takes three times as long.
            moves, ms = place.moves + (state is not self.state), event.server_ms
            seen = place.came_ms, place.absent, 0, place.away, place.dropped, place.left
            place = Place(place.next + 1, ms, *seen, moves, place.refused, ms)
            self.places = {event.seat: place}
            return
        before, now = self.rules.waiting_for(self.state), self.rules.waiting_for(state)
        places = self.places
        self.places = {
            seat: place._replace(next=place.next + 1, since_ms=event.server_ms)
            if seat == event.seat or (seat in before) != (seat in now)
            else place
            for seat, place in places.items()
        }
        if self._waits_on(event.seat, state):  # its limit runs on: what it did is nothing to be waited for
            since_ms = places[event.seat].since_ms
            self.places[event.seat] = self.places[event.seat]._replace(since_ms=since_ms)
        if event.client_ms is not None:  # the participant's own action
            place = self.places[event.seat]._replace(missed=0)
            self.places[event.seat] = self._acted(place, state, event)

    def _acted(self, place: Place, state: Any, event: Event) -> Place:
        """The place of a participant who has acted; a pick-up leaves the state as it is."""
        moves = place.moves + (state is not self.state)
        return place._replace(moves=moves, acted_ms=event.server_ms)

    def _waits_on(self, seat: str, state: Any) -> bool:
        """Whether ``state`` waits for the seat to do the very same as before."""
        rules = self.rules
        return (
            seat in rules.waiting_for(self.state)
            and seat in rules.waiting_for(state)
            and rules.legal_actions(self.state, seat) == rules.legal_actions(state, seat)
        )

    # How it stands.

    @property
    def over(self) -> bool:
        """Whether there is an end row: the hand is over for everybody."""
        return self.outcome != OPEN

    def over_for(self, seat: str) -> bool:
        """Whether the hand is over, or was left by the participant in this seat."""
        return self.over or self.places[seat].left is not None

    def outcome_for(self, seat: str) -> str:
        """The outcome for the seat: one may have won where another has lost. The end row has that of the
        first seat, if the rules ended the hand."""
        left = self.places[seat].left
        if left:
            return left.outcome
        if self.over and seat != next(iter(self.places)) and self.rules.is_over(self.state):
            return self.rules.result(self.state, seat, 0).outcome
        return self.outcome

    def ended_for(self, seat: str) -> int | None:
        """When the hand was over for the seat, Unix milliseconds; None if it is not."""
        left = self.places[seat].left
        return left.ms if left else self.ended_ms

    def seconds(self, seat: str) -> float:
        """Seconds from the first showing to the end for the seat, without those in which the hand was paused;
        0 while it is open or was never shown."""
        ended_ms = self.ended_for(seat)
        if self.shown_ms is None or ended_ms is None:
            return 0.0
        return self.played_ms(self.shown_ms, ended_ms) / 1000

    def played_ms(self, since_ms: int, until_ms: int) -> int:
        """Milliseconds between two times, without those in which the hand was paused."""
        return max(0, until_ms - since_ms - round(self.rested_ms(since_ms, until_ms)))

    def rested_ms(self, since_ms: float, until_ms: float = inf) -> float:
        """How long the hand was paused between two times, in milliseconds; of a pause that goes on, what lies
        before ``until_ms``."""
        now = () if self.paused_ms is None else ((self.paused_ms, until_ms),)
        rests: tuple[tuple[float, float], ...] = (*self.rests, *now)
        return sum(max(0.0, min(end, until_ms) - max(begin, since_ms)) for begin, end in rests)

    def state_for(self, seat: str) -> Any:
        """How the hand stands, or stood when the participant of the seat left it."""
        left = self.places[seat].left
        return left.state if left else self.state

    def result(self, seat: str) -> Result:
        """The score of the seat, with the outcome as the record has it."""
        result = self.rules.result(self.state_for(seat), seat, self.seconds(seat))
        return result._replace(outcome=self.outcome_for(seat))

    @property
    def robots(self) -> dict[str, str]:
        """The seats that robots play, with the robots' names."""
        robots: dict[str, str] = self.opening.options.get("robots") or {}
        return robots

    @property
    def people(self) -> tuple[str, ...]:
        """The seats of the participants who have not left."""
        return tuple(
            seat for seat, place in self.places.items() if seat not in self.robots and place.left is None
        )

    def away(self) -> list[str]:
        """The seats of participants who are not at the table."""
        return [
            seat
            for seat, place in self.places.items()
            if seat not in self.robots
            and (place.left or place.away or place.dropped or place.came_ms is None)
        ]

    # Who is played for.

    @property
    def questions(self) -> dict[str, str]:
        """What the game's engine is asked for now, by the robots' seats that wait for its answer."""
        if self._questions is None:
            still = self.over or self.paused_ms is not None or not self.robots
            self._questions = {} if still else dict(self._asked())
        return self._questions

    def _asked(self) -> Iterator[tuple[str, str]]:
        rules, seed = self.rules, self.opening.options["seed"]
        for seat in rules.waiting_for(self.state):
            if seat in self.robots:
                question = rules.engine_question(self.state, seat, self.robots[seat], seed)
                if question is not None:
                    yield seat, question

    def due_ms(self, seat: str, awake_ms: int = 0) -> float | None:
        """When the server plays for a seat that is waited for (Unix milliseconds); None if never.

        A robot and one who has left are played for at once, but not a robot for which an engine is asked
        (:attr:`questions`); one who stays away when the turn's limit is up (ruling 14), which never counts
        before ``awake_ms``, when the server was started: nobody could play while it stood still. Who has not
        come to the table yet is given the time to come, once; who has been away for some turns is no longer
        waited for, until they are back, nor who has dropped out, as long as anybody else is to play. Nothing
        is due while the hand stands still, and no limit counts that time.
        """
        place, options = self.places[seat], self.opening.options
        if self.over or self.paused_ms is not None or seat not in self.rules.waiting_for(self.state):
            return None
        if seat in self.robots:
            return None if seat in self.questions else 0
        if place.left or (place.dropped and not all(self.places[other].dropped for other in self.people)):
            return 0
        limit: float = options.get("turn_limit_seconds", 0)
        to_come: float = options.get("gather_seconds", 0)
        expected = place.came_ms is None and not place.absent
        if place.since_ms is None or not limit or (expected and not to_come):
            return None
        since_ms: float = max(place.since_ms, awake_ms)
        since_ms += self.rested_ms(since_ms)
        if place.away:
            return since_ms + min(AWAY_MS, 1000 * limit)
        return since_ms + 1000 * (max(limit, to_come) if expected else limit)

    def choice_ms(self, seat: str, last_seen_ms: Mapping[str, int], patience_ms: float) -> dict[str, float]:
        """When the seat may choose what happens about each absent co-player, in Unix milliseconds.

        ``last_seen_ms`` says when the participants of the absent seats were last connected. Only those count
        whom the hand waits for and for whom the server does not play already. The choice is due after
        ``patience_ms``, counted from the beginning of the hand at the earliest and without the time in which
        it was paused, and again so long after the participant of the seat chose to wait on.
        """
        if self.over_for(seat) or self.paused_ms is not None:
            return {}
        asked_ms, due = max(self.places[seat].kept_waiting_ms or 0, self.shown_ms or 0), {}
        for other in set(self.people) & last_seen_ms.keys() - {seat}:
            place = self.places[other]
            if other in self.rules.waiting_for(self.state) and not place.away and not place.dropped:
                since_ms = max(last_seen_ms[other], asked_ms)
                due[other] = since_ms + patience_ms + self.rested_ms(since_ms)
        return due

    def missed_too_often(self, seat: str) -> bool:
        """Whether one more limit that the seat misses is enough not to wait for it any more."""
        enough, place = self.opening.options.get("absent_after", 0), self.places[seat]
        return bool(enough) and not place.left and not place.away and place.missed + 1 >= enough


class Step(NamedTuple):
    """An event of a hand, with the hand before and after it."""

    before: Hand
    event: Event
    after: Hand

    @property
    def is_action(self) -> bool:
        """Whether somebody's action was taken: not refused, no note, not the end."""
        return bool(self.event.accepted and self.event.seat)

    @property
    def by(self) -> str:
        """Who acted in a hand that several share: ``person``, ``absent`` (the server, for a participant who
        stayed away or had left), or the robot's name."""
        seat = self.event.seat
        return self.before.robots.get(seat) or (ABSENT if seat == self.before.absent else PERSON)


class Course(NamedTuple):
    """A hand as it was dealt, and all its steps: what is told of it afterwards is read off here, so nothing
    is played twice."""

    dealt: Hand
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, rules: Rules, opening: Opening, events: Iterable[Event]) -> Course:
        """The course of a hand with these events. Raises what :class:`Hand` and its ``after`` raise."""
        hand = dealt = Hand(rules, opening)
        steps = []
        for event in events:
            before, hand = hand, hand.after(event)
            steps.append(Step(before, event, hand))
        return cls(dealt, tuple(steps))

    @property
    def hand(self) -> Hand:
        """The hand as it stands."""
        return self.steps[-1].after if self.steps else self.dealt

    @property
    def opening(self) -> Opening:
        """How the hand begins: deal, settings, when it was shown."""
        return self.dealt.opening

    @property
    def events(self) -> tuple[Event, ...]:
        """All rows of the record after the deal, refused actions and notes too."""
        return tuple([step.event for step in self.steps])
