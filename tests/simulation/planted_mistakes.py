"""Mistakes that a programmer could make in the server, to see that the simulation finds them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cardlab.live import batch, record_store


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


MISTAKES = {
    mistake.__name__: mistake for mistake in (answer_before_commit, no_rollback, pay_again, unflushed_commits)
}
