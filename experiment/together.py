"""Those who wait for oTree's lock are served together: one commit, then each is answered.

Most of what a move takes is its commit, so twenty moves that have come are written almost as quickly as one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from otree.middleware import lock2

from experiment.service import SERVICE, Answer, Service


class Asked(NamedTuple):
    """What somebody asks of the service, what follows from the answer, and who waits for that."""

    ask: Callable[[], Answer]
    then: Callable[[Answer | Exception], Any]
    done: asyncio.Future


class Together:
    """Who waits for a service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.waiting: list[Asked] = []

    def serve(self) -> None:
        """Serve all who wait by now. To be called under the lock; awaits nothing."""
        asked, self.waiting = self.waiting, []
        answers = self.service.commit_together([each.ask for each in asked]) if asked else []
        for each, answer in zip(asked, answers):
            try:
                each.done.set_result(each.then(answer))
            except Exception as error:  # noqa: BLE001 it is raised where it was asked for
                each.done.set_exception(error)


together = Together(SERVICE)


async def served(ask: Callable[[], Answer], then: Callable[[Answer | Exception], Any]) -> Any:
    """What ``then`` makes of the service's answer, or of the exception in its place.

    Both are called under the lock and await nothing; ``ask`` perhaps twice (:meth:`Service.commit_together`),
    ``then`` once and after the commit, everybody's in the order in which they came.
    """
    mine = Asked(ask, then, asyncio.get_running_loop().create_future())
    together.waiting.append(mine)
    try:
        await asyncio.sleep(0)  # whose message is there already joins in
        if not mine.done.done():
            async with lock2:
                together.serve()  # nobody, if another has served them meanwhile
    except asyncio.CancelledError:
        if mine in together.waiting:  # whoever has gone asks for nothing
            together.waiting.remove(mine)
        raise
    return mine.done.result()
