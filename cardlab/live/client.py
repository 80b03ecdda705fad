"""One browser tab at a hand, and how it is told things: always the newest, never a queue.

Knows nothing of games.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from otree.channels.utils import wrap_websocket_send

from cardlab.core.transitions import RELOAD

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")


# The server asks, and the page answers the message: a browser slows the timers of a hidden page down to one
# tick a minute, but messages reach it at once, so who merely has another tab in front is not taken for gone.
PING, PONG = "ping", "pong"

_under_way: set[asyncio.Future] = set()  # the event loop itself holds its tasks only weakly


def start_task(coroutine) -> asyncio.Future:
    """Have a coroutine run by itself."""
    task = asyncio.ensure_future(coroutine)
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return task


class Client:
    """One browser tab at a table, with what it was told last.

    ``name`` is what the tab calls itself (it keeps that over reloads), "" if it does not say.
    """

    def __init__(self, websocket: WebSocket, seat: Seat, name: str = "") -> None:
        self.websocket, self.seat, self.name = websocket, seat, name
        self.told: dict[str, Any] = {}
        self._unsent: Any = None
        self._delivery: asyncio.Future | None = None

    def send(self, said: dict[str, Any]) -> asyncio.Future:
        """Begin to send it, in place of what could not be sent yet: a board is whole in itself, and a tab
        that does not read must not fill the memory. Only why something was refused is kept, and a good-bye.
        """
        waiting = self._unsent or {}
        if "refused" in waiting and "view" in said:
            said = {"refused": waiting["refused"], **said}
        self.told = said
        if waiting != RELOAD:
            self._unsent = said
        if self._delivery is None or self._delivery.done():
            self._delivery = start_task(self._deliver())
        return self._delivery

    def ping(self) -> None:
        """Ask whether the page is there, unless something else is on its way to it."""
        if self._delivery is None or self._delivery.done():
            self._unsent = PING
            self._delivery = start_task(self._deliver())

    async def _deliver(self) -> None:
        while self._unsent is not None:
            said, self._unsent = self._unsent, None
            await send(self.websocket, said)


@contextmanager
def ignoring_disconnect(websocket: WebSocket) -> Iterator[None]:
    """Whoever sends to a browser that has gone in the meantime is not told of it."""
    websocket.send = wrap_websocket_send(websocket.send)
    try:
        yield
    finally:
        del websocket.send  # which holds the socket, and would keep it until Python looks for garbage


async def close(websocket: WebSocket) -> None:
    """End a connection, unless it has ended in the meantime."""
    try:
        await websocket.close()
    except RuntimeError as gone:
        logger.debug("closed already: %r", gone)


async def send(websocket: WebSocket, said: Any) -> None:
    """Send, unless the browser has gone in the meantime: it will ask again when it is back."""
    try:
        await websocket.send_json(said)
    except RuntimeError as gone:
        logger.debug("not delivered: %r", gone)
