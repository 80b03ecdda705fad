"""Delays and drops the messages of a hand's connection."""

from __future__ import annotations

import re

from playwright.sync_api import WebSocketRoute


class Wire:
    """A proxy between a page and its hand: it can delay incoming and drop outgoing messages."""

    def __init__(self, player) -> None:
        self.held = self.deaf = False
        self.pings = 0
        self.lost: list[str] = []
        self.waiting: list[str] = []
        player.page.route_web_socket(re.compile("/hand/"), self._lay)

    def _lay(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        self._page = socket
        socket.on_message(lambda message: self._say(server, message))
        server.on_message(self._hear)

    def _say(self, server: WebSocketRoute, message: str) -> None:
        self.pings += message == "ping"
        if self.deaf:
            self.lost.append(message)
        else:
            server.send(message)

    def _hear(self, message: str) -> None:
        if self.held:
            self.waiting.append(message)
        else:
            self._page.send(message)

    def let_go(self) -> None:
        """Delivers the delayed messages and stops delaying."""
        self.held = False
        for message in self.waiting:
            self._page.send(message)

    def break_off(self) -> None:
        """Closes the connection without delivering the delayed messages; the next connection works."""
        self.held = self.deaf = False
        self._page.close()
