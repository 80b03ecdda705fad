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
from typing import Any

from experiment.message import Message
from experiment.record import Opening, read, write_event, write_opening
from games.contract import Event, IllegalAction, Result

# Pick-ups, refused actions and reconnects are kept too, but a browser gone mad must not fill the disk:
# in a record of so many lines only what changes the hand is written any more; the rest is answered.
LINES_OF_ASIDES = 2000

CACHE_SIZE = 2048


@dataclass(frozen=True, slots=True)
class Hand:
    """A folded record. ``next`` is the number the next accepted action gets; the deal is number 0.

    ``lines`` counts the record's events, ``outcome`` is ``open`` until the end row is written, and
    ``ended_ms`` is that row's server time.
    """

    rules: ModuleType
    opening: Opening
    state: Any
    next: int = 1
    lines: int = 0
    outcome: str = "open"
    ended_ms: int | None = None

    @property
    def over(self) -> bool:
        return self.outcome != "open"

    @property
    def seconds(self) -> float:
        """Seconds from the first showing to the end of the hand; 0 while it is open or was never shown."""
        if self.opening.shown_ms is None or self.ended_ms is None:
            return 0.0
        return max(0, self.ended_ms - self.opening.shown_ms) / 1000

    def result(self, seat: str) -> Result:
        """The score of the seat, with the outcome as the record has it."""
        return self.rules.result(self.state, seat, self.seconds)._replace(outcome=self.outcome)

    @property
    def takes_asides(self) -> bool:
        """Whether rows that change nothing are still written into the record."""
        return self.lines < LINES_OF_ASIDES

    def after(self, event: Event) -> Hand:
        """The hand with one more event of its record."""
        told = replace(self, lines=self.lines + 1)
        if not event.accepted:
            return told
        if not event.seat:  # the server's own row; a browser that says "end solved" has a seat
            return replace(told, next=self.next + 1, outcome=event.action[4:], ended_ms=event.server_ms)
        return replace(told, next=self.next + 1, state=self.rules.apply(self.state, event.seat, event.action))


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
        hand = Hand(rules, opening, rules.start(opening.deal, opening.options))
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


def play(hand: Hand, seat: str, message: Message, now_ms: int) -> tuple[list[Event], str]:
    """What a message adds to the record, and the sentence it is refused with ("" if accepted).

    Traces come first, with their own client times; the action follows; the end row closes a hand
    that the action ended.
    """
    if hand.over:
        return [], _("This hand is over.")
    if message.number != hand.next:
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
    events.append(event)
    if hand.rules.is_over(hand.state):
        events += closing(hand, "", now_ms, message.ms)
    return events, ""


def _refusal(hand: Hand, seat: str, message: Message, now_ms: int, sentence: str) -> list[Event]:
    if not hand.takes_asides:
        return []
    return [Event(message.number, seat, message.action, message.ms, now_ms, False, sentence)]


def answer(hand: Hand, seat: str, hand_number: int, now_ms: int, refused: str = "") -> dict[str, Any]:
    """The message that a browser gets: the seat's own view and nothing else of the hand."""
    result = hand.result(seat) if hand.over else None
    said = {
        "hand": hand_number,
        "next": hand.next,
        "clock": now_ms - (hand.opening.shown_ms or now_ms),
        "view": hand.rules.view(hand.state, seat),
        "over": hand.outcome if hand.over else None,
        "result": {"score": result.score, "parts": result.parts} if result else None,
    }
    if refused:
        said["refused"] = refused
    return said
