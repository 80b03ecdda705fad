"""Handles several requests in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.core.hand_cache import UnreadableRecord
from cardlab.games.hand import Hand

if TYPE_CHECKING:
    from cardlab.live.record_store import Records

logger = logging.getLogger("cardlab.hand")


class Answer(NamedTuple):
    """The message to the seat, and the hand if it may have changed, so that others must be notified."""

    message: dict[str, Any]
    hand: Hand | None = None


class Batch:
    """Commits what handlers write over the connection of ``records``, then runs callbacks."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self._after_commit: list[Callable[[], None]] = []

    def commit_batch(self, handlers: Sequence[Callable[[], Answer]]) -> list[Answer | Exception]:
        """Handles several requests in one transaction; everything is on disk when this returns.

        If the transaction fails, each request is retried with its own commit, so that one faulty request
        does not affect others. A single request is retried only if the database connection was replaced.
        Returns an answer for each request, or the exception if nothing could be written for it.
        """
        try:
            answers = [_answer_or_damage(handler) for handler in handlers]
            self.records.commit()
        except Exception as error:  # noqa: BLE001 retrying each alone shows which request failed
            was_reconnected = self._rollback()
            if len(handlers) == 1 and not was_reconnected:
                return [error]
            return [self._commit_alone(handler) for handler in handlers]
        self._run_after_commit()
        return answers

    def _commit_alone(self, handler: Callable[[], Answer]) -> Answer | Exception:
        try:
            answer = _answer_or_damage(handler)
            self.records.commit()
        except Exception as error:  # noqa: BLE001 the caller tells the participant
            self._rollback()
            return error
        self._run_after_commit()
        return answer

    def _rollback(self) -> bool:
        """Rolls back; returns whether the connection was lost and replaced."""
        self._after_commit = []
        return self.records.rollback()

    def _run_after_commit(self) -> None:
        """Runs the callbacks; what they write is committed separately, so a failure loses no move."""
        callbacks, self._after_commit = self._after_commit, []
        for callback in callbacks:
            try:
                callback()
            except Exception:
                logger.exception("A log or notification that follows a move could not be written.")
        if callbacks:
            self._commit_or_log("The logs and notifications that follow a move could not be committed.")

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        """Adds a sentence to the session's comment and commits it; a failure is only logged."""
        try:
            self.records.tell_researcher(session_id, sentence)
        except Exception:
            logger.exception("A notice for the researcher could not be saved.")
        self._commit_or_log("A notice for the researcher could not be saved.")

    def _commit_or_log(self, failure: str) -> None:
        try:
            self.records.commit()
        except Exception:
            logger.exception(failure)
            self.records.rollback()


def _answer_or_damage(handler: Callable[[], Answer]) -> Answer | Exception:
    try:
        return handler()
    except UnreadableRecord as damage:  # raised before anything is written
        return damage
