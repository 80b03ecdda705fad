"""Playing one hand over its socket, as its page does, by what the views show."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

import websockets

from cardlab.games.contract import ViewPolicy
from cardlab.rehearsal.browser import Browser, Failed
from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.pace import Pace

PATIENCE = 300  # seconds in which something must be heard of a hand that is not over
MOST_REFUSED = 3  # actions of a hand


class MovedOn(Exception):
    """The participant is on another page by now."""


class Board:
    """The connection with a hand. It answers by itself when it is asked whether the page is there."""

    def __init__(self, browser: Browser, page: dict[str, Any], tab: str, figures: Figures) -> None:
        """``page`` has the ``socket`` and the number of the ``hand``, as its script is told them."""
        self.said: dict[str, Any] = {}
        self._browser, self._figures = browser, figures
        self._path, self._number = f"{page['socket']}?tab={tab}", page["hand"]
        self._heard: asyncio.Queue[Any] = asyncio.Queue()

    async def __aenter__(self) -> Board:
        began = time.perf_counter()
        try:
            self._socket = await self._browser.socket(self._path)
        except (websockets.WebSocketException, OSError, asyncio.TimeoutError) as error:
            raise Failed(f"The hand's connection could not be opened ({error!r}).") from None
        self._task = asyncio.ensure_future(self._listen())
        await self.hear()
        self._figures.took("connections", time.perf_counter() - began)
        self._began = time.perf_counter() - self.said["clock"] / 1000
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._socket.close()

    async def _listen(self) -> None:
        try:
            async for text in self._socket:
                if text == '"ping"':
                    await self._socket.send("pong")
                else:
                    self._heard.put_nowait(json.loads(text))
        except websockets.ConnectionClosed:
            pass
        self._heard.put_nowait(None)

    async def hear(self) -> dict[str, Any]:
        """The next message; ``said`` is the last that had a view."""
        try:
            said = await asyncio.wait_for(self._heard.get(), PATIENCE)
        except asyncio.TimeoutError:
            raise Failed(f"Nothing was heard of the hand for {PATIENCE} s.") from None
        return self._took(said)

    def hear_what_is_there(self) -> None:
        while not self._heard.empty():
            self._took(self._heard.get_nowait())

    def _took(self, said: Any) -> dict[str, Any]:
        if said is None:
            raise Failed("The server has ended the hand's connection.")
        if said.get("reload"):
            raise MovedOn
        if "second_tab" in said:
            raise Failed("The seat is open in another tab.")
        if "view" in said:
            self.said = said
        return said

    async def note(self, name: str) -> None:
        """Have it noted that something was done beside the hand; until the server says so."""
        await self._say({"hand": self._number, "note": name, "ms": self._ms()})
        while (await self.hear()).get("noted") != name:
            pass

    async def act(self, action: str) -> str:
        """Send an action; why it was refused, "" if it was not."""
        number, began = self.said["next"], time.perf_counter()
        await self._say(
            {"hand": self._number, "number": number, "action": action, "ms": self._ms(), "traces": []}
        )
        while True:
            said = await self.hear()
            if "refused" in said or self.said["next"] != number:
                self._figures.took("actions", time.perf_counter() - began)
                return said.get("refused", "")

    async def _say(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):  # which is heard of
            await self._socket.send(json.dumps(message))

    def _ms(self) -> int:
        return max(0, int(1000 * (time.perf_counter() - self._began)))


async def play(board: Board, player: ViewPolicy, pace: Pace) -> int:
    """Play the hand to its end; the number of actions."""
    acted, refused = 0, []
    while not board.said["over"]:
        action, number = player(board.said["view"]), board.said["next"]
        if action is None:
            await board.hear()
            continue
        await pace.act()
        board.hear_what_is_there()
        if board.said["next"] != number or board.said["over"]:
            continue  # the server has played meanwhile
        why = await board.act(action)
        acted += 1
        if why and not pace.paused:
            refused.append(f"{action}: {why}")
            if len(refused) >= MOST_REFUSED:
                raise Failed(f"The hand refuses what is played: {'; '.join(refused)}")
    return acted
