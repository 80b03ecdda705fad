"""Records what a browser receives: pages, variables of their scripts, and messages."""

from __future__ import annotations

from player import Player
from playwright.sync_api import Error


class Listener:
    """Hears everything that a page gets from the server but pictures, styles and scripts."""

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
        """Asks for its text at once: the browser forgets it when it goes to another page.

        The content of a wait page is lost when the next page loads, which contains it again.
        """
        kind = response.request.resource_type
        if kind == "document":
            waits = "/Gather/" in response.url
        else:
            waits = kind not in ("xhr", "fetch") or "/Gather/" in response.frame.url
        if not waits and response.status == 200:
            self._on_the_way += 1
            try:
                self._heard.append(response.text())
            except Error as error:  # which would otherwise go to nobody
                self._missed.append(f"{response.url}: {error}")
            self._on_the_way -= 1

    def heard(self) -> str:
        """Returns what has arrived since the last call, and the current page."""
        while self._on_the_way:
            self._page.evaluate("0")  # messages in flight arrive while the browser answers
        assert not self._missed, self._missed  # pytest explains assertions only in tests
        new, self._heard = self._heard, []
        variables = self._page.evaluate("JSON.stringify(window.js_vars)")
        return "\n".join([*new, variables, self._page.content()])
