"""One browser tab at a hand, which is always sent the newest message, never a queue.

Knows nothing of games.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from otree.channels.utils import wrap_websocket_send

from cardlab.core.transitions import RELOAD

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")

# The server pings, and the page answers the message. A browser slows the timers of a hidden page down to one
# tick a minute, but messages reach it at once, so a participant with another tab in front does not seem gone.
PING, PONG = "ping", "pong"

T = TypeVar("T")
_tasks: set[asyncio.Future[Any]] = set()  # the event loop itself holds its tasks only weakly


def start_task(coroutine: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
    """Starts a coroutine as a task that is kept until it is done."""
    task = asyncio.ensure_future(coroutine)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


class Client:
    """One browser tab at a hand.

    Attributes:
        websocket: its connection.
        seat: where its participant sits.
        name: what the tab calls itself (it keeps that over reloads), "" if it does not say.
        last_message: the message that it was sent last.
    """

    def __init__(self, websocket: WebSocket, seat: Seat, name: str = "") -> None:
        """Nothing is sent yet."""
        self.websocket, self.seat, self.name = websocket, seat, name
        self.last_message: dict[str, Any] = {}
        self._unsent: Any = None
        self._delivery: asyncio.Future[None] | None = None

    def send(self, message: dict[str, Any]) -> asyncio.Future[None]:
        """Starts to send a message, in place of one that could not be sent yet.

        A view is complete in itself, and a tab that does not read must not fill the memory. Only the reason
        of a refusal, and the request to reload, are kept.
        """
        unsent = self._unsent or {}
        if "refused" in unsent and "view" in message:
            message = {"refused": unsent["refused"], **message}
        self.last_message = message
        if unsent != RELOAD:
            self._unsent = message
        if self._delivery is None or self._delivery.done():
            self._delivery = start_task(self._deliver())
        return self._delivery

    def ping(self) -> None:
        """Pings the page, unless a message is on its way to it."""
        if self._delivery is None or self._delivery.done():
            self._unsent = PING
            self._delivery = start_task(self._deliver())

    async def _deliver(self) -> None:
        while self._unsent is not None:
            message, self._unsent = self._unsent, None
            await send(self.websocket, message)


@contextmanager
def ignoring_disconnect(websocket: WebSocket) -> Iterator[None]:
    """Sending to a browser that has disconnected meanwhile raises nothing here."""
    attributes = vars(websocket)
    attributes["send"] = wrap_websocket_send(websocket.send)
    try:
        yield
    finally:
        del attributes["send"]  # it holds the socket: a reference cycle


async def close(websocket: WebSocket) -> None:
    """Closes a connection, unless it has ended in the meantime."""
    try:
        await websocket.close()
    except RuntimeError as gone:
        logger.debug("closed already: %r", gone)


async def send(websocket: WebSocket, message: Any) -> None:
    """Sends a message, unless the browser has gone in the meantime: it asks again when it is back."""
    try:
        await websocket.send_json(message)
    except RuntimeError as gone:
        logger.debug("not delivered: %r", gone)
