"""What the server writes next into a record, as lists of events, and records made longer by hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import replace

from cardlab.core import hand_cache
from cardlab.core import transitions as server
from cardlab.core.engine_pool import answer, engine_of
from cardlab.core.protocol import Message
from cardlab.core.record_chain import chain
from cardlab.core.transitions import Draft
from cardlab.games.contract import Rules
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, write_event, write_opening

Record = tuple[str, ...]  # the lines


def opened(opening: Opening, now_ms: int | None) -> Record:
    """The record of a hand shown for the first time (``now_ms`` None: closed before it was shown)."""
    return (write_opening(replace(opening, shown_ms=now_ms)),)


_digests: OrderedDict[Record, str] = OrderedDict()  # of the last records, whose chain is not made anew


def _digest(record: Record) -> str:
    """The digest of all lines of a record; its opening is the hand's name."""
    if record not in _digests:
        before = _digests.get(record[:-1]) if len(record) > 1 else ""
        lines = record[-1:] if before is not None else record
        _digests[record] = chain(record[0], before or "", lines)[-1].digest
        while len(_digests) > 100:
            _digests.popitem(last=False)
    return _digests[record]


def fold(rules: Rules, record: Record) -> Hand:
    """The hand that a record tells."""
    kept = hand_cache.cached_hand(record[0], _digest(record))
    return kept or hand_cache.fold(rules, record[0], chain(record[0], "", record))


def extended(rules: Rules, record: Record, events: Iterable[Event]) -> Record:
    """The record with these events. Raises IllegalAction."""
    draft = Draft(fold(rules, record))
    for event in events:
        draft.add(event)
    for event in draft.events:
        record = (*record, write_event(event))
        digest = _digest(record)
    if draft.events:
        hand_cache.cache_hand(record[0], digest, draft.hand)
    return record


def play(hand: Hand, seat: str, message: Message, now_ms: int) -> tuple[list[Event], str]:
    """What a message adds, and the sentence it is refused with."""
    draft = Draft(hand)
    refused = server.play(draft, seat, message, now_ms)
    return draft.events, refused


def closing(hand: Hand, outcome: str, now_ms: int, client_ms: int | None = None) -> list[Event]:
    """The end row, if there is none."""
    draft = Draft(hand)
    server.close(draft, outcome, now_ms, client_ms)
    return draft.events


def leaving(hand: Hand, seat: str, outcome: str, now_ms: int) -> list[Event]:
    """What is added when the participant of a seat goes on to the next page."""
    draft = Draft(hand)
    server.leave(draft, seat, outcome, now_ms)
    return draft.events


def quickly(hand: Hand, seat: str, _question: str) -> str:
    """What a robot does that is not let search."""
    return hand.rules.robot_action(hand.state, seat, hand.robots[seat], hand.opening.options["seed"])


def searched(hand: Hand, _seat: str, question: str) -> str:
    """What the engine of the game answers."""
    return answer(engine_of(hand.rules), question)


def unattended(
    hand: Hand, now_ms: int, awake_ms: int = 0, here: Collection[str] = (), answered=quickly
) -> list[Event]:
    """What the server plays by now."""
    draft = Draft(hand)
    attend(draft, now_ms, awake_ms, here, answered)
    return draft.events


def attend(
    draft: Draft, now_ms: int, awake_ms: int = 0, here: Collection[str] = (), answered=quickly
) -> None:
    """Add what the server plays by now; what an engine is asked is ``answered`` at once."""
    server.play_due(draft, now_ms, awake_ms, here)
    while draft.hand.engine_questions:
        hand = draft.hand
        ((seat, question), *_others) = hand.engine_questions.items()
        action = answered(hand, seat, question)
        assert not server.play_engine_answer(draft, server.EngineAnswer(seat, question, action), now_ms)
        server.play_due(draft, now_ms, awake_ms, here)
