"""Those who wait for oTree's lock are served together: one commit, then each is answered.

Most of what a move takes is its commit, so twenty moves that have come are written almost as quickly as one.

Who has moved need not even wait for the page that is being made under the lock, as long as it only reads:
most pages write at their very end, and a move touches none of their rows. The database knows when one does.

Whatever else is asked, as when browsers connect, takes some milliseconds each. Of those that wait only some
are served at a time, so that moves and pages go on while hundreds of browsers reconnect after a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from otree.middleware import lock2

from cardlab.live.client import under_way
from cardlab.live.service import SERVICE, Answer, Service

MOST_ARRIVALS = 10  # or other requests that are no moves, in one commit


class Asked(NamedTuple):
    """What somebody asks of the service, what follows from the answer, who waits for that, and whether it may
    be done while a page is being made."""

    ask: Callable[[], Answer]
    then: Callable[[Answer | Exception], Any]
    done: asyncio.Future
    beside_a_page: bool = False


class Together:
    """Who waits for a service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.waiting: list[Asked] = []
        self.is_serving = False

    def have_served(self, lock: asyncio.Lock) -> None:
        """Begin to serve all who wait, some at a time, unless that is under way."""
        if not self.is_serving:
            self.is_serving = True
            under_way(self._serve_all(lock))

    async def _serve_all(self, lock: asyncio.Lock) -> None:
        try:
            while self.waiting:
                async with lock:
                    self.serve()
                await asyncio.sleep(0)  # the event loop goes on, also if nobody else wants the lock
        finally:
            self.is_serving = False

    def serve(self) -> None:
        """Serve the moves that wait by now, and the first of the others. To be called under the lock; awaits
        nothing."""
        others = [each for each in self.waiting if not each.beside_a_page]
        later = {id(each) for each in others[MOST_ARRIVALS:]}
        asked = [each for each in self.waiting if id(each) not in later]
        self.waiting = others[MOST_ARRIVALS:]
        if asked:
            _answer(asked, self.service.commit_together([each.ask for each in asked]))
        self.service.tell_researchers()

    def serve_beside_a_page(self) -> bool:
        """Serve those who wait by now and need not wait for the page; whether that was possible, and nothing
        is left that has to be done under the lock. Awaits nothing."""
        asked = [each for each in self.waiting if each.beside_a_page]
        answers = self.service.commit_beside_a_page([each.ask for each in asked])
        if answers is None:
            return False
        self.waiting = [each for each in self.waiting if not each.beside_a_page]
        _answer(asked, answers)
        return not self.service.unsaid


def _answer(asked: Sequence[Asked], answers: Sequence[Answer | Exception]) -> None:
    for each, answer in zip(asked, answers):
        try:
            each.done.set_result(each.then(answer))
        except Exception as error:  # noqa: BLE001 it is raised where it was asked for
            each.done.set_exception(error)


together = Together(SERVICE)


async def served(
    ask: Callable[[], Answer], then: Callable[[Answer | Exception], Any], beside_a_page: bool = False
) -> Any:
    """What ``then`` makes of the service's answer, or of the exception in its place.

    Both are called under the lock, or ``beside_a_page`` while a page has it, and await nothing; ``ask``
    perhaps several times (:meth:`Service.commit_together`), ``then`` once and after the commit, everybody's
    in the order in which they came.
    """
    mine = Asked(ask, then, asyncio.get_running_loop().create_future(), beside_a_page)
    together.waiting.append(mine)
    try:
        await asyncio.sleep(0)  # whose message is there already joins in
        if not mine.done.done() and not (beside_a_page and lock2.locked() and together.serve_beside_a_page()):
            if mine.done.done() or not (lock2.locked() or together.is_serving):
                async with lock2:
                    together.serve()  # nobody, if another has served them meanwhile
            if together.waiting:
                together.have_served(lock2)
            if not mine.done.done():
                await asyncio.shield(mine.done)
    except asyncio.CancelledError:
        if mine in together.waiting:  # whoever has gone asks for nothing
            together.waiting.remove(mine)
        raise
    return mine.done.result()
