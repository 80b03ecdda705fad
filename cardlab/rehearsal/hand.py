"""Plays one hand over its socket, as the page does, from what the views show."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, WebSocketException

from cardlab.games.contract import ViewPolicy
from cardlab.games.events import LET_SERVER_PLAY
from cardlab.rehearsal.browser import Browser, ConnectionLost, RehearsalError
from cardlab.rehearsal.figures import Acknowledged, Figures
from cardlab.rehearsal.pace import Pace

TIMEOUT = 300  # seconds without a message of a hand that is not over
MAX_REFUSED = 3  # rejected actions in a hand


class MovedOn(Exception):
    """Raised if the server has moved the participant to another page."""


class Board:
    """The connection to a hand; it answers the server's pings.

    Args:
        browser: The participant's browser.
        page: What the page's script receives: its ``socket`` and the number of the ``hand``.
        tab: A name for the browser tab.
        figures: Receives the durations.
    """

    def __init__(self, browser: Browser, page: dict[str, Any], tab: str, figures: Figures) -> None:
        self.state: dict[str, Any] = {}  # the last message with a view
        self._browser, self._figures = browser, figures
        self._path, self._number = f"{page['socket']}?tab={tab}", page["hand"]
        self.identity = page["socket"].split("/")[2], page["hand"]  # the participant's code, and the hand
        self._messages: asyncio.Queue[Any] = asyncio.Queue()

    async def __aenter__(self) -> Board:
        start = time.perf_counter()
        try:
            self._socket = await self._connect()
        except (WebSocketException, OSError, asyncio.TimeoutError) as error:
            raise ConnectionLost(f"The hand's connection could not be opened ({error!r}).") from None
        self._browser.sockets["hand"] = self._socket  # stays open for the next hand, until the browser closes
        self._task = asyncio.ensure_future(self._read_socket())
        try:
            while not self.state:
                await self.receive()
        except BaseException:  # also a visitor who leaves: the next hand reads from the same connection
            await self._stop_reading()
            raise
        self._figures.record("connections", time.perf_counter() - start)
        self._shown_at = time.perf_counter() - self.state["clock"] / 1000
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._stop_reading()

    async def _stop_reading(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _connect(self) -> Any:
        """Returns the connection of the previous hand if it is open, else a new one."""
        socket = self._browser.sockets.pop("hand", None)
        if socket is None or socket.closed:
            return await self._browser.connect(self._path)
        await socket.send(json.dumps({"page": int(self._path.partition("?")[0].rpartition("/")[2])}))
        return socket

    async def _read_socket(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in self._socket:
                if text == '"ping"':
                    await self._socket.send("pong")
                else:
                    self._messages.put_nowait(json.loads(text))
        self._messages.put_nowait(None)

    async def receive(self) -> dict[str, Any]:
        """Waits for the next message and returns it. Raises MovedOn or RehearsalError."""
        try:
            message = await asyncio.wait_for(self._messages.get(), TIMEOUT)
        except asyncio.TimeoutError:
            raise RehearsalError(f"The hand sent nothing for {TIMEOUT} s.") from None
        return self._handle(message)

    def receive_pending(self) -> None:
        """Handles the messages that have arrived."""
        while not self._messages.empty():
            self._handle(self._messages.get_nowait())

    def _handle(self, message: dict[str, Any] | None) -> dict[str, Any]:
        if message is None:
            raise ConnectionLost("The server closed the hand's connection.")
        if message.get("reload"):
            raise MovedOn
        if "second_tab" in message:
            raise RehearsalError("The seat is open in another tab.")
        if "view" in message and message["hand"] == self._number:  # not a late message of the previous hand
            self.state = message
        return message

    async def complete_step(self, name: str) -> None:
        """Reports that a step of the instructions is complete, and waits until the server confirms it."""
        note = f"step {name}"
        await self._send({"hand": self._number, "note": note, "ms": self._ms()})
        while (await self.receive()).get("noted") != note:
            pass

    @property
    def asks_about_absent(self) -> bool:
        """Whether the participant must choose what happens while a co-player is absent."""
        return bool((self.state.get("wait") or {}).get("choice"))

    async def let_server_play(self) -> None:
        """Lets the server play for an absent co-player."""
        self.state["wait"].pop("choice")
        await self._send({"hand": self._number, "choice": LET_SERVER_PLAY})

    async def act(self, action: str) -> str:
        """Sends an action; returns the reason if it was rejected, else an empty text."""
        number, start = self.state["next"], time.perf_counter()
        await self._send(
            {"hand": self._number, "number": number, "action": action, "ms": self._ms(), "traces": []}
        )
        while True:
            message = await self.receive()
            if "refused" in message or self.state["next"] != number:
                self._figures.record("actions", time.perf_counter() - start)
                return str(message.get("refused", ""))

    async def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed):  # receive reports it
            await self._socket.send(json.dumps(message))

    def _ms(self) -> int:
        return max(0, int(1000 * (time.perf_counter() - self._shown_at)))


async def play(board: Board, player: ViewPolicy, pace: Pace, figures: Figures) -> int:
    """Plays the hand to its end, and records the confirmed actions; returns the number of actions sent."""
    number_sent, refusals = 0, []
    while not board.state["over"]:
        if board.asks_about_absent:
            await pace.think()
            await board.let_server_play()
        action, number = player(board.state["view"]), board.state["next"]
        if action is None:
            await board.receive()
            continue
        await pace.think()
        board.receive_pending()
        if board.state["next"] != number or board.state["over"]:
            continue  # the server has played in the meantime
        reason = await board.act(action)
        number_sent += 1
        if not reason:
            figures.acknowledged.append(Acknowledged(*board.identity, action))
        if reason and not pace.paused:
            refusals.append(f"{action}: {reason}")
            if len(refusals) >= MAX_REFUSED:
                raise RehearsalError(f"The hand rejects the actions: {'; '.join(refusals)}")
    return number_sent
