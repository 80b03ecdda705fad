"""Builds records for tests: the events that the server would write next, and records with events appended."""

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
from cardlab.games.contract import Reply, Rules
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, write_event, write_opening

Record = tuple[str, ...]  # lines


def opening_record(opening: Opening, now_ms: int | None) -> Record:
    """Returns the record of a hand shown for the first time (``now_ms`` None: closed before it was shown)."""
    return (write_opening(replace(opening, shown_ms=now_ms)),)


_digests: OrderedDict[Record, str] = OrderedDict()  # of recent records, so that their chains are not rebuilt


def _digest(record: Record) -> str:
    """Returns the digest of all lines of a record; its opening serves as the id of the hand."""
    if record not in _digests:
        before = _digests.get(record[:-1]) if len(record) > 1 else ""
        lines = record[-1:] if before is not None else record
        _digests[record] = chain(record[0], before or "", lines)[-1].digest
        while len(_digests) > 100:
            _digests.popitem(last=False)
    return _digests[record]


def fold(rules: Rules, record: Record) -> Hand:
    """Returns the hand of a record."""
    kept = hand_cache.cached_hand(record[0], _digest(record))
    return kept or hand_cache.fold(rules, record[0], chain(record[0], "", record))


def append_events(rules: Rules, record: Record, events: Iterable[Event]) -> Record:
    """Returns the record with these events appended. Raises IllegalAction."""
    draft = Draft(fold(rules, record))
    for event in events:
        draft.add(event)
    for event in draft.events:
        record = (*record, write_event(event))
        digest = _digest(record)
    if draft.events:
        hand_cache.cache_hand(record[0], digest, draft.hand)
    return record


def action_events(hand: Hand, seat: str, message: Message, now_ms: int) -> tuple[list[Event], str]:
    """Returns the events that a message adds, and the reason if it is refused ("" otherwise)."""
    draft = Draft(hand)
    refused = server.play(draft, seat, message, now_ms)
    return draft.events, refused


def closing_events(hand: Hand, outcome: str, now_ms: int, client_ms: int | None = None) -> list[Event]:
    """Returns the end row; empty if the hand already has one."""
    draft = Draft(hand)
    server.end_hand(draft, outcome, now_ms, client_ms)
    return draft.events


def leaving_events(hand: Hand, seat: str, outcome: str, now_ms: int) -> list[Event]:
    """Returns the events added when a seat's participant goes on to the next page."""
    draft = Draft(hand)
    server.leave(draft, seat, outcome, now_ms)
    return draft.events


def robot_action_of(hand: Hand, seat: str, _question: str) -> Reply:
    """Returns the action of a robot that does not search."""
    return Reply(hand.rules.robot_action(hand.state, seat, hand.robots[seat], hand.opening.options["seed"]))


def engine_action_of(hand: Hand, _seat: str, question: str) -> Reply:
    """Returns the answer of the game's engine."""
    return answer(engine_of(hand.rules), question)


def due_events(
    hand: Hand, now_ms: int, awake_ms: int = 0, here: Collection[str] = (), answer_engine=robot_action_of
) -> list[Event]:
    """Returns the events that the server adds by this time."""
    draft = Draft(hand)
    play_due(draft, now_ms, awake_ms, here, answer_engine)
    return draft.events


def play_due(
    draft: Draft, now_ms: int, awake_ms: int = 0, here: Collection[str] = (), answer_engine=robot_action_of
) -> None:
    """Adds what the server plays by this time; ``answer_engine`` answers engine questions at once."""
    server.play_due(draft, now_ms, awake_ms, here)
    while draft.hand.engine_questions:
        hand = draft.hand
        ((seat, question), *_others) = hand.engine_questions.items()
        found = server.EngineAnswer(seat, question, *answer_engine(hand, seat, question))
        assert not server.play_engine_answer(draft, found, now_ms)
        server.play_due(draft, now_ms, awake_ms, here)
