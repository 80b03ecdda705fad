"""Mistakes that a programmer could make in the server, to see that the simulation finds them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from pathlib import Path

from otree.database import db
from otree.models import Participant, Session

from cardlab.admin import end_now
from cardlab.core.transitions import Draft, EngineAnswer
from cardlab.exports import snapshot
from cardlab.live import batch, hand_service, record_store
from cardlab.sessions import rows


def answer_before_commit() -> None:
    """The group commit answers, and commits a moment later."""

    def commit_later(self: batch.Batch, handlers: Sequence[Callable[[], batch.Answer]]) -> list[batch.Answer]:
        answers = [handler() for handler in handlers]
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.records.commit)  # after the answers
        return answers

    batch.Batch.commit_batch = commit_later


def no_rollback() -> None:
    """After an error what was written stays in the transaction."""
    batch.Batch._rollback = lambda self: False


def pay_again() -> None:
    """Pay is added each time, also where it was paid before."""

    def set_payoff(self: record_store.Records, payee: record_store.Payee, points: float) -> None:
        paid, total = self._payoffs(payee)
        amounts = {"paid": str(paid + int(points)), "total": str(total + int(points))}
        row = {"player_id": payee.player_id, "participant_id": payee.participant_id, **amounts}
        self._flush_otree()
        self.write(record_store._SET_PAYOFF.format(table=payee.model.__tablename__), [row])
        self.write(record_store._SET_TOTAL, [row])
        self._expire_otree(payee)

    record_store.Records.set_payoff = set_payoff


def unflushed_commits() -> None:
    """Commits of moves return before they are on disk."""
    connect = record_store._OwnConnection.__call__

    def connect_without_flush(self: record_store._OwnConnection) -> object:
        is_new = self._raw_connection is None
        connection = connect(self)
        if is_new:
            connection.execute("PRAGMA synchronous = normal")
        return connection

    record_store._OwnConnection.__call__ = connect_without_flush


def half_sessions() -> None:
    """A session is committed before it has its participants."""
    add_participants = rows.add_participants

    def add_later(session: Session, number_added: int, lost: Collection[int] = ()) -> list[Participant]:
        db.commit()
        return add_participants(session, number_added, lost)

    rows.add_participants = add_later


def end_before_pay() -> None:
    """Participants are taken to the end in one transaction, and leave their hand, paid, in the next."""

    def move(participant: Participant, target: int) -> None:
        page = participant._get_page_instance()
        participant._index_in_pages = target
        db.commit()
        page.call_user_defined("before_next_page", timeout_happened=True)

    end_now._move = move


def export_without_wal() -> None:
    """An export copies the database's file, without its WAL."""

    def connect_to_copy(file: str, copy: Path) -> sqlite3.Connection:
        shutil.copy(file, copy)
        return sqlite3.connect(copy, check_same_thread=False)

    snapshot.connect_to_copy = connect_to_copy


def places_in_memory() -> None:
    """The next place in the series of treatments is counted in memory, where no rollback takes it back."""
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))
    rows._free_places = lambda session, _lost: numbers[session.code]


def late_engine_answers() -> None:
    """An answer of the engine is played if the hand asks anything, perhaps another question."""
    play = hand_service.play_engine_answer

    def play_any(draft: Draft, answer: EngineAnswer, now_ms: int) -> str:
        question = draft.hand.engine_questions.get(answer.seat, "")
        return play(draft, answer._replace(question=question), now_ms)

    hand_service.play_engine_answer = play_any


MISTAKES = {
    mistake.__name__: mistake
    for mistake in (
        *(answer_before_commit, no_rollback, pay_again, unflushed_commits, half_sessions, end_before_pay),
        *(export_without_wal, places_in_memory, late_engine_answers),
    )
}
