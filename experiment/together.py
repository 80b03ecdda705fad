"""Those who wait for oTree's lock are served together: one commit, then each is answered.

Most of what a move takes is its commit, so twenty moves that have come are written almost as quickly as one.

Who has moved need not even wait for the page that is being made under the lock, as long as it only reads:
most pages write at their very end, and a move touches none of their rows. The database knows when one does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from otree.middleware import lock2

from experiment.service import SERVICE, Answer, Service


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

    def serve(self) -> None:
        """Serve all who wait by now. To be called under the lock; awaits nothing."""
        asked, self.waiting = self.waiting, []
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
            async with lock2:
                together.serve()  # nobody, if another has served them meanwhile
    except asyncio.CancelledError:
        if mine in together.waiting:  # whoever has gone asks for nothing
            together.waiting.remove(mine)
        raise
    return mine.done.result()
