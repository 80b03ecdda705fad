"""Group commit: handles all waiting requests in one transaction, then answers them in arrival order.

The commit takes most of a move's time, so a batch of twenty moves is almost as fast as one move. A batch is
handled and committed under oTree's lock.

Other requests, such as new connections, take some milliseconds each. Each batch has a limited number of them,
so that hundreds of browsers that reconnect after a restart do not block moves and pages. It also has few
requests of each participant, so that a participant who opens hundreds of tabs does not block the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cardlab.live.batch import Answer, Batch
from cardlab.live.client import start_task

MAX_NON_MOVES_PER_BATCH = 10  # requests that are not moves: 10 connections hold the lock for about 50 ms
MAX_PER_PARTICIPANT = 2  # in a batch; in normal play a participant seldom has more than one


class Request(NamedTuple):
    """A queued request.

    ``handle`` reads and writes, possibly more than once (:meth:`Batch.commit_batch`). ``respond`` is called
    once with the answer or the exception, after the commit. Both run under the lock and must not await.
    """

    handle: Callable[[], Answer]
    respond: Callable[[Answer | Exception], Any]
    response: asyncio.Future[Any]
    sender: str
    is_move: bool


class GroupCommit:
    """The queue of requests to a service, committed in batches under oTree's lock."""

    def __init__(self, service: Batch, lock: asyncio.Lock) -> None:
        self._service, self._lock = service, lock
        self.queue: list[Request] = []
        self._is_running = False

    async def submit(
        self,
        handle: Callable[[], Answer],
        respond: Callable[[Answer | Exception], Any],
        sender: str = "",
        is_move: bool = False,
    ) -> Any:
        """Queues a request for the next batch; returns the result of ``respond``, or raises its exception.

        ``sender`` is the participant's code, "" for the server and the researcher, whose requests are not
        limited. Cancelling this before the batch begins drops the request.
        """
        request = Request(handle, respond, asyncio.get_running_loop().create_future(), sender, is_move)
        self.queue.append(request)
        if not self._is_running:
            self._is_running = True
            start_task(self._commit_all())
        try:
            return await asyncio.shield(request.response)
        except asyncio.CancelledError:
            if request in self.queue:
                self.queue.remove(request)
            raise

    async def _commit_all(self) -> None:
        """Commits batches until the queue is empty. Requests that arrive before a batch begins join it."""
        try:
            while self.queue:
                async with self._lock:
                    self.commit_batch()
                await asyncio.sleep(0)  # lets other callbacks of the event loop run between two batches
        finally:
            self._is_running = False

    def commit_batch(self) -> None:
        """Handles and answers the queued moves and some other requests. Call it under the lock."""
        batch = self._take_batch()
        if not batch:
            return
        answers = self._answers(batch)
        for request, answer in zip(batch, answers):
            try:
                request.response.set_result(request.respond(answer))
            except Exception as error:  # noqa: BLE001 raised where the request was submitted
                request.response.set_exception(error)

    def _take_batch(self) -> list[Request]:
        """Removes the next batch from the queue.

        A participant's moves keep their order, and so do their other requests. A move may overtake others.
        """
        batch: list[Request] = []
        postponed: list[Request] = []
        by_sender, non_moves = Counter[str](), 0
        for request in self.queue:
            by_sender[request.sender] += 1
            is_next = not request.sender or by_sender[request.sender] <= MAX_PER_PARTICIPANT
            if is_next and not request.is_move:
                non_moves += 1
                is_next = non_moves <= MAX_NON_MOVES_PER_BATCH
            (batch if is_next else postponed).append(request)
        self.queue = postponed
        return batch

    def _answers(self, batch: Sequence[Request]) -> Sequence[Answer | Exception]:
        """Returns the answers to a batch; if the service fails, its error for each, so that nobody hangs."""
        try:
            return self._service.commit_batch([request.handle for request in batch])
        except Exception as error:  # noqa: BLE001 `respond` reports it
            return [error] * len(batch)
