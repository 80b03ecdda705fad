"""The server's end of one browser tab's connection, which sends only the newest message, never a queue."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from otree.channels.utils import wrap_websocket_send

from cardlab.core.transitions import RELOAD
from cardlab.games.language import SERVERS, set_language

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")

# The server pings, because browsers slow the timers of a hidden page down to one tick a minute but deliver
# messages at once. So a participant who looks at another tab does not count as disconnected.
PING, PONG = "ping", "pong"
# Sent when a page has replaced another in the same document (_static/cardlab/shell.js).
_PAGE = re.compile(r'\{"page":\s?(\d{1,9})\}')

T = TypeVar("T")
_tasks: set[asyncio.Future[Any]] = set()  # the event loop holds only weak references to its tasks


def start_task(coroutine: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
    """Starts a coroutine as a task, and keeps a reference to it until it is done.

    The task may serve other participants too, so it does not inherit the caller's language.
    """
    context = copy_context()
    context.run(set_language, SERVERS)
    task: asyncio.Future[T] = context.run(asyncio.ensure_future, coroutine)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


def page_in(text: str | None) -> int | None:
    """Returns the index of the page that a tab now shows, from its message; None for any other message."""
    match = _PAGE.fullmatch(text or "")
    return int(match[1]) if match else None


class Client:
    """One browser tab at a hand.

    Attributes:
        websocket: its connection.
        seat: its participant's seat.
        name: the tab's own id, which a reload keeps; "" if unknown.
        last_message: the last message sent to it.
    """

    def __init__(self, websocket: WebSocket, seat: Seat, name: str = "") -> None:
        self.websocket, self.seat, self.name = websocket, seat, name
        self.last_message: dict[str, Any] = {}
        self._unsent: Any = None
        self._delivery: asyncio.Future[None] | None = None

    def send(self, message: dict[str, Any]) -> asyncio.Future[None]:
        """Starts to send a message; returns a future of its delivery.

        Replaces a message that is not sent yet, so that a tab that does not read cannot fill the memory. This
        is safe because each message has the whole view. The reason for a rejected action and a request to
        reload are carried over.
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
        """Pings the page, unless a message is being sent."""
        if self._delivery is None or self._delivery.done():
            self._unsent = PING
            self._delivery = start_task(self._deliver())

    async def _deliver(self) -> None:
        while self._unsent is not None:
            message, self._unsent = self._unsent, None
            await send(self.websocket, message)


@contextmanager
def ignoring_disconnect(websocket: WebSocket) -> Iterator[None]:
    """Lets messages to a disconnected browser fail silently within the block."""
    attributes = vars(websocket)
    attributes["send"] = wrap_websocket_send(websocket.send)
    try:
        yield
    finally:
        del attributes["send"]  # breaks the reference cycle with the socket


LOST = (RuntimeError, OSError)  # raised by a connection that is closed already, or lost while closing


async def close(websocket: WebSocket) -> None:
    """Closes a connection, unless it is closed already or was lost while it was being opened."""
    try:
        await websocket.close()
    except (*LOST, TypeError) as error:  # TypeError: websockets has no task yet for its messages
        logger.debug("closed already: %r", error)


async def send(websocket: WebSocket, message: Any) -> None:
    """Sends a message as JSON; drops it if the browser has disconnected, as a reconnect gets a new one."""
    try:
        await websocket.send_json(message)
    except LOST as error:
        logger.debug("not delivered: %r", error)
