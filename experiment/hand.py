"""A hand as the server sees it: the fold of its record, and the next line to be written.

Pure but for a small cache of folded records. Nothing here knows of oTree, sockets or the clock:
times come in as arguments, lines to append go out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _
from types import ModuleType
from typing import Any, NamedTuple

from experiment.message import Message
from experiment.record import Opening, read, write_event, write_opening
from games.contract import Event, IllegalAction, Result

# Pick-ups, refused actions and reconnects are kept too, but a browser gone mad must not fill the disk:
# in a record of so many lines only what changes the hand is written any more; the rest is answered.
LINES_OF_ASIDES = 2000

CACHE_SIZE = 2048

# Notes of hands that others play too: a participant's first look; that the next row is played for one.
ARRIVE, ABSENT = "arrive", "absent"


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
    whether the server has had to play for the seat, ``left`` that its participant went on before the end.
    """

    next: int = 1
    since_ms: int | None = None
    came_ms: int | None = None
    absent: bool = False
    left: Left | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """A folded record. ``next`` is the number the next accepted row gets; the deal is number 0.

    ``lines`` counts the record's events, ``outcome`` is ``open`` until the end row is written, and
    ``ended_ms`` is that row's server time. ``shown_ms`` is when the hand was first shown to anybody, None if
    it never was; ``places`` has every seat, in their order.
    """

    rules: ModuleType
    opening: Opening
    state: Any
    places: dict[str, Place]
    shown_ms: int | None
    next: int = 1
    lines: int = 0
    outcome: str = "open"
    ended_ms: int | None = None

    @classmethod
    def dealt(cls, rules: ModuleType, opening: Opening) -> Hand:
        """The hand before its first row. Where one plays alone, that one is there when it is shown."""
        state = rules.start(opening.deal, opening.options)
        seats = rules.seats(state)
        place = Place(since_ms=opening.shown_ms, came_ms=opening.shown_ms if len(seats) == 1 else None)
        return cls(rules, opening, state, dict.fromkeys(seats, place), opening.shown_ms)

    @property
    def over(self) -> bool:
        return self.outcome != "open"

    def over_for(self, seat: str) -> bool:
        """Whether the hand is over, or was left by the participant in this seat."""
        return self.over or self.places[seat].left is not None

    def ended_for(self, seat: str) -> int | None:
        """When the hand was over for the seat, Unix milliseconds; None if it is not."""
        left = self.places[seat].left
        return left.ms if left else self.ended_ms

    def seconds(self, seat: str) -> float:
        """Seconds from the first showing to the end for the seat; 0 while it is open or was never shown."""
        ended_ms = self.ended_for(seat)
        if self.shown_ms is None or ended_ms is None:
            return 0.0
        return max(0, ended_ms - self.shown_ms) / 1000

    def state_for(self, seat: str) -> Any:
        """How the hand stands, or stood when the participant of the seat left it."""
        left = self.places[seat].left
        return left.state if left else self.state

    def result(self, seat: str) -> Result:
        """The score of the seat, with the outcome as the record has it."""
        left = self.places[seat].left
        result = self.rules.result(self.state_for(seat), seat, self.seconds(seat))
        return result._replace(outcome=left.outcome if left else self.outcome)

    @property
    def takes_asides(self) -> bool:
        """Whether rows that change nothing are still written into the record."""
        return self.lines < LINES_OF_ASIDES

    @property
    def robots(self) -> dict[str, str]:
        """The seats that robots play, with the robots' names."""
        return self.opening.options.get("robots", {})

    @property
    def people(self) -> tuple[str, ...]:
        """The seats of the participants who have not left."""
        return tuple(
            seat for seat, place in self.places.items() if seat not in self.robots and place.left is None
        )

    def after(self, event: Event) -> Hand:
        """The hand with one more event of its record."""
        told = replace(self, lines=self.lines + 1)
        if event.accepted is None:
            return told._noted(event)
        if not event.accepted:
            return told
        if not event.seat:  # the server's own row; a browser that says "end solved" has a seat
            places = {seat: place._replace(next=place.next + 1) for seat, place in self.places.items()}
            return replace(
                told, places=places, next=self.next + 1, outcome=event.action[4:], ended_ms=event.server_ms
            )
        state = self.rules.apply(self.state, event.seat, event.action)
        return replace(told, places=self._moved_on(state, event), next=self.next + 1, state=state)

    def _noted(self, event: Event) -> Hand:
        place, shown_ms = self.places[event.seat], self.shown_ms
        if event.action == ARRIVE:
            # Somebody may have been moved on before anybody saw the hand; then it is first shown now.
            shown_ms = event.server_ms if shown_ms is None else shown_ms
            since = max(place.since_ms or 0, event.server_ms)
            place = place._replace(came_ms=event.server_ms, since_ms=since)
        elif event.action == ABSENT:
            place = place._replace(absent=True)
        elif event.action.startswith("leave "):
            place = place._replace(left=Left(event.action[6:], event.server_ms, self.state))
        return replace(self, places={**self.places, event.seat: place}, shown_ms=shown_ms)

    def _moved_on(self, state: Any, event: Event) -> dict[str, Place]:
        """The places after an action that led to ``state``."""
        before, now = self.rules.waiting_for(self.state), self.rules.waiting_for(state)
        return {
            seat: place._replace(next=place.next + 1, since_ms=event.server_ms)
            if seat == event.seat or (seat in before) != (seat in now)
            else place
            for seat, place in self.places.items()
        }

    def due_ms(self, seat: str, awake_ms: int = 0) -> float | None:
        """When the server plays for a seat that is waited for (Unix milliseconds); None if never.

        A robot and one who has left are played for at once, one who stays away when the turn's limit is
        up (ruling 14), which never counts before ``awake_ms``, when the server was started: nobody could
        play while it stood still. Who has not come to the table yet is given the time to come, once.
        """
        place, options = self.places[seat], self.opening.options
        if self.over or seat not in self.rules.waiting_for(self.state):
            return None
        if seat in self.robots or place.left:
            return 0
        limit, to_come = options.get("turn_limit_seconds", 0), options.get("gather_seconds", 0)
        expected = place.came_ms is None and not place.absent
        if place.since_ms is None or not limit or (expected and not to_come):
            return None
        since_ms = max(place.since_ms, awake_ms)
        return since_ms + 1000 * (max(limit, to_come) if expected else limit)


_folded: OrderedDict[tuple[str, str], Hand] = OrderedDict()


def _remember(rules: ModuleType, record: str, hand: Hand) -> None:
    _folded[rules.__name__, record] = hand
    while len(_folded) > CACHE_SIZE:
        _folded.popitem(last=False)


def fold(rules: ModuleType, record: str) -> Hand:
    """The hand that a record tells. Keyed by the whole text: a rollback can leave two of one length."""
    hand = _folded.get((rules.__name__, record))
    if hand is None:
        opening, events = read(record)
        hand = Hand.dealt(rules, opening)
        for event in events:
            hand = hand.after(event)
        _remember(rules, record, hand)
    return hand


def opened(opening: Opening, now_ms: int | None) -> str:
    """The record of a hand shown for the first time (``now_ms`` None: closed before it was shown)."""
    return write_opening(replace(opening, shown_ms=now_ms))


def extended(rules: ModuleType, record: str, events: Sequence[Event]) -> str:
    """The record with these events; its fold is remembered, so the 300th action costs what the 3rd does."""
    hand = fold(rules, record)
    for event in events:
        hand = hand.after(event)
    _folded.pop((rules.__name__, record), None)
    record += "".join(map(write_event, events))
    _remember(rules, record, hand)
    return record


def closing(hand: Hand, outcome: str, now_ms: int, client_ms: int | None = None) -> list[Event]:
    """The end row, or nothing if the hand has one. What the rules say of an ended hand stands."""
    if hand.over:
        return []
    if hand.rules.is_over(hand.state):
        outcome = hand.rules.result(hand.state, hand.rules.seats(hand.state)[0], 0).outcome
    return [Event(hand.next, "", f"end {outcome}", client_ms, now_ms)]


def leaving(hand: Hand, seat: str, outcome: str, now_ms: int) -> list[Event]:
    """What is written when the participant of a seat goes on to the next page.

    Nothing if the hand is over. Who is alone closes it, and so does a time limit, which is the hand's.
    Otherwise the others play on, against cards that the server plays for the seat.
    """
    if hand.over_for(seat):
        return []
    if outcome == "timeout" or hand.people == (seat,):
        return closing(hand, outcome, now_ms)
    return [Event(None, seat, f"leave {outcome}", None, now_ms, None)]


def unattended(hand: Hand, now_ms: int, awake_ms: int = 0) -> list[Event]:
    """What the server plays now: what the rules force, for robots, and for those who left or stay away.

    ``awake_ms`` as in :meth:`Hand.due_ms`.
    """
    events: list[Event] = []
    while played := _forced(hand, now_ms) or _due(hand, now_ms, awake_ms):
        for event in played:
            hand = hand.after(event)
            events.append(event)
    return events


def _forced(hand: Hand, now_ms: int) -> list[Event]:
    """What nobody decides, in games that have such actions."""
    forced = getattr(hand.rules, "forced_action", None)
    if not forced or hand.over or not (action := forced(hand.state)):
        return []
    (seat,) = hand.rules.waiting_for(hand.state)
    event = Event(hand.next, seat, action, None, now_ms)
    return _with_end([event], hand.after(event))


def _due(hand: Hand, now_ms: int, awake_ms: int) -> list[Event]:
    """The action of a seat that the server plays for by now."""
    due = [seat for seat in hand.places if (ms := hand.due_ms(seat, awake_ms)) is not None and ms <= now_ms]
    return _played_for(hand, due[0], now_ms) if due else []


def _played_for(hand: Hand, seat: str, now_ms: int) -> list[Event]:
    rules, seed = hand.rules, hand.opening.options["seed"]
    if seat in hand.robots:
        events = []
        action = rules.robot_action(hand.state, seat, hand.robots[seat], seed)
    else:
        events = [Event(None, seat, ABSENT, None, now_ms, None)]
        action = rules.absent_action(hand.state, seat, seed)
    event = Event(hand.next, seat, action, None, now_ms)
    return _with_end([*events, event], hand.after(event))


def _with_end(events: list[Event], after: Hand) -> list[Event]:
    """The events, and the end row if the hand ``after`` them is over by the rules."""
    if not after.rules.is_over(after.state):
        return events
    return events + closing(after, "", events[-1].server_ms, events[-1].client_ms)


def play(hand: Hand, seat: str, message: Message, now_ms: int) -> tuple[list[Event], str]:
    """What a message adds to the record, and the sentence it is refused with ("" if accepted).

    Traces come first, with their own client times; the action follows; the end row closes a hand
    that the action ended.
    """
    if hand.over_for(seat):
        return [], _("This hand is over.")
    if message.number != hand.places[seat].next:
        sentence = _("The board had changed. It is shown now as it stands.")
        return _refusal(hand, seat, message, now_ms, sentence), sentence
    events: list[Event] = []
    for action, ms in message.traces if hand.takes_asides else ():
        event = Event(hand.next, seat, action, ms, now_ms)
        try:
            traced = hand.after(event)
        except IllegalAction:
            continue  # a trace is only worth leaving out
        if traced.state == hand.state:  # a move that poses as a trace is none
            hand = traced
            events.append(event)
    event = Event(hand.next, seat, message.action, message.ms, now_ms)
    before = hand
    try:
        hand = hand.after(event)
        if hand.state == before.state and not before.takes_asides:
            raise IllegalAction(_("Too many pick-ups in this hand."))
    except IllegalAction as refused:
        return events + _refusal(hand, seat, message, now_ms, str(refused)), str(refused)
    return _with_end([*events, event], hand), ""


def _refusal(hand: Hand, seat: str, message: Message, now_ms: int, sentence: str) -> list[Event]:
    if not hand.takes_asides:
        return []
    return [Event(message.number, seat, message.action, message.ms, now_ms, False, sentence)]


def answer(
    hand: Hand, seat: str, hand_number: int, now_ms: int, refused: str = "", awake_ms: int = 0
) -> dict[str, Any]:
    """The message that a browser gets: the seat's own view and nothing else of the hand.

    Where others play too, ``wait`` says which participants are not at the table (``away``) and in how many
    milliseconds the server plays for a seat that is waited for, the seat itself first (``ms``).
    ``awake_ms`` as in :meth:`Hand.due_ms`.
    """
    result = hand.result(seat) if hand.over_for(seat) else None
    said = {
        "hand": hand_number,
        "next": hand.places[seat].next,
        "clock": now_ms - (hand.shown_ms or now_ms),
        "view": hand.rules.view(hand.state, seat),
        "over": result.outcome if result else None,
        "result": {"score": result.score, "parts": result.parts} if result else None,
    }
    if len(hand.places) > 1:
        said["wait"] = _wait(hand, seat, now_ms, awake_ms)
    if refused:
        said["refused"] = refused
    return said


def _wait(hand: Hand, seat: str, now_ms: int, awake_ms: int) -> dict[str, Any]:
    due = {other: ms for other in hand.places if (ms := hand.due_ms(other, awake_ms)) is not None}
    soonest = due.get(seat, min(due.values(), default=None))
    return {
        "ms": None if soonest is None else max(0, round(soonest - now_ms)),
        "away": [
            other
            for other, place in hand.places.items()
            if other not in hand.robots and (place.left or place.came_ms is None)
        ],
    }
