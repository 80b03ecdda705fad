"""What a browser is told: by pages, by their scripts' variables, by messages."""

from __future__ import annotations

from player import Player


class Listener:
    """Hears everything that a page gets from the server but pictures, styles and scripts."""

    def __init__(self, player: Player) -> None:
        self._page = player.page
        self._heard: list[str] = []
        self._documents = []
        player.page.on("websocket", lambda socket: socket.on("framereceived", self._frame))
        player.page.on("response", self._response)

    def _frame(self, frame) -> None:
        self._heard.append(frame if isinstance(frame, str) else frame.decode())

    def _response(self, response) -> None:
        """What a wait page gets is gone as soon as it gives way to the next page, which tells it again."""
        kind = response.request.resource_type
        if kind == "document":
            waits = "/Gather/" in response.url
        else:
            waits = kind not in ("xhr", "fetch") or "/Gather/" in response.frame.url
        if not waits:
            self._documents.append(response)

    def heard(self) -> str:
        """What has come since the last time, and the page as it stands."""
        new = [document.text() for document in self._documents if document.status == 200] + self._heard
        self._documents, self._heard = [], []
        variables = self._page.evaluate("JSON.stringify(window.js_vars)")
        return "\n".join([*new, variables, self._page.content()])
