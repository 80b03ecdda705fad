"""Records what a browser receives: pages, variables of their scripts, and messages."""

from __future__ import annotations

from player import Player
from playwright.sync_api import Error


class Listener:
    """Records everything that a page receives from the server, except pictures, styles and scripts."""

    def __init__(self, player: Player) -> None:
        self._page = player.page
        self._heard: list[str] = []
        self._on_the_way = 0  # responses whose text has not arrived yet
        self._missed: list[str] = []
        player.page.on("websocket", lambda socket: socket.on("framereceived", self._frame))
        player.page.on("response", self._response)

    def _frame(self, frame) -> None:
        self._heard.append(frame if isinstance(frame, str) else frame.decode())

    def _response(self, response) -> None:
        """Reads the response's text at once, because the browser discards it when the page changes.

        Skips wait pages and their polls, which may be redirected to the next page: their text is lost when
        that page loads, and it contains the same content.
        """
        kind = response.request.resource_type
        if kind == "document":
            waits = "/Gather/" in response.url
        else:
            is_poll = response.url.endswith("?here=1")
            waits = kind not in ("xhr", "fetch") or is_poll or "/Gather/" in response.frame.url
        if not waits and response.status == 200:
            self._on_the_way += 1
            try:
                self._heard.append(response.text())
            except Error as error:  # otherwise nobody would see this error
                self._missed.append(f"{response.url}: {error}")
            self._on_the_way -= 1

    def heard(self) -> str:
        """Returns what has arrived since the last call, and the current page."""
        while self._on_the_way:
            self._page.evaluate("0")  # lets messages in flight arrive
        assert not self._missed, self._missed  # pytest explains assertions only in test modules
        new, self._heard = self._heard, []
        variables = self._page.evaluate("JSON.stringify(window.js_vars)")
        return "\n".join([*new, variables, self._page.content()])
